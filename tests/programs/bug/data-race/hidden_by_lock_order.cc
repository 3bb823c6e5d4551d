// A race that a lock hides: one thread writes before its critical section, the other after its own.
// If the sections come in that order, the lock orders the writes by chance; in the other order they
// race.
#include <cassert>
#include <mutex>
#include <thread>

namespace {

std::mutex mutex;
int value = 0;
int sections = 0;

void write_and_lock() {
  value = 1;  // <- bug: writes
  std::lock_guard guard(mutex);
  ++sections;
}

void lock_and_write() {
  {
    std::lock_guard guard(mutex);
    ++sections;
  }
  value = 2;  // <- bug: writes
}

}  // namespace

int main() {
  std::thread one(write_and_lock);
  std::thread two(lock_and_write);
  one.join();
  two.join();
  assert(value == 1 || value == 2);
  assert(sections == 2);
  return 0;
}
