// A worker waits for a semaphore that main posts.
//
// Bug: main initialises the semaphore after it has created the worker, which may wait already.
#include <pthread.h>
#include <semaphore.h>

static sem_t ready;

static void* work(void* unused) {
  sem_wait(&ready);
  return unused;
}

int main(void) {
  pthread_t worker;
  pthread_create(&worker, NULL, work, NULL);
  sem_init(&ready, 0, 0);  // <- bug: fails
  sem_post(&ready);
  pthread_join(worker, NULL);
  sem_destroy(&ready);
  return 0;
}
