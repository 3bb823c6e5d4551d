// Uniform random scheduling: at every choice each option has the same probability, but for the one
// that lets something go wrong, which has it over the whole execution.
#include "base/random.h"

#include "strategy/fault_moments.h"
#include "strategy/registry.h"

namespace ricercar::inline strategy {
namespace {

// An execution depends on the seed and its own number only, so that each can be made again without
// the ones before it.
class RandomStrategy final : public StrategyWith<CanRestart, IgnoresOperations> {
 public:
  explicit RandomStrategy(std::uint64_t seed) : base_(mix64(seed)), random_(base_) {}

  bool begin() override {
    random_ = Random(base_ + executions_++);
    faults_.begin();
    return true;
  }

  std::size_t choose(const ChoicePoint& point) override {
    const std::uint32_t fault = point.fault.option;
    if (point.kind == ChoiceKind::schedule && faults_.is_now(point, random_)) return fault;
    if (fault != FaultOption::none) return any_but(fault, point.options.size(), random_);
    return random_.below(point.options.size());
  }

  void end(Trace, const Outcome&) override { faults_.end(); }
  void restart() override {}

  Coverage coverage() const override {
    return {false, "random executions: " + std::to_string(executions_) + ", no promise"};
  }

 private:
  const std::uint64_t base_;
  Random random_;
  FaultMoments faults_;
  std::uint64_t executions_ = 0;
};

}  // namespace

std::unique_ptr<Strategy> make_random(const Parameters& parameters) {
  return std::make_unique<RandomStrategy>(parameters.seed);
}

}  // namespace ricercar::inline strategy
