// Two participants go through the phases of a barrier; a third one joins for a while and must know
// which phase it is in.
#include <cassert>
#include <thread>

#include "../components/dynamic_barrier.h"
#include "../components/unit_test.h"

namespace gambit {
namespace {

constexpr int phases = 6;
constexpr int visits = 2;

void participate(DynamicBarrier& barrier) {
  for (int phase = 0; phase < phases; ++phase) {
    barrier.signal_and_wait();
    assert(barrier.phase() > phase);
  }
  barrier.remove_participant();
}

void visit(DynamicBarrier& barrier) {
  for (int i = 0; i < visits; ++i) {
    const int phase = barrier.add_participant();
    barrier.signal_and_wait();
    // Nobody can complete another phase without the visitor.
    assert(barrier.phase() == phase + 1);
    barrier.remove_participant();
  }
}

void test(DynamicBarrierBug bug) {
  DynamicBarrier barrier(2, bug);
  std::thread one([&] { participate(barrier); });
  std::thread two([&] { participate(barrier); });
  std::thread visitor([&] { visit(barrier); });
  one.join();
  two.join();
  visitor.join();
}

}  // namespace
}  // namespace gambit

int main(int argument_count, char** arguments) {
  using gambit::DynamicBarrierBug;
  gambit::test(gambit::choose_bug<DynamicBarrierBug>(
      argument_count, arguments, {{"stale-phase", DynamicBarrierBug::stale_phase}}));
  return 0;
}
