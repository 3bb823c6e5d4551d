// Ignored try_lock: the result is not looked at, and the mutex is unlocked even if another thread
// holds it or has just released it.
#include <mutex>
#include <thread>

namespace {

std::mutex mutex;

void work() {
  const bool locked = mutex.try_lock();  // <- why: locks
  static_cast<void>(locked);
  mutex.unlock();  // <- bug: fails // <- why: fails
}

}  // namespace

int main() {
  std::thread one(work);
  std::thread two(work);
  one.join();
  two.join();
  return 0;
}
