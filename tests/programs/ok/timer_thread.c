// A timer starts a thread, which counts under the lock.
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void on_time(union sigval value) {
  pthread_mutex_lock(&mutex);
  *(int *)value.sival_ptr += 1;
  pthread_mutex_unlock(&mutex);
}

int main(void) {
  struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = on_time};
  event.sigev_value.sival_ptr = &count;
  timer_t timer;
  timer_create(CLOCK_MONOTONIC, &event, &timer);
  const struct itimerspec second = {{0, 0}, {1, 0}};
  timer_settime(timer, 0, &second, 0);
  pthread_mutex_lock(&mutex);
  count += 1;
  assert(count == 1 || count == 2);
  pthread_mutex_unlock(&mutex);
  const struct timespec longer = {2, 0};
  nanosleep(&longer, 0);
  timer_delete(timer);
  return 0;
}
