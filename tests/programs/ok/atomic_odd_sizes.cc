// Atomics of all sizes that no instruction handles, and of 16 bytes: two threads add to one by
// compare-exchange. Correct: nothing is lost. Which size it is, the search chooses. The bug twin is
// bug/assertion/atomic_odd_sizes.cc.
// libraries: -latomic
#include <ricercar/ricercar.h>

#include <array>
#include <atomic>
#include <cassert>
#include <iterator>
#include <thread>

namespace {

template <std::size_t size>
struct Bytes {
  std::array<char, size> value = {};
  bool operator==(const Bytes&) const = default;
};

template <std::size_t size>
void check() {
  using Value = Bytes<size>;
  std::atomic<Value> sum = Value{};
  const auto add = [&sum] {
    Value before = sum.load();
    Value after;
    do {
      after = before;
      ++after.value[0];
      ++after.value[size - 1];
    } while (!sum.compare_exchange_weak(before, after));
  };
  std::thread other(add);
  add();
  other.join();
  const Value result = sum.exchange(Value{});
  assert(result.value[0] == 2 && result.value[size - 1] == 2);
  sum.store(result, std::memory_order_release);
  assert(sum.load(std::memory_order_acquire) == result);
}

}  // namespace

int main() {
  using Check = void (*)();
  constexpr Check checks[] = {check<3>,  check<5>,  check<6>,  check<7>,  check<9>,
                              check<12>, check<15>, check<16>, check<24>, check<300>};
  checks[ricercar::choose(std::size(checks))]();
  return 0;
}
