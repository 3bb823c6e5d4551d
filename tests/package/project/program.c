/* A correct program of two threads. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#include "counter.h"

static int counter;

static void* count(void* unused) {
  count_well(&counter);
  return unused;
}

int main(void) {
  pthread_t other;
  pthread_create(&other, NULL, count, NULL);
  count_well(&counter);
  pthread_join(other, NULL);
  assert(counter == 2);
  return 0;
}
