// Two owners and a borrower of one region. The owners keep the two halves of the region equal,
// which the borrower checks; then they hand the region back and forth while nobody borrows it.
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

#include "../components/region.h"
#include "../components/spin.h"
#include "../components/unit_test.h"

namespace gambit {
namespace {

constexpr int transfers = 7;

class RegionTest {
 public:
  explicit RegionTest(RegionBug bug) : region_(bug) {}

  void check() {
    for (int i = 0; i < 2; ++i) {
      region_.borrow();
      assert(left_ == right_);
      region_.give_back();
    }
  }

  void change(int owner) {
    region_.own(owner);
    ++left_;
    ++right_;
    region_.disown(owner);
    log(owner);
  }

  // Two owners call this; the first of them begins.
  void exchange(int me, int other) {
    if (me < other) region_.own(me);
    for (int i = 0; i < transfers; ++i) {
      spin_until([this, me] { return region_.owned_by(me); });
      ++left_;
      log(me);
      ++right_;
      region_.transfer(me, other);
    }
  }

  void finish() {
    assert(left_ == right_);
    assert(left_ == 2 + 2 * transfers);
    assert(log_entries_ == 2 + 2 * transfers);
  }

 private:
  void log(int owner) {
    const std::lock_guard lock(log_mutex_);
    assert(owner == 1 || owner == 2);
    ++log_entries_;
  }

  Region region_;
  std::atomic<int> left_ = 0;
  std::atomic<int> right_ = 0;
  std::mutex log_mutex_;
  int log_entries_ = 0;
};

void test(RegionBug bug) {
  RegionTest region_test(bug);
  std::thread borrower([&] { region_test.check(); });
  std::thread first([&] { region_test.change(1); });
  std::thread second([&] { region_test.change(2); });
  borrower.join();
  first.join();
  second.join();
  std::thread third([&] { region_test.exchange(1, 2); });
  std::thread fourth([&] { region_test.exchange(2, 1); });
  third.join();
  fourth.join();
  region_test.finish();
}

}  // namespace
}  // namespace gambit

int main(int argument_count, char** arguments) {
  using gambit::RegionBug;
  gambit::test(gambit::choose_bug<RegionBug>(argument_count, arguments,
                                             {{"late-borrow", RegionBug::late_borrow}}));
  return 0;
}
