// notify_one for two waiters: the gate is opened for all, but only one of those that wait is told.
#include <condition_variable>
#include <mutex>
#include <thread>

namespace {

std::mutex mutex;
std::condition_variable opened;
bool is_open = false;

void pass() {
  std::unique_lock lock(mutex);
  while (!is_open) opened.wait(lock);  // <- bug: waits // <- why: waits
}

void open_gate() {
  std::lock_guard guard(mutex);
  is_open = true;
  opened.notify_one();  // <- why: signals
}

}  // namespace

int main() {
  std::thread one(pass);
  std::thread two(pass);
  open_gate();
  one.join();  // <- bug: waits
  two.join();  // <- bug: waits
  return 0;
}
