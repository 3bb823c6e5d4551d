// Three participants of a barrier: the action after the first phase adds up what they have brought,
// and every one of them reads the sum. In the phases that follow they look at one another only.
#include <array>
#include <atomic>
#include <cassert>
#include <thread>

#include "../components/phase_barrier.h"
#include "../components/unit_test.h"

namespace gambit {
namespace {

constexpr int participants = 3;
constexpr int phases = 6;

class BarrierTest {
 public:
  explicit BarrierTest(PhaseBarrierBug bug)
      : barrier_(participants, bug, [this](int phase) {
          if (phase == 0) add_up();
        }) {}

  void participate(int me) {
    phase_of_[me] = 1;
    barrier_.signal_and_wait();
    assert(sum_ == participants);
    for (int phase = 2; phase <= phases; ++phase) {
      phase_of_[me] = phase;
      barrier_.signal_and_wait();
      const int neighbour = (me + 1) % participants;
      assert(phase_of_[neighbour] >= phase);
    }
  }

 private:
  void add_up() {
    for (const std::atomic<int>& phase : phase_of_) sum_ += phase;
  }

  PhaseBarrier barrier_;
  std::array<std::atomic<int>, participants> phase_of_ = {};
  std::atomic<int> sum_ = 0;
};

void test(PhaseBarrierBug bug) {
  BarrierTest barrier_test(bug);
  std::thread one([&] { barrier_test.participate(0); });
  std::thread two([&] { barrier_test.participate(1); });
  std::thread three([&] { barrier_test.participate(2); });
  one.join();
  two.join();
  three.join();
}

}  // namespace
}  // namespace gambit

int main(int argument_count, char** arguments) {
  using gambit::PhaseBarrierBug;
  gambit::test(gambit::choose_bug<PhaseBarrierBug>(
      argument_count, arguments,
      {{"release-before-action", PhaseBarrierBug::release_before_action}}));
  return 0;
}
