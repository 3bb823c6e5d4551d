// std::shared_ptr and std::weak_ptr: each thread has its own copy of the pointer; the last owner
// deletes the object, exactly once, and a weak pointer either locks it alive or finds it gone.
#include <atomic>
#include <cassert>
#include <memory>
#include <thread>
#include <utility>

namespace {

std::atomic<int> destructions = 0;

struct Object {
  ~Object() { ++destructions; }
  int value = 42;
};

void use(std::shared_ptr<Object> object) { assert(object->value == 42); }

void look(std::weak_ptr<Object> weak) {
  const std::shared_ptr<Object> object = weak.lock();
  if (object) assert(object->value == 42);
}

}  // namespace

int main() {
  auto object = std::make_shared<Object>();
  const std::weak_ptr<Object> weak = object;
  std::thread owner(use, std::move(object));
  std::thread observer(look, weak);
  owner.join();
  observer.join();
  assert(weak.expired());
  assert(destructions == 1);
  return 0;
}
