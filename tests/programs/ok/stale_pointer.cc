// The user shares the ownership of the object that it looked up. The bug twin is
// bug/use-after-free/stale_pointer.cc.
#include <cassert>
#include <memory>
#include <mutex>
#include <thread>

namespace {

struct Object {
  int value = 42;
};

std::mutex mutex;
std::shared_ptr<Object> current;

std::shared_ptr<Object> look_up() {
  std::lock_guard guard(mutex);
  return current;
}

void use() {
  const std::shared_ptr<Object> object = look_up();
  if (object == nullptr) return;
  std::lock_guard guard(mutex);
  ++object->value;
  assert(object->value == 43);
}

void remove() {
  std::lock_guard guard(mutex);
  current.reset();
}

}  // namespace

int main() {
  current = std::make_shared<Object>();
  std::thread user(use);
  std::thread owner([] { remove(); });
  user.join();
  owner.join();
  return 0;
}
