// Race against a free, fixed: release and acquire order the read before the delete. The bug twin is
// bug/data-race/against_free.cc.
#include <atomic>
#include <cassert>
#include <thread>

namespace {

std::atomic<bool> done = false;

void read_object(const int* object) {
  assert(*object == 42);
  done.store(true, std::memory_order_release);
}

}  // namespace

int main() {
  int* const object = new int(42);
  std::thread reader(read_object, object);
  const bool may_delete = done.load(std::memory_order_acquire);
  if (may_delete) delete object;
  reader.join();
  if (!may_delete) delete object;
  return 0;
}
