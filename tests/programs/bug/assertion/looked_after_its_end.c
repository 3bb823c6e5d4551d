// main takes a lock and looks at a flag that a thread sets. The bug: the thread may come later.
// The schedule: main comes first. In the others the thread has ended, but nobody has joined it.
// options: --points shared --no-races
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile int flag;

static void* set(void* unused) {
  flag = 1;
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, set, NULL);
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  assert(flag == 1);  // <- bug: fails
  pthread_join(thread, NULL);
  return 0;
}
