// A C program whose main returns the number of lost increments, of which there are none: the
// increment is one operation. The bug twin is bug/exit/exit_in_c.c.
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int counter = 0;

static void* increment(void* argument) {
  atomic_fetch_add(&counter, 1);
  return argument;
}

int main(void) {
  pthread_t one;
  pthread_t two;
  pthread_create(&one, NULL, increment, NULL);
  pthread_create(&two, NULL, increment, NULL);
  pthread_join(one, NULL);
  pthread_join(two, NULL);
  return 2 - counter;
}
