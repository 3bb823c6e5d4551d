// Timed semaphore waits: sem_timedwait and sem_clockwait end by time-out while nobody posts; a
// permit that is there is taken at once; with a poster either may come first.
#include <semaphore.h>
#include <time.h>

#include <cassert>
#include <cerrno>
#include <thread>

namespace {

sem_t permits;

void expect_success(int result) { assert(result == 0); }

timespec deadline_in_1_ms(clockid_t clock) {
  timespec deadline;
  expect_success(clock_gettime(clock, &deadline));
  deadline.tv_nsec += 1'000'000;
  if (deadline.tv_nsec >= 1'000'000'000) {
    deadline.tv_nsec -= 1'000'000'000;
    ++deadline.tv_sec;
  }
  return deadline;
}

bool timed_wait() {
  const timespec deadline = deadline_in_1_ms(CLOCK_REALTIME);
  const int result = sem_timedwait(&permits, &deadline);
  assert(result == 0 || (result == -1 && errno == ETIMEDOUT));
  return result == 0;
}

bool clock_wait() {
  const timespec deadline = deadline_in_1_ms(CLOCK_MONOTONIC);
  const int result = sem_clockwait(&permits, CLOCK_MONOTONIC, &deadline);
  assert(result == 0 || (result == -1 && errno == ETIMEDOUT));
  return result == 0;
}

void check(bool (*wait)()) {
  bool got_permit = wait();
  assert(!got_permit);
  expect_success(sem_post(&permits));
  got_permit = wait();
  assert(got_permit);
  std::thread poster([] { expect_success(sem_post(&permits)); });
  got_permit = wait();
  if (!got_permit) expect_success(sem_wait(&permits));
  poster.join();
}

}  // namespace

int main() {
  expect_success(sem_init(&permits, 0, 0));
  check(timed_wait);
  check(clock_wait);
  expect_success(sem_destroy(&permits));
  return 0;
}
