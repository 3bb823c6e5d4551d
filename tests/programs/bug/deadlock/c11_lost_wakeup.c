// Lost wake-up in C: the waiter waits without a test, so a signal that comes first is lost.
#include <stddef.h>
#include <threads.h>

static mtx_t mutex;
static cnd_t signalled;

static int wait_for_signal(void* argument) {
  (void)argument;
  mtx_lock(&mutex);
  cnd_wait(&signalled, &mutex);  // <- bug: waits // <- why: waits
  mtx_unlock(&mutex);
  return 0;
}

int main(void) {
  thrd_t thread;
  mtx_init(&mutex, mtx_plain);
  cnd_init(&signalled);
  thrd_create(&thread, wait_for_signal, NULL);
  cnd_signal(&signalled);   // <- why: signals
  thrd_join(thread, NULL);  // <- bug: waits
  cnd_destroy(&signalled);
  mtx_destroy(&mutex);
  return 0;
}
