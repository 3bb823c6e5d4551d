// Threads that a constructor function creates before main: one that main joins by the stored
// handle, one that is detached before main, and one that main detaches.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <string.h>

static pthread_t joined, detached, detached_in_main;
static sem_t done;
static int value;

static void* compute(void* argument) {
  char name[16];
  assert(pthread_equal(pthread_self(), joined));
  assert(pthread_getname_np(pthread_self(), name, sizeof name) == 0);
  assert(strcmp(name, "early") == 0);
  value = 41;
  return argument;
}

static void* post(void* argument) {
  sem_post(&done);
  return argument;
}

__attribute__((constructor)) static void start(void) {
  assert(sem_init(&done, 0, 0) == 0);
  assert(pthread_create(&joined, NULL, compute, &value) == 0);
  assert(pthread_setname_np(joined, "early") == 0);
  assert(pthread_create(&detached, NULL, post, NULL) == 0);
  assert(pthread_detach(detached) == 0);
  assert(pthread_create(&detached_in_main, NULL, post, NULL) == 0);
}

int main(void) {
  void* result;
  assert(pthread_detach(detached_in_main) == 0);
  assert(pthread_join(joined, &result) == 0);
  assert(result == &value);
  ++value;
  sem_wait(&done);
  sem_wait(&done);
  return value == 42 ? 0 : 1;
}
