// Counting under a read lock, fixed: what readers change is atomic. The bug twin is
// bug/data-race/write_under_read_lock.cc.
#include <atomic>
#include <cassert>
#include <shared_mutex>
#include <thread>

namespace {

std::shared_mutex mutex;
std::atomic<int> hits = 0;

void look_up() {
  std::shared_lock lock(mutex);
  ++hits;
}

}  // namespace

int main() {
  std::thread one(look_up);
  std::thread two(look_up);
  one.join();
  two.join();
  assert(hits == 2);
  return 0;
}
