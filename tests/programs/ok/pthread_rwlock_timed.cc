// Timed reader-writer locks: the timed and the clock variants of both locks time out while main
// writes, and take a free lock at once.
#include <pthread.h>
#include <time.h>

#include <cassert>
#include <cerrno>

namespace {

void expect(int expected, int result) { assert(result == expected); }

pthread_rwlock_t lock;

timespec deadline_in_1_ms(clockid_t clock) {
  timespec deadline;
  expect(0, clock_gettime(clock, &deadline));
  deadline.tv_nsec += 1'000'000;
  if (deadline.tv_nsec >= 1'000'000'000) {
    deadline.tv_nsec -= 1'000'000'000;
    ++deadline.tv_sec;
  }
  return deadline;
}

int timed_read() {
  const timespec deadline = deadline_in_1_ms(CLOCK_REALTIME);
  return pthread_rwlock_timedrdlock(&lock, &deadline);
}

int timed_write() {
  const timespec deadline = deadline_in_1_ms(CLOCK_REALTIME);
  return pthread_rwlock_timedwrlock(&lock, &deadline);
}

int clock_read() {
  const timespec deadline = deadline_in_1_ms(CLOCK_MONOTONIC);
  return pthread_rwlock_clockrdlock(&lock, CLOCK_MONOTONIC, &deadline);
}

int clock_write() {
  const timespec deadline = deadline_in_1_ms(CLOCK_MONOTONIC);
  return pthread_rwlock_clockwrlock(&lock, CLOCK_MONOTONIC, &deadline);
}

int (*const variants[])() = {timed_read, timed_write, clock_read, clock_write};

void* expect_time_outs(void*) {
  for (auto* variant : variants) expect(ETIMEDOUT, variant());
  return nullptr;
}

}  // namespace

int main() {
  pthread_rwlockattr_t attributes;
  expect(0, pthread_rwlockattr_init(&attributes));
  expect(0, pthread_rwlock_init(&lock, &attributes));
  expect(0, pthread_rwlockattr_destroy(&attributes));

  expect(0, pthread_rwlock_wrlock(&lock));
  pthread_t thread;
  expect(0, pthread_create(&thread, nullptr, expect_time_outs, nullptr));
  expect(0, pthread_join(thread, nullptr));
  expect(0, pthread_rwlock_unlock(&lock));

  for (auto* variant : variants) {
    expect(0, variant());
    expect(0, pthread_rwlock_unlock(&lock));
  }
  expect(0, pthread_rwlock_destroy(&lock));
  return 0;
}
