/* Two threads use the library; well, if there is an argument. */
#include <pthread.h>
#include <stddef.h>

#include "tally.h"

static void (*add)(void) = tally_badly;

static void* use(void* unused) {
  add();
  return unused;
}

int main(int argument_count, char** arguments) {
  (void)arguments;
  if (argument_count > 1) add = tally_well;
  pthread_t other;
  pthread_create(&other, NULL, use, NULL);
  add();
  pthread_join(other, NULL);
  return tally_result() >= 0 ? 0 : 1;
}
