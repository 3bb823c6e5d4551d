// A timer as a descriptor: it comes when its time has come, whether it is read, polled or looked
// at, and between threads.
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static int timer;
static int ends[2];

static struct itimerspec seconds(time_t first, time_t interval) {
  return (struct itimerspec){{interval, 0}, {first, 0}};
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static uint64_t take(void) {
  uint64_t count = 0;
  assert(read(timer, &count, sizeof count) == sizeof count);
  return count;
}

static void *set_later(void *unused) {
  (void)unused;
  sleep(1);
  const struct itimerspec value = seconds(2, 0);
  assert(timerfd_settime(timer, 0, &value, 0) == 0);
  return 0;
}

static void *write_late(void *unused) {
  (void)unused;
  sleep(100);
  assert(write(ends[1], "x", 1) == 1);
  return 0;
}

// The timer is set while its reader waits already.
static void set_by_another_thread(void) {
  pthread_t thread;
  const double before = now();
  pthread_create(&thread, 0, set_later, 0);
  assert(take() == 1);
  assert(now() - before >= 2.9);
  pthread_join(thread, 0);
}

static void repeats(void) {
  const struct itimerspec value = seconds(1, 2);
  assert(timerfd_settime(timer, 0, &value, 0) == 0);
  assert(take() >= 1);
  sleep(10);
  assert(take() >= 4);
  struct itimerspec left;
  assert(timerfd_gettime(timer, &left) == 0);
  assert(left.it_interval.tv_sec == 2 && left.it_value.tv_sec <= 2);
  const struct itimerspec none = seconds(0, 0);
  struct itimerspec old;
  assert(timerfd_settime(timer, 0, &none, &old) == 0);
  assert(old.it_interval.tv_sec == 2);
}

// The timer comes long before the other thread writes, if nothing else has to happen first.
static void is_polled(void) {
  pthread_t thread;
  pthread_create(&thread, 0, write_late, 0);
  const struct itimerspec value = seconds(3, 0);
  assert(timerfd_settime(timer, 0, &value, 0) == 0);
  struct pollfd entries[] = {{timer, POLLIN, 0}, {ends[0], POLLIN, 0}};
  assert(poll(entries, 2, -1) >= 1);
  if ((entries[1].revents & POLLIN) == 0) assert(take() == 1);
  pthread_join(thread, 0);
}

static void is_an_event(void) {
  const int events = epoll_create1(0);
  struct epoll_event wanted = {EPOLLIN, {.fd = timer}};
  assert(epoll_ctl(events, EPOLL_CTL_ADD, timer, &wanted) == 0);
  struct timespec moment;
  clock_gettime(CLOCK_MONOTONIC, &moment);
  const struct itimerspec value = {{0, 0}, {moment.tv_sec + 5, 0}};
  assert(timerfd_settime(timer, TFD_TIMER_ABSTIME, &value, 0) == 0);
  struct epoll_event found;
  while (epoll_wait(events, &found, 1, 2000) == 0) {
  }
  assert(found.data.fd == timer && take() == 1);
  clock_gettime(CLOCK_MONOTONIC, &moment);
  assert(moment.tv_sec >= value.it_value.tv_sec);
  close(events);
}

static void is_looked_at(void) {
  const int other = timerfd_create(CLOCK_REALTIME, TFD_NONBLOCK);
  const struct itimerspec value = {{0, 0}, {0, 5000}};
  uint64_t count;
  assert(read(other, &count, sizeof count) == -1 && errno == EAGAIN);
  assert(timerfd_settime(other, 0, &value, 0) == 0);
  while (read(other, &count, sizeof count) < 0) assert(errno == EAGAIN);
  assert(count == 1);
  close(other);
}

int main(void) {
  assert(pipe(ends) == 0);
  timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
  assert(timer >= 0);
  set_by_another_thread();
  repeats();
  is_polled();
  const struct itimerspec none = seconds(0, 0);
  assert(timerfd_settime(timer, 0, &none, 0) == 0);
  is_an_event();
  is_looked_at();
  close(timer);
  return 0;
}
