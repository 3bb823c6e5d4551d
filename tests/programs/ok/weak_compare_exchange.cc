// Weak compare-exchange in a loop: a failure without reason only costs another round. The bug twin
// is bug/assertion/weak_compare_exchange.cc.
// options: --weak-failures
#include <atomic>
#include <cassert>
#include <thread>

namespace {

std::atomic<int> counter = 0;

void increment() {
  int seen = counter.load();
  while (!counter.compare_exchange_weak(seen, seen + 1)) {
  }
}

}  // namespace

int main() {
  std::thread one(increment);
  std::thread two(increment);
  one.join();
  two.join();
  assert(counter == 2);
  return 0;
}
