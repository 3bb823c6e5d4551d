// Lost wake-up, fixed: the setter raises the flag under the mutex, so it cannot fall between the
// waiter's test and its wait. The bug twin is bug/deadlock/lost_wakeup.cc.
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace {

std::mutex mutex;
std::condition_variable raised;
bool flag = false;

void wait() {
  std::unique_lock lock(mutex);
  while (!flag) raised.wait(lock);
  assert(flag);
}

void set() {
  {
    std::lock_guard guard(mutex);
    flag = true;
  }
  raised.notify_one();
}

}  // namespace

int main() {
  std::thread waiter(wait);
  std::thread setter(set);
  waiter.join();
  setter.join();
  return 0;
}
