// A timer starts a thread, which counts without a lock.
#include <pthread.h>
#include <signal.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void on_time(union sigval value) {
  *(int *)value.sival_ptr += 1;  // <- bug: reads, writes
}

int main(void) {
  struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = on_time};
  event.sigev_value.sival_ptr = &count;
  timer_t timer;
  timer_create(CLOCK_MONOTONIC, &event, &timer);
  const struct itimerspec second = {{0, 0}, {1, 0}};
  timer_settime(timer, 0, &second, 0);
  pthread_mutex_lock(&mutex);
  count += 1;  // <- bug: reads, writes
  pthread_mutex_unlock(&mutex);
  const struct timespec longer = {2, 0};
  nanosleep(&longer, 0);
  timer_delete(timer);
  return 0;
}
