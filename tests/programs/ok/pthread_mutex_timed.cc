// Timed mutex locks: pthread_mutex_timedlock and pthread_mutex_clocklock time out, and not too
// early, while main holds the mutex; they take it at once when it is free.
#include <pthread.h>
#include <time.h>

#include <cassert>
#include <cerrno>

namespace {

void expect(int expected, int result) { assert(result == expected); }

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

timespec now(clockid_t clock) {
  timespec time;
  expect(0, clock_gettime(clock, &time));
  return time;
}

timespec deadline_in_1_ms(clockid_t clock) {
  timespec deadline = now(clock);
  deadline.tv_nsec += 1'000'000;
  if (deadline.tv_nsec >= 1'000'000'000) {
    deadline.tv_nsec -= 1'000'000'000;
    ++deadline.tv_sec;
  }
  return deadline;
}

bool has_passed(clockid_t clock, const timespec& deadline) {
  const timespec time = now(clock);
  if (time.tv_sec != deadline.tv_sec) return time.tv_sec > deadline.tv_sec;
  return time.tv_nsec >= deadline.tv_nsec;
}

void* expect_time_out(void*) {
  const timespec real = deadline_in_1_ms(CLOCK_REALTIME);
  expect(ETIMEDOUT, pthread_mutex_timedlock(&mutex, &real));
  assert(has_passed(CLOCK_REALTIME, real));
  const timespec monotonic = deadline_in_1_ms(CLOCK_MONOTONIC);
  expect(ETIMEDOUT, pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &monotonic));
  assert(has_passed(CLOCK_MONOTONIC, monotonic));
  return nullptr;
}

}  // namespace

int main() {
  expect(0, pthread_mutex_lock(&mutex));
  pthread_t thread;
  expect(0, pthread_create(&thread, nullptr, expect_time_out, nullptr));
  expect(0, pthread_join(thread, nullptr));
  expect(0, pthread_mutex_unlock(&mutex));

  const timespec real = deadline_in_1_ms(CLOCK_REALTIME);
  expect(0, pthread_mutex_timedlock(&mutex, &real));
  expect(0, pthread_mutex_unlock(&mutex));
  const timespec monotonic = deadline_in_1_ms(CLOCK_MONOTONIC);
  expect(0, pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &monotonic));
  expect(0, pthread_mutex_unlock(&mutex));
  return 0;
}
