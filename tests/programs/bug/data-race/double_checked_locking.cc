// Double-checked locking with a plain pointer: the first test reads the pointer without the lock,
// while another thread may be writing it.
#include <mutex>
#include <thread>

namespace {

struct Singleton {
  int value = 42;
};

std::mutex mutex;
Singleton storage;
Singleton* instance = nullptr;

Singleton* get() {
  if (instance == nullptr) {                       // <- bug: reads // <- why: reads
    std::lock_guard guard(mutex);                  // <- why: locks
    if (instance == nullptr) instance = &storage;  // <- bug: writes // <- why: writes
  }
  return instance;  // <- bug: reads
}

}  // namespace

int main() {
  std::thread one(get);
  std::thread two(get);
  one.join();
  two.join();
  return 0;
}
