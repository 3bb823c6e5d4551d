// Timed condition waits on the real-time and the monotonic clock: with nobody to signal they end by
// time-out and not before the deadline; with a signaller either may come first.
#include <pthread.h>
#include <time.h>

#include <cassert>
#include <cerrno>

namespace {

void expect(int expected, int result) { assert(result == expected); }

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t real_condition = PTHREAD_COND_INITIALIZER;
pthread_cond_t monotonic_condition;
bool ready = false;

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

template <typename Wait>
void expect_time_out(clockid_t clock, Wait wait) {
  const timespec deadline = deadline_in_1_ms(clock);
  int result = 0;
  while (result == 0) result = wait(deadline);  // a wake-up without reason is allowed
  expect(ETIMEDOUT, result);
  const timespec end = now(clock);
  assert(end.tv_sec > deadline.tv_sec ||
         (end.tv_sec == deadline.tv_sec && end.tv_nsec >= deadline.tv_nsec));
}

void* signal(void*) {
  expect(0, pthread_mutex_lock(&mutex));
  ready = true;
  expect(0, pthread_cond_signal(&monotonic_condition));
  expect(0, pthread_mutex_unlock(&mutex));
  return nullptr;
}

}  // namespace

int main() {
  pthread_condattr_t attributes;
  expect(0, pthread_condattr_init(&attributes));
  expect(0, pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC));
  expect(0, pthread_cond_init(&monotonic_condition, &attributes));
  expect(0, pthread_condattr_destroy(&attributes));

  expect(0, pthread_mutex_lock(&mutex));
  expect_time_out(CLOCK_REALTIME, [](const timespec& deadline) {
    return pthread_cond_timedwait(&real_condition, &mutex, &deadline);
  });
  expect_time_out(CLOCK_MONOTONIC, [](const timespec& deadline) {
    return pthread_cond_timedwait(&monotonic_condition, &mutex, &deadline);
  });
  expect_time_out(CLOCK_MONOTONIC, [](const timespec& deadline) {
    return pthread_cond_clockwait(&real_condition, &mutex, CLOCK_MONOTONIC, &deadline);
  });

  pthread_t thread;
  expect(0, pthread_create(&thread, nullptr, signal, nullptr));
  const timespec deadline = deadline_in_1_ms(CLOCK_MONOTONIC);
  int result = 0;
  while (!ready && result == 0) {
    result = pthread_cond_timedwait(&monotonic_condition, &mutex, &deadline);
  }
  assert(result == ETIMEDOUT || ready);
  expect(0, pthread_mutex_unlock(&mutex));
  expect(0, pthread_join(thread, nullptr));
  assert(ready);
  expect(0, pthread_cond_destroy(&monotonic_condition));
  return 0;
}
