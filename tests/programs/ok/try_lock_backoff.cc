// Try-lock with back-off, fixed: both threads start with the same mutex, so whoever holds it gets
// the second one too. The bug twin is bug/livelock/try_lock_backoff.cc.
#include <cassert>
#include <mutex>
#include <thread>

namespace {

std::mutex a;
std::mutex b;
int shared = 0;

void lock_both() {
  while (true) {
    std::lock_guard guard(a);
    if (b.try_lock()) {
      ++shared;
      b.unlock();
      return;
    }
  }
}

}  // namespace

int main() {
  std::thread one(lock_both);
  std::thread two(lock_both);
  one.join();
  two.join();
  assert(shared == 2);
  return 0;
}
