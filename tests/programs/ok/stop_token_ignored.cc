// A stop callback takes the mutex and notifies the plain condition variable that the worker waits
// in. The bug twin is bug/deadlock/stop_token_ignored.cc.
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

namespace {

std::mutex mutex;
std::condition_variable changed;

void wake_all() {
  std::lock_guard guard(mutex);
  changed.notify_all();
}

void work(std::stop_token token) {
  std::stop_callback wake(token, wake_all);
  std::unique_lock lock(mutex);
  while (!token.stop_requested()) changed.wait(lock);
}

}  // namespace

int main() {
  std::jthread worker(work);
  return 0;
}
