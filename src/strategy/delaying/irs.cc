// `irs`: iterative random search, a baseline of the delaying-explorers paper. Round i takes
// 100 + 3^i random samples and cuts each after 100 * i steps, so that short executions are not
// starved by long ones.
#include <algorithm>
#include <cmath>

#include "base/clock.h"
#include "base/random.h"
#include "strategy/kept.h"
#include "strategy/registry.h"

namespace ricercar::inline strategy {
namespace {

constexpr std::uint64_t depth_step = 100;
constexpr std::uint64_t least_samples = 100;
constexpr double base = 3;

class IterativeRandom final
    : public Kept<IterativeRandom, StrategyWith<HasStrata, ShowsProgress, CanBeKept>> {
 public:
  explicit IterativeRandom(std::uint64_t seed) : seed_(mix64(seed)) { next_round(); }

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(executions_, plain(strata_));
    round_began_ = now_seconds() - strata_.back().seconds;
  }

  bool begin() override {
    if (strata_.back().samples == samples_in_round()) next_round();
    random_ = Random(mix64(seed_ + strata_.size()) + strata_.back().samples);
    return true;
  }

  std::size_t choose(const ChoicePoint& point) override {
    if (point.step >= strata_.back().cost) return cut;
    return random_.below(point.options.size());
  }

  void end(Trace, const Outcome&) override {
    ++strata_.back().samples;
    ++executions_;
    strata_.back().seconds = now_seconds() - round_began_;
  }

  Coverage coverage() const override {
    return {false, "random executions of at most " + std::to_string(strata_.back().cost) +
                       " steps: " + std::to_string(executions_) + ", no promise"};
  }
  std::string progress() const override { return std::to_string(strata_.back().cost) + " steps"; }
  std::vector<Stratum> strata() const override { return strata_; }

 private:
  std::uint64_t samples_in_round() const {
    const double more = std::pow(base, static_cast<double>(strata_.size()));
    return least_samples + static_cast<std::uint64_t>(std::min(more, 1e15));
  }

  void next_round() {
    const std::uint64_t depth = (strata_.size() + 1) * depth_step;
    strata_.push_back({.unit = Stratum::Unit::steps, .cost = depth});
    round_began_ = now_seconds();
  }

  const std::uint64_t seed_;
  Random random_{0};
  std::uint64_t executions_ = 0;
  std::vector<Stratum> strata_;
  double round_began_ = 0;
};

}  // namespace

std::unique_ptr<Strategy> make_irs(const Parameters& parameters) {
  return std::make_unique<IterativeRandom>(parameters.seed);
}

}  // namespace ricercar::inline strategy
