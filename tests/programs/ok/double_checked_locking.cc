// Double-checked locking, fixed: the object is filled in before its pointer is published with
// release and read with acquire. The bug twins are bug/assertion/double_checked_locking.cc and
// bug/data-race/double_checked_locking.cc.
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

namespace {

struct Singleton {
  int value = 0;
};

std::mutex mutex;
Singleton storage;
std::atomic<Singleton*> instance = nullptr;

Singleton& get() {
  Singleton* seen = instance.load(std::memory_order_acquire);
  if (seen == nullptr) {
    std::lock_guard guard(mutex);
    seen = instance.load(std::memory_order_relaxed);
    if (seen == nullptr) {
      storage.value = 42;
      seen = &storage;
      instance.store(seen, std::memory_order_release);
    }
  }
  return *seen;
}

void use() { assert(get().value == 42); }

}  // namespace

int main() {
  std::thread one(use);
  std::thread two(use);
  one.join();
  two.join();
  return 0;
}
