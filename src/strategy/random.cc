// Uniform random scheduling: at every choice each option has the same probability.
#include "base/random.h"

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
    return true;
  }

  std::size_t choose(const ChoicePoint& point) override {
    return random_.below(point.options.size());
  }

  void end(Trace, const Outcome&) override {}
  void restart() override {}

  Coverage coverage() const override {
    return {false, "random executions: " + std::to_string(executions_) + ", no promise"};
  }

 private:
  const std::uint64_t base_;
  Random random_;
  std::uint64_t executions_ = 0;
};

}  // namespace

std::unique_ptr<Strategy> make_random(const Parameters& parameters) {
  return std::make_unique<RandomStrategy>(parameters.seed);
}

}  // namespace ricercar::inline strategy
