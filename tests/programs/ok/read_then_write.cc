// The reader gives its lock back before it asks for the write lock. The bug twin is
// bug/deadlock/read_then_write.cc.
#include <cassert>
#include <mutex>
#include <shared_mutex>
#include <thread>

namespace {

std::shared_mutex mutex;
int entry = 0;

void insert() {
  std::unique_lock lock(mutex);
  entry = 42;
}

void look_up() {
  {
    std::shared_lock lock(mutex);
    if (entry == 42) return;
  }
  insert();
}

}  // namespace

int main() {
  std::thread writer(insert);
  std::thread reader(look_up);
  writer.join();
  reader.join();
  assert(entry == 42);
  return 0;
}
