// A server that polls with a time limit for its housekeeping. Its only client sleeps for a while,
// and then writes.
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2];
static int rounds;

static void *serve(void *unused) {
  (void)unused;
  struct pollfd entry = {ends[0], POLLIN, 0};
  while (poll(&entry, 1, 1000) == 0) rounds++;
  return 0;
}

static void *ask(void *unused) {
  (void)unused;
  sleep(5);
  assert(write(ends[1], "x", 1) == 1);
  return 0;
}

int main(void) {
  assert(pipe(ends) == 0);
  pthread_t server;
  pthread_t client;
  pthread_create(&server, 0, serve, 0);
  pthread_create(&client, 0, ask, 0);
  pthread_join(server, 0);
  pthread_join(client, 0);
  return 0;
}
