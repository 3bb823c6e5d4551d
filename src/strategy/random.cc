// Uniform random scheduling: at every choice each option has the same probability, but for
// those of which there is a budget, which have their moments (strategy/rare_moments.h), and, if it
// is wished, what is slow (strategy/slow_parts.h).
#include "base/random.h"

#include "strategy/kept.h"
#include "strategy/rare_moments.h"
#include "strategy/registry.h"
#include "strategy/slow_parts.h"

namespace ricercar::inline strategy {
namespace {

// An execution depends on the seed and its own number only, so that each can be made again without
// the ones before it.
class RandomStrategy final
    : public Kept<RandomStrategy, StrategyWith<CanRestart, IgnoresOperations, Samples, CanBeKept>> {
 public:
  RandomStrategy(std::uint64_t seed, const std::optional<SlowParts>& slow)
      : base_(mix64(seed)), random_(base_), moments_(slow) {}

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(moments_, executions_);
  }

  bool begin() override {
    random_ = Random(base_ + executions_++);
    moments_.begin();
    return true;
  }

  std::size_t choose(const ChoicePoint& point) override {
    if (point.kind == ChoiceKind::value) return moments_.target(point, random_);
    const std::uint32_t rare = moments_.drawn(point, random_);
    if (rare != RareMoments::none) return rare;
    const bool are_alike = point.places.empty() && point.fault.option == FaultOption::none &&
                           point.early.tasks == nullptr;
    return are_alike ? random_.below(point.options.size()) : moments_.any_available(point, random_);
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
  std::optional<SlowParts> slow;
  if (parameters.flag("slow")) slow.emplace();
  return std::make_unique<RandomStrategy>(parameters.seed, slow);
}

}  // namespace ricercar::inline strategy
