// std::recursive_mutex: a locked function calls itself and another locked function; another thread
// comes in only when the outermost lock is released.
#include <cassert>
#include <mutex>
#include <thread>

namespace {

std::recursive_mutex mutex;
int counter = 0;

void increment(int depth) {
  std::lock_guard guard(mutex);
  const int before = counter;
  if (depth > 1) increment(depth - 1);
  assert(counter == before + depth - 1);
  ++counter;
}

}  // namespace

int main() {
  std::thread one(increment, 2);
  std::thread two(increment, 2);
  one.join();
  two.join();
  assert(counter == 4);
  const bool locked = mutex.try_lock();
  assert(locked);
  mutex.unlock();
  return 0;
}
