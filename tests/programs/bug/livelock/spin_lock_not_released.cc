// A hand-made spin lock that is not released on an early return: the thread that finds the account
// empty keeps the lock, and the other spins for ever.
#include <atomic>
#include <thread>

namespace {

std::atomic_flag lock;
int balance = 1;

void withdraw() {
  while (lock.test_and_set()) std::this_thread::yield();  // <- bug: spins // <- why: writes
  if (balance == 0) return;
  --balance;
  lock.clear();
}

void look() {
  while (lock.test_and_set()) std::this_thread::yield();  // <- bug: spins // <- why: reads
  lock.clear();
}

}  // namespace

int main() {
  std::thread one(withdraw);
  std::thread two(look);
  withdraw();
  one.join();  // <- bug: waits
  two.join();  // <- bug: waits
  return 0;
}
