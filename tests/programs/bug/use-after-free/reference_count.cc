// Hand-made reference count: the decrement and the test for zero are separate. If both owners
// decrement before either tests, both see zero, and the object is read after it was freed or freed
// twice.
// options: --no-races
#include <atomic>
#include <thread>

namespace {

struct Counted {
  std::atomic<int> references = 2;
  int value = 42;
};

void release(Counted* object) {
  object->references.store(object->references.load() - 1);  // <- bug: reads, writes
  if (object->references.load() == 0) delete object;        // <- bug: reads, frees
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
