// Hand-made reference count, fixed: the decrement returns the count that it left, so exactly one
// owner sees zero. The bug twin is bug/use-after-free/reference_count.cc.
#include <atomic>
#include <cassert>
#include <thread>

namespace {

struct Counted {
  std::atomic<int> references = 2;
  int value = 42;
};

void release(Counted* object) {
  assert(object->value == 42);
  if (object->references.fetch_sub(1, std::memory_order_acq_rel) == 1) delete object;
}

}  // namespace

int main() {
  Counted* const object = new Counted;
  std::thread one(release, object);
  std::thread two(release, object);
  one.join();
  two.join();
  return 0;
}
