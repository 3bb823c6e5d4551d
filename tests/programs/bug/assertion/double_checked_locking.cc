// Double-checked locking: the pointer is published before the object is filled in. A second thread
// that takes the fast path in between reads an empty object.
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

namespace {

struct Singleton {
  std::atomic<int> value = 0;
};

std::mutex mutex;
Singleton storage;
std::atomic<Singleton*> instance = nullptr;

Singleton& get() {
  if (instance == nullptr) {
    std::lock_guard guard(mutex);
    if (instance == nullptr) {
      instance = &storage;  // <- why: writes
      storage.value = 42;
    }
  }
  return *instance;  // <- why: reads
}

void use() { assert(get().value == 42); }  // <- bug: fails // <- why: reads

}  // namespace

int main() {
  std::thread one(use);
  std::thread two(use);
  one.join();
  two.join();
  return 0;
}
