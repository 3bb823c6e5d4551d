// abort would be called if the closer came before the opener, but it waits. The bug twin is
// bug/crash/abort_on_bad_order.cc.
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <thread>

namespace {

std::mutex mutex;
std::condition_variable changed;
bool opened = false;

void open_door() {
  std::lock_guard guard(mutex);
  opened = true;
  changed.notify_one();
}

void close_door() {
  std::unique_lock lock(mutex);
  changed.wait(lock, [] { return opened; });
  if (!opened) std::abort();
  opened = false;
}

}  // namespace

int main() {
  std::thread opener(open_door);
  std::thread closer(close_door);
  opener.join();
  closer.join();
  return 0;
}
