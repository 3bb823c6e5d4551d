// Sleeps of all kinds: sleep_for, sleep_until, nanosleep, clock_nanosleep to an absolute time, and
// usleep; each lasts at least as long as it was asked to.
#include <time.h>
#include <unistd.h>

#include <cassert>
#include <chrono>
#include <thread>

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr timespec kOneMs = {0, 1'000'000};

template <typename Sleep>
void expect_1_ms(Sleep sleep) {
  const steady_clock::time_point start = steady_clock::now();
  sleep();
  assert(steady_clock::now() - start >= milliseconds(1));
}

void sleep_in_nanoseconds() {
  const int result = nanosleep(&kOneMs, nullptr);
  assert(result == 0);
}

void sleep_to_absolute_time() {
  timespec end;
  int result = clock_gettime(CLOCK_MONOTONIC, &end);
  assert(result == 0);
  end.tv_nsec += kOneMs.tv_nsec;
  if (end.tv_nsec >= 1'000'000'000) {
    end.tv_nsec -= 1'000'000'000;
    ++end.tv_sec;
  }
  result = clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, nullptr);
  assert(result == 0);
}

void sleep_in_microseconds() {
  const int result = usleep(1000);
  assert(result == 0);
}

}  // namespace

int main() {
  std::thread other([] {
    expect_1_ms([] { std::this_thread::sleep_for(milliseconds(1)); });
    expect_1_ms(sleep_in_nanoseconds);
  });
  expect_1_ms([] { std::this_thread::sleep_until(steady_clock::now() + milliseconds(1)); });
  expect_1_ms(sleep_to_absolute_time);
  expect_1_ms(sleep_in_microseconds);
  other.join();
  return 0;
}
