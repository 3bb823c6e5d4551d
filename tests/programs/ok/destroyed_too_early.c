// A worker signals under a mutex that it is done; main waits for it and cleans up.
//
// Main joins the worker first.
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
  pthread_join(worker, NULL);
  if (done) pthread_mutex_destroy(&mutex);
  return 0;
}
