// Uniform random scheduling: at every choice each option has the same probability, but for
// those of which there is a budget, which have their moments (strategy/rare_moments.h), and, if it
// is wished, what is slow (strategy/slow_parts.h).
#include "base/random.h"

#include "strategy/block_sampler.h"
#include "strategy/kept.h"
#include "strategy/rare_moments.h"
#include "strategy/registry.h"
#include "strategy/slow_parts.h"

namespace ricercar::inline strategy {
namespace {

// An execution depends on the seed and its own number only, so that each can be made again without
// the ones before it.
class RandomStrategy final
    : public Kept<RandomStrategy, BlockSampler<RareMoments, IgnoresOperations>> {
 public:
  RandomStrategy(std::uint64_t seed, const std::optional<SlowParts>& slow)
      : base_(mix64(seed)), random_(base_) {
    learned_ = RareMoments(slow);
    // What is slow is learned on the way, and not passed on.
    if (slow) capabilities_.remove<HasPieces>();
  }

  std::size_t choose(const ChoicePoint& point) override {
    if (point.kind == ChoiceKind::value) return learned_.target(point, random_);
    const std::uint32_t rare = learned_.drawn(point, random_);
    if (rare != RareMoments::none) return rare;
    const bool are_alike = point.places.empty() && point.fault.option == FaultOption::none &&
                           point.early.tasks == nullptr;
    return are_alike ? random_.below(point.options.size()) : learned_.any_available(point, random_);
  }

  Coverage coverage() const override {
    return {false, "random executions: " + std::to_string(executions()) + ", no promise"};
  }

 private:
  void begin_sample(std::uint64_t number) override {
    random_ = Random(base_ + number);
    learned_.begin();
  }
  void end_sample(Trace) override { learned_.end(); }

  const std::uint64_t base_;
  Random random_;
};

}  // namespace

std::unique_ptr<Strategy> make_random(const Parameters& parameters) {
  std::optional<SlowParts> slow;
  if (parameters.flag("slow")) slow.emplace();
  return std::make_unique<RandomStrategy>(parameters.seed, slow);
}

}  // namespace ricercar::inline strategy
