// A mutex made of a futex (0 free, 1 locked, 2 locked with waiters) protects a plain counter.
// Correct: unlock wakes whenever somebody may wait. The bug twin is bug/deadlock/futex_mutex.cc.
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cassert>
#include <thread>

namespace {

class FutexMutex {
 public:
  void lock() {
    int seen = 0;
    if (state_.compare_exchange_strong(seen, 1)) return;
    while (state_.exchange(2) != 0) {
      syscall(SYS_futex, &state_, FUTEX_WAIT_PRIVATE, 2, nullptr, nullptr, 0);
    }
  }
  void unlock() {
    if (state_.exchange(0) == 2) {
      syscall(SYS_futex, &state_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
    }
  }

 private:
  std::atomic<int> state_ = 0;
};

FutexMutex mutex;
int counter = 0;

void increment() {
  mutex.lock();
  ++counter;
  mutex.unlock();
}

}  // namespace

int main() {
  std::thread one(increment);
  std::thread two(increment);
  increment();
  one.join();
  two.join();
  assert(counter == 3);
  return 0;
}
