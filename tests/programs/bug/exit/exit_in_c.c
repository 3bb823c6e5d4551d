// A C program whose main returns the number of lost increments: two threads load and store an
// atomic counter in two steps.
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int counter = 0;

static void* increment(void* argument) {
  const int seen = atomic_load(&counter);  // <- why: reads
  atomic_store(&counter, seen + 1);        // <- why: writes
  return argument;
}

int main(void) {
  pthread_t one;
  pthread_t two;
  pthread_create(&one, NULL, increment, NULL);
  pthread_create(&two, NULL, increment, NULL);
  pthread_join(one, NULL);
  pthread_join(two, NULL);
  return 2 - counter;  // <- bug: after
}
