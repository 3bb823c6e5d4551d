// A loop that waits on a condition variable with a time limit, for something that no thread does
// any more: the one that should have announced it looks at the wrong variable.
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace {

std::mutex mutex;
std::condition_variable changed;
bool ready = false;
bool announced = false;

void wait_until_ready() {
  using namespace std::chrono_literals;
  std::unique_lock lock(mutex);
  while (!ready) changed.wait_for(lock, 100ms);  // <- bug: spins
}

void announce() {
  const std::lock_guard lock(mutex);
  announced = true;
  changed.notify_one();
}

}  // namespace

int main() {
  std::thread waiter(wait_until_ready);
  std::thread announcer(announce);
  waiter.join();  // <- bug: waits
  announcer.join();
  return 0;
}
