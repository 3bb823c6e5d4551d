// Joins that may fail: pthread_tryjoin_np, pthread_timedjoin_np and pthread_clockjoin_np say no
// while the thread waits at a gate; afterwards they may or may not time out, and a plain join
// always ends.
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

#include <cassert>
#include <cerrno>

namespace {

void expect(int expected, int result) { assert(result == expected); }

sem_t gate;

void* wait_at_gate(void* argument) {
  expect(0, sem_wait(&gate));
  return argument;
}

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

int try_join(pthread_t thread, void** result) { return pthread_tryjoin_np(thread, result); }

int timed_join(pthread_t thread, void** result) {
  const timespec deadline = deadline_in_1_ms(CLOCK_REALTIME);
  return pthread_timedjoin_np(thread, result, &deadline);
}

int clock_join(pthread_t thread, void** result) {
  const timespec deadline = deadline_in_1_ms(CLOCK_MONOTONIC);
  return pthread_clockjoin_np(thread, result, CLOCK_MONOTONIC, &deadline);
}

void check(int (*join)(pthread_t, void**), int expected_failure) {
  int value = 0;
  pthread_t thread;
  expect(0, pthread_create(&thread, nullptr, wait_at_gate, &value));
  void* joined = nullptr;
  expect(expected_failure, join(thread, &joined));
  expect(0, sem_post(&gate));
  const int result = join(thread, &joined);
  assert(result == 0 || result == expected_failure);
  if (result != 0) expect(0, pthread_join(thread, &joined));
  assert(joined == &value);
}

}  // namespace

int main() {
  expect(0, sem_init(&gate, 0, 0));
  check(try_join, EBUSY);
  check(timed_join, ETIMEDOUT);
  check(clock_join, ETIMEDOUT);
  expect(0, sem_destroy(&gate));
  return 0;
}
