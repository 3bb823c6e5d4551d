// Uniform random scheduling: at every choice each option has the same probability, but for
// those of which there is a budget, which have their moments (strategy/rare_moments.h).
#include "base/random.h"

#include "strategy/rare_moments.h"
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
    moments_.begin();
    return true;
  }

  std::size_t choose(const ChoicePoint& point) override {
    if (point.kind == ChoiceKind::value) return random_.below(point.options.size());
    const std::uint32_t rare = moments_.drawn(point, random_);
    if (rare != RareMoments::none) return rare;
    const bool has_rare = point.fault.option != FaultOption::none || point.early.tasks != nullptr;
    return has_rare ? any_common(point, random_) : random_.below(point.options.size());
  }

  void end(Trace, const Outcome&) override { moments_.end(); }
  void restart() override {}

  Coverage coverage() const override {
    return {false, "random executions: " + std::to_string(executions_) + ", no promise"};
  }

 private:
  const std::uint64_t base_;
  Random random_;
  RareMoments moments_;
  std::uint64_t executions_ = 0;
};

}  // namespace

std::unique_ptr<Strategy> make_random(const Parameters& parameters) {
  return std::make_unique<RandomStrategy>(parameters.seed);
}

}  // namespace ricercar::inline strategy
