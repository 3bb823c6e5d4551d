// One thread puts a set of items on a port without a lock, two receivers take them from it for one
// gather; every item has to arrive, and only once.
#include <algorithm>
#include <atomic>
#include <cassert>
#include <optional>
#include <thread>
#include <vector>

#include "../components/gather.h"
#include "../components/ring_port.h"
#include "../components/spin.h"
#include "../components/unit_test.h"

namespace gambit {
namespace {

constexpr int item_count = 8;

using Ring = RingPort<2>;

class GatherPost {
 public:
  explicit GatherPost(RingPortBug bug)
      : ring_(bug), gather_(item_count, GatherBug::none, [](const std::vector<int>& items) {
          expect_all(items);
        }) {}

  void post_all() {
    for (int item = 1; item <= item_count; ++item) {
      spin_until([this, item] { return ring_.enqueue(item); });
    }
  }

  void receive() {
    while (taken_ < item_count) {
      if (const std::optional<int> item = ring_.try_dequeue()) {
        ++taken_;
        gather_.post(*item);
      } else {
        std::this_thread::yield();
      }
    }
  }

 private:
  static void expect_all(std::vector<int> items) {
    std::sort(items.begin(), items.end());
    for (int i = 0; i < item_count; ++i) assert(items[i] == i + 1);
  }

  Ring ring_;
  Gather gather_;
  std::atomic<int> taken_ = 0;
};

void test(RingPortBug bug) {
  GatherPost gather_post(bug);
  std::thread one([&] { gather_post.receive(); });
  std::thread two([&] { gather_post.receive(); });
  gather_post.post_all();
  one.join();
  two.join();
}

}  // namespace
}  // namespace gambit

int main(int argument_count, char** arguments) {
  using gambit::RingPortBug;
  gambit::test(gambit::choose_bug<RingPortBug>(
      argument_count, arguments, {{"wrapped-position", RingPortBug::wrapped_position}}));
  return 0;
}
