// Lazy: under one mutex two threads add 1 and 2 to a sum, and a checker fails if both additions
// came before it.
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
  assert(sum < 3);  // <- bug: fails
}

}  // namespace

int main() {
  std::thread one(add, 1);
  std::thread two(add, 2);
  std::thread checker(check);
  one.join();
  two.join();
  checker.join();
  return 0;
}
