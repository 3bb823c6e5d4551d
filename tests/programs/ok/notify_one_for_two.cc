// The gate is opened for all, and all that wait are told. The bug twin is
// bug/deadlock/notify_one_for_two.cc.
#include <condition_variable>
#include <mutex>
#include <thread>

namespace {

std::mutex mutex;
std::condition_variable opened;
bool is_open = false;

void pass() {
  std::unique_lock lock(mutex);
  while (!is_open) opened.wait(lock);
}

void open_gate() {
  std::lock_guard guard(mutex);
  is_open = true;
  opened.notify_all();
}

}  // namespace

int main() {
  std::thread one(pass);
  std::thread two(pass);
  open_gate();
  one.join();
  two.join();
  return 0;
}
