// Stale pointer: a user looks an object up in one critical section and uses it in the next; if the
// owner deletes it in between, the user reads freed memory. Every access is locked, so nothing
// races.
#include <cassert>
#include <mutex>
#include <thread>

namespace {

struct Object {
  int value = 42;
};

std::mutex mutex;
Object* current = nullptr;

Object* look_up() {
  std::lock_guard guard(mutex);
  return current;  // <- why: reads
}  // <- why: unlocks

void use() {
  Object* const object = look_up();
  if (object == nullptr) return;
  std::lock_guard guard(mutex);
  ++object->value;  // <- bug: reads, writes
}

void remove() {
  std::lock_guard guard(mutex);
  delete current;  // <- bug: frees // <- why: frees
  current = nullptr;
}

}  // namespace

int main() {
  current = new Object;
  std::thread user(use);
  std::thread owner([] { remove(); });
  user.join();
  owner.join();
  return 0;
}
