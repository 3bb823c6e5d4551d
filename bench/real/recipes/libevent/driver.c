// A loop waits for a timer that comes again and again, and for a user event; another thread makes
// the event active, which ends the loop.
#include <event2/event.h>
#include <event2/thread.h>
#include <pthread.h>
#include <stdlib.h>

static struct event_base* base;
static struct event* wake_up;
static int woken;

static void on_wake_up(evutil_socket_t descriptor, short what, void* unused) {
  (void)descriptor, (void)what, (void)unused;
  ++woken;
  event_base_loopbreak(base);
}

static void on_timer(evutil_socket_t descriptor, short what, void* unused) {
  (void)descriptor, (void)what, (void)unused;
}

static void* activate(void* unused) {
  event_active(wake_up, EV_TIMEOUT, 0);
  return unused;
}

int main() {
  pthread_t thread;
  struct timeval far = {3600, 0};
  evthread_use_pthreads();
  base = event_base_new();
  struct event* timer = event_new(base, -1, EV_PERSIST, on_timer, NULL);
  evtimer_add(timer, &far);
  wake_up = event_new(base, -1, 0, on_wake_up, NULL);
  pthread_create(&thread, NULL, activate, NULL);
  event_base_dispatch(base);
  pthread_join(thread, NULL);
  if (woken != 1) abort();
  event_free(wake_up);
  event_free(timer);
  event_base_free(base);
}
