/* Two threads use the library. */
#include <pthread.h>
#include <stddef.h>

#include "tally.h"

static void* use(void* unused) {
  tally();
  return unused;
}

int main(void) {
  pthread_t other;
  pthread_create(&other, NULL, use, NULL);
  tally();
  pthread_join(other, NULL);
  return 0;
}
