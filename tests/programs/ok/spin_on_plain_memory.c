// Threads that wait for plain variables in loops without any call, there and back again, and one
// that polls several of them: the loop is left as soon as the other thread has written. C calls
// this a race, so races are not looked for.
// options: --no-races
#include <assert.h>
#include <pthread.h>

static volatile int ready, answer, polled[3];
static int value;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static int all_polled(void) { return polled[0] + polled[1] + polled[2] == 3; }

static void *serve(void *argument) {
  pthread_mutex_lock(&mutex);
  value = 1;
  pthread_mutex_unlock(&mutex);
  ready = 1;
  while (!answer) {
  }
  for (int i = 0; i < 3; ++i) polled[i] = 1;
  return argument;
}

int main(void) {
  pthread_t server;
  pthread_create(&server, NULL, serve, NULL);
  while (!ready) {
  }
  assert(value == 1);
  answer = 1;
  while (!all_polled()) {
  }
  pthread_join(server, NULL);
  return 0;
}
