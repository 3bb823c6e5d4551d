// The result of try_lock decides whether the mutex is unlocked. The bug twin is
// bug/lock-misuse/ignored_try_lock.cc.
#include <cassert>
#include <mutex>
#include <thread>

namespace {

std::mutex mutex;
int successes = 0;

void work() {
  if (!mutex.try_lock()) return;
  ++successes;
  mutex.unlock();
}

}  // namespace

int main() {
  std::thread one(work);
  std::thread two(work);
  one.join();
  two.join();
  assert(successes == 1 || successes == 2);
  return 0;
}
