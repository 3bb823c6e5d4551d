// Writing under a read lock: two threads hold a shared mutex as readers, and both write.
#include <cassert>
#include <shared_mutex>
#include <thread>

namespace {

std::shared_mutex mutex;
int hits = 0;

void look_up() {
  std::shared_lock lock(mutex);  // <- why: locks
  ++hits;                        // <- bug: reads, writes // <- why: writes
}

}  // namespace

int main() {
  std::thread one(look_up);
  std::thread two(look_up);
  one.join();
  two.join();
  assert(hits == 1 || hits == 2);
  return 0;
}
