// A worker signals under a mutex that it is done; main waits for it and cleans up.
//
// Bug: main destroys the mutex when it has seen the flag, without locking it or joining the worker:
// the worker may still hold the mutex (the C library would say EBUSY), or be about to unlock it.
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t mutex;
static atomic_int done;

static void* work(void* unused) {
  pthread_mutex_lock(&mutex);
  done = 1;
  pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void) {
  pthread_t worker;
  pthread_mutex_init(&mutex, NULL);
  pthread_create(&worker, NULL, work, NULL);
  if (done) pthread_mutex_destroy(&mutex);  // <- bug: fails
  pthread_join(worker, NULL);
  return 0;
}
