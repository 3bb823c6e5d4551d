// A loop waits; another thread wakes it, and the loop ends.
#include <ev.h>
#include <pthread.h>
#include <stdlib.h>

static struct ev_loop* loop;
static ev_async watcher;
static int woken;

static void on_wake_up(struct ev_loop* in, ev_async* from, int events) {
  (void)from, (void)events;
  ++woken;
  ev_break(in, EVBREAK_ALL);
}

static void* wake(void* unused) {
  ev_async_send(loop, &watcher);
  return unused;
}

int main() {
  pthread_t thread;
  loop = ev_loop_new(EVBACKEND_EPOLL);
  ev_async_init(&watcher, on_wake_up);
  ev_async_start(loop, &watcher);
  pthread_create(&thread, NULL, wake, NULL);
  ev_run(loop, 0);
  pthread_join(thread, NULL);
  if (woken != 1) abort();
  ev_loop_destroy(loop);
}
