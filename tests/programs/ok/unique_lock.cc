// std::unique_lock in all its modes: deferred, tried, adopted, released, moved, unlocked and locked
// again.
#include <cassert>
#include <mutex>
#include <thread>
#include <utility>

namespace {

std::mutex mutex;
int counter = 0;

void increment_in_two_steps() {
  std::unique_lock lock(mutex, std::defer_lock);
  assert(!lock.owns_lock());
  lock.lock();
  ++counter;
  lock.unlock();
  lock.lock();
  ++counter;
}

void increment_if_free() {
  std::unique_lock lock(mutex, std::try_to_lock);
  if (!lock) lock.lock();
  std::unique_lock moved = std::move(lock);
  assert(!lock.owns_lock() && moved.owns_lock());
  ++counter;
}

}  // namespace

int main() {
  std::thread one(increment_in_two_steps);
  std::thread two(increment_if_free);
  one.join();
  two.join();
  mutex.lock();
  std::unique_lock adopted(mutex, std::adopt_lock);
  assert(adopted.mutex() == &mutex);
  assert(counter == 3);
  std::mutex* const released = adopted.release();
  released->unlock();
  return 0;
}
