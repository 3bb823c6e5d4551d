// Partial order sampling: the next step of every task has a random priority, and the highest one
// runs. It gives new priorities to the task that ran and to all tasks whose next step it races
// with. (X. Yuan, J. Yang, R. Gu, Partial Order Aware Concurrency Sampling, CAV 2018.)
//
// Departure from the paper: steps that were not decided, because one task alone could go on, count
// like those that were, so nothing is known of races with what happens inside of them.
#include "base/random.h"
#include "strategy/block_sampler.h"
#include "strategy/kept.h"
#include "strategy/rare_moments.h"
#include "strategy/registry.h"
#include "strategy/step_priorities.h"

namespace ricercar::inline strategy {
namespace {

class PosStrategy final : public Kept<PosStrategy, BlockSampler<RareMoments>> {
 public:
  explicit PosStrategy(std::uint64_t seed) : base_(mix64(seed)), random_(base_) {}

  std::size_t choose(const ChoicePoint& point) override {
    if (point.kind == ChoiceKind::value) return learned_.target(point, random_);
    priorities_.follow(point);
    const std::uint32_t rare = learned_.drawn(point, random_);
    return rare != RareMoments::none ? rare : priorities_.highest(point, random_);
  }

  Coverage coverage() const override {
    return {false, "random executions: " + std::to_string(executions()) + ", no promise"};
  }

 private:
  void begin_sample(std::uint64_t number) override {
    random_ = Random(base_ + number);
    priorities_.begin();
    learned_.begin();
  }
  void end_sample(Trace) override { learned_.end(); }

  const std::uint64_t base_;
  Random random_;
  StepPriorities priorities_;
};

}  // namespace

std::unique_ptr<Strategy> make_pos(const Parameters& parameters) {
  return std::make_unique<PosStrategy>(parameters.seed);
}

}  // namespace ricercar::inline strategy
