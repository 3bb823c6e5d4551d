// A server that polls with a time limit for its housekeeping, and nobody who would ever write: it
// does not end, and it is no livelock.
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2];
static int rounds;

static void *serve(void *unused) {
  (void)unused;
  struct pollfd entry = {ends[0], POLLIN, 0};
  while (poll(&entry, 1, 1000) == 0) rounds++;  // <- bug: fails
  return 0;
}

int main(void) {
  if (pipe(ends) != 0) return 0;
  pthread_t server;
  pthread_create(&server, 0, serve, 0);
  pthread_join(server, 0);
  return 0;
}
