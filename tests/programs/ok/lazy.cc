// Lazy, fixed: the checker accepts every sum that the two additions can make. The bug twin is
// bug/assertion/lazy.cc.
#include <cassert>
#include <mutex>
#include <thread>

namespace {

std::mutex mutex;
int sum = 0;

void add(int amount) {
  std::lock_guard guard(mutex);
  sum += amount;
}

void check() {
  std::lock_guard guard(mutex);
  assert(sum >= 0 && sum <= 3);
}

}  // namespace

int main() {
  std::thread one(add, 1);
  std::thread two(add, 2);
  std::thread checker(check);
  one.join();
  two.join();
  checker.join();
  assert(sum == 3);
  return 0;
}
