// Several tasks post to one gather; its handler must see every item. The handler then posts the
// total to a port on which several receivers wait.
#include <algorithm>
#include <atomic>
#include <cassert>
#include <numeric>
#include <vector>

#include "../components/dispatcher.h"
#include "../components/gather.h"
#include "../components/port.h"
#include "../components/spin.h"
#include "../components/unit_test.h"

namespace gambit {
namespace {

constexpr int posters = 4;
constexpr int receivers = 4;

void test(GatherBug bug) {
  Dispatcher dispatcher(2);
  Port<int> totals(dispatcher);
  std::atomic<int> received = 0;
  Gather gather(posters, bug, [&totals](const std::vector<int>& items) {
    assert(std::count(items.begin(), items.end(), 0) == 0);
    for (int i = 0; i < receivers; ++i) {
      totals.post(std::accumulate(items.begin(), items.end(), 0));
    }
  });
  for (int i = 0; i < receivers; ++i) {
    totals.receive([&received](int total) {
      assert(total == 1 + 2 + 3 + 4);
      ++received;
    });
  }
  for (int i = 1; i <= posters; ++i) dispatcher.post([&gather, i] { gather.post(i); });
  spin_until([&received] { return received == receivers; });
  dispatcher.shut_down();
}

}  // namespace
}  // namespace gambit

int main(int argument_count, char** arguments) {
  using gambit::GatherBug;
  gambit::test(gambit::choose_bug<GatherBug>(
      argument_count, arguments, {{"count-before-store", GatherBug::count_before_store}}));
  return 0;
}
