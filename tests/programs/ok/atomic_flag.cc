// std::atomic_flag: as a spin lock for a plain counter, and as a signal with wait and notify.
#include <atomic>
#include <cassert>
#include <thread>

namespace {

std::atomic_flag lock;
std::atomic_flag done;
int counter = 0;

void increment() {
  while (lock.test_and_set(std::memory_order_acquire)) std::this_thread::yield();
  ++counter;
  lock.clear(std::memory_order_release);
}

void increment_and_signal() {
  increment();
  done.test_and_set();
  done.notify_one();
}

}  // namespace

int main() {
  std::thread other(increment_and_signal);
  increment();
  done.wait(false);
  assert(done.test());
  assert(counter == 2);
  other.join();
  return 0;
}
