// The processor's time stamp counter goes with the clocks: busy waiting by it ends, it never goes
// back, and it is the same whenever the schedule is.
#include <sched.h>
#include <x86intrin.h>

#include <atomic>
#include <cassert>
#include <chrono>
#include <thread>

namespace {

std::atomic<bool> ready = false;

unsigned long long busy_wait(unsigned long long ticks) {
  const unsigned long long start = __rdtsc();
  unsigned long long now = start;
  while (now - start < ticks) {
    const unsigned long long next = __rdtsc();
    assert(next > now);
    now = next;
  }
  return now;
}

// Gives up when its time is over.
void wait_for_other() {
  const unsigned long long start = __rdtsc();
  while (!ready.load() && __rdtsc() - start < 3'000'000'000ULL) {
  }
}

}  // namespace

int main() {
  using Clock = std::chrono::steady_clock;
  std::thread other([] {
    unsigned processor = 99;
    assert(__rdtscp(&processor) != 0);
    assert((processor & 0xfff) == static_cast<unsigned>(sched_getcpu()));
    ready = true;
  });
  wait_for_other();
  other.join();
  const unsigned long long ticks = __rdtsc();
  const Clock::time_point before = Clock::now();
  const unsigned long long passed = busy_wait(5'000'000'000ULL) - ticks;
  const auto shown = std::chrono::nanoseconds(Clock::now() - before);
  assert(passed >= 5'000'000'000ULL && shown.count() > 0);
  // Nanoseconds, by which both can be told from each other only by what a look takes.
  assert(passed >= static_cast<unsigned long long>(shown.count()) / 4);
  return 0;
}
