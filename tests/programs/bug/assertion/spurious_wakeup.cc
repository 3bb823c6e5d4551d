// Spurious wake-up: the waiter tests its condition once and trusts the wake-up. Only a wake-up
// without reason shows it.
// options: --spurious
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace {

std::mutex mutex;
std::condition_variable raised;
bool flag = false;

void wait_for_flag() {
  std::unique_lock lock(mutex);
  if (!flag) raised.wait(lock);
  assert(flag);  // <- bug: fails
}

void raise_flag() {
  std::lock_guard guard(mutex);
  flag = true;
  raised.notify_one();
}

}  // namespace

int main() {
  std::thread waiter(wait_for_flag);
  std::thread raiser(raise_flag);
  waiter.join();
  raiser.join();
  return 0;
}
