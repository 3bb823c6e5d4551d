// Cleanup handlers in C: pthread_exit runs the handlers that are still pushed, the newest first; a
// handler popped with 0 does not run, one popped with 1 does.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static int calls = 0;
static int order[4];

static void record(void* argument) { order[calls++] = *(int*)argument; }

static void* run(void* argument) {
  int numbers[4] = {1, 2, 3, 4};
  (void)argument;
  pthread_cleanup_push(record, &numbers[0]);
  pthread_cleanup_push(record, &numbers[1]);
  pthread_cleanup_push(record, &numbers[2]);
  pthread_cleanup_push(record, &numbers[3]);
  pthread_cleanup_pop(0);
  pthread_cleanup_pop(1);
  pthread_exit(&calls);
  pthread_cleanup_pop(0);
  pthread_cleanup_pop(0);
  return NULL;
}

int main(void) {
  pthread_t thread;
  void* result = NULL;
  int error = pthread_create(&thread, NULL, run, NULL);
  assert(error == 0);
  error = pthread_join(thread, &result);
  assert(error == 0);
  assert(result == &calls);
  assert(calls == 3);
  assert(order[0] == 3 && order[1] == 2 && order[2] == 1);
  return 0;
}
