// A mutex made of a futex that forgets waiters: a thread that gets the lock after waiting marks it
// as locked without waiters, so its unlock wakes nobody and a third thread sleeps for ever.
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <thread>

namespace {

class FutexMutex {
 public:
  void lock() {
    int seen = 0;
    while (!state_.compare_exchange_strong(seen, 1)) {
      if (seen == 2 || state_.compare_exchange_strong(seen, 2)) {
        syscall(SYS_futex, &state_, FUTEX_WAIT_PRIVATE, 2, nullptr, nullptr, 0);  // <- bug: waits
      }
      seen = 0;
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
  one.join();  // <- bug: waits
  two.join();  // <- bug: waits
  return 0;
}
