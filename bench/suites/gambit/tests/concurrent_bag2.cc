// A bag that is never empty: one thread adds an item before another takes the item that was there,
// and a third one, which looks into the bag meanwhile, has to find one of them. Then all three add
// and take.
#include <atomic>
#include <cassert>
#include <optional>
#include <thread>

#include "../components/concurrent_bag.h"
#include "../components/manual_reset_event.h"
#include "../components/unit_test.h"

namespace gambit {
namespace {

constexpr int threads = 3;
constexpr int rounds = 8;

class BagTest {
 public:
  explicit BagTest(ConcurrentBagBug bug) : bag_(threads, bug), added_(ManualResetEventBug::none) {
    bag_.add(1, 1);
  }

  void add() {
    bag_.add(0, 2);
    added_.set();
    churn(0);
  }

  void take_own() {
    added_.wait();
    count(bag_.take(1));
    churn(1);
  }

  void look() {
    const std::optional<int> item = bag_.steal();
    assert(item);
    count(item);
    churn(2);
  }

  void finish() {
    while (const std::optional<int> item = bag_.take(0)) count(item);
    assert(sum_ == 1 + 2 + threads * rounds);
  }

 private:
  void churn(int me) {
    for (int i = 0; i < rounds; ++i) {
      bag_.add(me, 1);
      count(bag_.take(me));
    }
  }

  void count(std::optional<int> item) { sum_ += item.value_or(0); }

  ConcurrentBag bag_;
  ManualResetEvent added_;
  std::atomic<int> sum_ = 0;
};

void test(ConcurrentBagBug bug) {
  BagTest bag_test(bug);
  std::thread one([&] { bag_test.add(); });
  std::thread two([&] { bag_test.take_own(); });
  std::thread three([&] { bag_test.look(); });
  one.join();
  two.join();
  three.join();
  bag_test.finish();
}

}  // namespace
}  // namespace gambit

int main(int argument_count, char** arguments) {
  using gambit::ConcurrentBagBug;
  gambit::test(gambit::choose_bug<ConcurrentBagBug>(
      argument_count, arguments, {{"single-scan", ConcurrentBagBug::single_scan}}));
  return 0;
}
