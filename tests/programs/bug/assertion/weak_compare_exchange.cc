// Weak compare-exchange without a loop: it may fail although the value is the expected one, and
// nobody else wants the lock.
// options: --weak-failures
// only: gcc (clang's instrumentation does not tell weak from strong)
#include <atomic>
#include <cassert>
#include <thread>

namespace {

std::atomic<int> owner = 0;

void take() {
  int expected = 0;
  const bool taken = owner.compare_exchange_weak(expected, 1);
  assert(taken);  // <- bug: fails
}

}  // namespace

int main() {
  std::thread taker(take);
  taker.join();
  assert(owner == 1);
  return 0;
}
