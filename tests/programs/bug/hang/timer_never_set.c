// A thread reads from a timer that nobody has set.
#include <pthread.h>
#include <stdint.h>
#include <sys/timerfd.h>
#include <unistd.h>

static int timer;

static void *wait_for_timer(void *unused) {
  (void)unused;
  uint64_t count;
  return read(timer, &count, sizeof count) == sizeof count ? 0 : &timer;  // <- bug: fails
}

int main(void) {
  timer = timerfd_create(CLOCK_MONOTONIC, 0);
  pthread_t thread;
  pthread_create(&thread, 0, wait_for_timer, 0);
  pthread_join(thread, 0);
  return 0;
}
