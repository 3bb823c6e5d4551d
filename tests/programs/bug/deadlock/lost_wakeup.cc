// Lost wake-up: the setter raises the flag and notifies without the mutex; if that happens between
// the waiter's test of the flag and its wait, nobody will ever wake it.
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace {

std::mutex mutex;
std::condition_variable raised;
std::atomic<bool> flag = false;

void wait() {
  std::unique_lock lock(mutex);
  while (!flag) raised.wait(lock);  // <- bug: waits // <- why: reads, waits
}

void set() {
  flag = true;          // <- why: writes
  raised.notify_one();  // <- why: signals
}

}  // namespace

int main() {
  std::thread waiter(wait);
  std::thread setter(set);
  waiter.join();  // <- bug: waits
  setter.join();
  return 0;
}
