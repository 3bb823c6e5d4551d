// A thread waits for a plain variable in a loop, and trusts that what it guards has been written
// before: it is written after it. The writer has to be stopped between the two.
// options: --no-races --points memory
#include <assert.h>
#include <pthread.h>

static volatile int ready;
static int value;

static void *serve(void *argument) {
  ready = 1;  // <- why: writes
  value = 1;
  return argument;
}

int main(void) {
  pthread_t server;
  pthread_create(&server, NULL, serve, NULL);
  while (!ready) {  // <- why: reads
  }
  assert(value == 1);  // <- bug: fails // <- why: reads
  pthread_join(server, NULL);
  return 0;
}
