// A loop that waits on a condition variable with a time limit, for something that another thread
// does after a long sleep.
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace {

std::mutex mutex;
std::condition_variable changed;
bool ready = false;

void wait_until_ready() {
  using namespace std::chrono_literals;
  std::unique_lock lock(mutex);
  while (!ready) changed.wait_for(lock, 100ms);
}

void announce() {
  std::this_thread::sleep_for(std::chrono::hours(2));
  const std::lock_guard lock(mutex);
  ready = true;
  changed.notify_one();
}

}  // namespace

int main() {
  std::thread waiter(wait_until_ready);
  std::thread announcer(announce);
  waiter.join();
  announcer.join();
  return 0;
}
