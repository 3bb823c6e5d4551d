// Clocks: the steady clock never goes back, and a sleep of one second takes at least one second of
// it and of the system clock.
#include <cassert>
#include <chrono>
#include <mutex>
#include <thread>

namespace {

using std::chrono::seconds;
using std::chrono::steady_clock;
using std::chrono::system_clock;

std::mutex mutex;
steady_clock::time_point latest;

void look() {
  for (int i = 0; i < 2; ++i) {
    std::lock_guard guard(mutex);
    const steady_clock::time_point now = steady_clock::now();
    assert(now >= latest);
    latest = now;
  }
}

}  // namespace

int main() {
  const steady_clock::time_point steady_start = steady_clock::now();
  const system_clock::time_point system_start = system_clock::now();
  latest = steady_start;
  std::thread other(look);
  look();
  std::this_thread::sleep_for(seconds(1));
  other.join();
  assert(steady_clock::now() - steady_start >= seconds(1));
  assert(system_clock::now() - system_start >= seconds(1));
  return 0;
}
