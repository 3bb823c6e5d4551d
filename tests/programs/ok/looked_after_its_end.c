// main takes a lock, joins a thread, and looks at a flag that the thread has set.
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
  pthread_join(thread, NULL);
  assert(flag == 1);
  return 0;
}
