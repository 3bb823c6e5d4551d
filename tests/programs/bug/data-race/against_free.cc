// Race against a free: the reader announces with a relaxed store that it is done, and the owner
// deletes the object. The read always comes first, but nothing orders it before the delete.
#include <atomic>
#include <cassert>
#include <thread>

namespace {

std::atomic<bool> done = false;

void read_object(const int* object) {
  assert(*object == 42);                        // <- bug: reads // <- why: reads
  done.store(true, std::memory_order_relaxed);  // <- why: stores
}

}  // namespace

int main() {
  int* const object = new int(42);
  std::thread reader(read_object, object);
  const bool may_delete = done.load(std::memory_order_relaxed);  // <- why: loads
  if (may_delete) delete object;                                 // <- bug: frees // <- why: frees
  reader.join();
  if (!may_delete) delete object;
  return 0;
}
