// Three threads fill a bag and then take more than they have put into it, from their own lists
// first: every item comes out once.
#include <array>
#include <atomic>
#include <cassert>
#include <optional>
#include <thread>

#include "../components/concurrent_bag.h"
#include "../components/unit_test.h"

namespace gambit {
namespace {

constexpr int threads = 3;
constexpr int items_each = 12;
constexpr int takes_each = 18;

class BagTest {
 public:
  explicit BagTest(ConcurrentBagBug bug) : bag_(threads, bug) {}

  void fill_and_empty(int me) {
    for (int i = 0; i < items_each; ++i) bag_.add(me, me * items_each + i);
    for (int i = 0; i < takes_each; ++i) take(me);
  }

  // The last thread that is left.
  void finish() {
    while (take(0)) {
    }
    for (const std::atomic<bool>& taken : taken_) assert(taken);
  }

 private:
  bool take(int me) {
    const std::optional<int> item = bag_.take(me);
    if (!item) return false;
    const bool taken_before = taken_[*item].exchange(true);
    assert(!taken_before);
    return true;
  }

  ConcurrentBag bag_;
  std::array<std::atomic<bool>, threads* items_each> taken_ = {};
};

void test(ConcurrentBagBug bug) {
  BagTest bag_test(bug);
  std::thread one([&] { bag_test.fill_and_empty(0); });
  std::thread two([&] { bag_test.fill_and_empty(1); });
  std::thread three([&] { bag_test.fill_and_empty(2); });
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
      argument_count, arguments, {{"early-head", ConcurrentBagBug::early_head}}));
  return 0;
}
