// A hand-made spin lock that is released on every path. The bug twin is
// bug/livelock/spin_lock_not_released.cc.
#include <atomic>
#include <cassert>
#include <thread>

namespace {

std::atomic_flag lock;
int balance = 1;

void withdraw() {
  while (lock.test_and_set()) std::this_thread::yield();
  if (balance > 0) --balance;
  lock.clear();
}

void look() {
  while (lock.test_and_set()) std::this_thread::yield();
  lock.clear();
}

}  // namespace

int main() {
  std::thread one(withdraw);
  std::thread two(look);
  withdraw();
  one.join();
  two.join();
  assert(balance == 0);
  return 0;
}
