// A race in C: a thread fills a structure, and main reads it whether or not the semaphore says that
// it is filled.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

struct Result {
  int status;
  double value;
};

static struct Result result;
static sem_t filled;

static void* fill(void* argument) {
  result.value = 0.5;
  result.status += 2;  // <- bug: writes
  sem_post(&filled);
  return argument;
}

int main(void) {
  pthread_t thread;
  sem_init(&filled, 0, 0);
  pthread_create(&thread, NULL, fill, NULL);
  sem_trywait(&filled);
  const int status = result.status;  // <- bug: reads
  pthread_join(thread, NULL);
  assert(status % 2 == 0);
  return 0;
}
