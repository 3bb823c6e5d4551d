// `ss`: stratified sampling; and `ses+ss`, which covers what fits into the memory and then samples
// from where it had to stop.
#include "base/error.h"
#include "strategy/delaying/explorer_guide.h"
#include "strategy/delaying/sampling.h"
#include "strategy/delaying/stratified_search.h"
#include "strategy/registry.h"
#include "strategy/wrapper.h"

namespace ricercar::inline strategy {
namespace {

constexpr std::uint64_t default_memory = std::uint64_t{1} << 30;

SamplingOptions sampling_options(const Parameters& parameters) {
  SamplingOptions options;
  options.seed = parameters.seed;
  options.constant = parameters.number("c1");
  options.base = parameters.number("c2");
  options.bound = parameters.number("bound");
  return options;
}

bool values_by_turns(const std::string& values) {
  if (values == "delay") return false;
  if (values == "both") return true;
  throw UsageError("the parameter 'values' is delay or both, not '" + values + "'");
}

// The samples start at items of the frontier, each with the same probability, and have 1, 2, ...
// delays more than those.
class CoverThenSample final : public StrategyWrapper {
 public:
  explicit CoverThenSample(const Parameters& parameters)
      : guide_(make_explorer_guide(parameters)), sampling_(sampling_options(parameters)) {
    memory_ = parameters.bytes("memory");
    if (memory_ == 0) memory_ = parameters.resources.memory;
    if (memory_ == 0) memory_ = default_memory;
    StratifiedOptions options;
    options.by = " of explorer " + parameters.text("explorer");
    options.bound = sampling_.bound;
    covers_ = &add_member(std::make_unique<StratifiedSearch>(guide_->copy(), std::move(options)));
    current_ = covers_;
  }

  bool begin() override {
    if (samples_ == nullptr && is_full()) start_sampling();
    return current_->begin();
  }
  std::size_t choose(const ChoicePoint& point) override { return current_->choose(point); }
  void end(Trace trace, const Outcome& outcome) override { current_->end(trace, outcome); }

  Coverage coverage() const override {
    Coverage result = covers_->coverage();
    if (samples_ == nullptr) return result;
    std::uint64_t samples = 0;
    for (const Stratum& stratum : samples_->strata()) samples += stratum.samples;
    result.text += "; then " + std::to_string(samples) + " samples from its frontier, with up to " +
                   samples_->progress() + " more";
    return result;
  }
  std::string progress() const override {
    return samples_ != nullptr ? "samples with " + samples_->progress() : covers_->progress();
  }

 private:
  // What the next few executions leave must still fit.
  bool is_full() const {
    const StratifiedPlan& plan = covers_->plan();
    return plan.bytes() >= memory_ / 10 * 9 && !plan.is_inside_item() && !plan.frontier().empty();
  }

  void start_sampling() {
    const Frontier& frontier = covers_->plan().frontier();
    sampling_.origin = [&frontier](Random& random) {
      SearchItem item = frontier.at(random.below(static_cast<std::uint32_t>(frontier.size())));
      if (item.is_value) item.last.chosen += random.below(item.options - item.last.chosen);
      return item;
    };
    samples_ = &add_member(std::make_unique<Sampling>(guide_, sampling_));
    current_ = samples_;
  }

  const std::shared_ptr<const Guide> guide_;
  SamplingOptions sampling_;
  std::uint64_t memory_ = 0;
  StratifiedSearch* covers_;     // members
  Sampling* samples_ = nullptr;  // not yet
};

}  // namespace

std::unique_ptr<Strategy> make_ss(const Parameters& parameters) {
  SamplingOptions options = sampling_options(parameters);
  options.values_by_turns = values_by_turns(parameters.text("values"));
  options.group = parameters.number("group");
  std::shared_ptr<const Guide> guide = make_explorer_guide(parameters);
  options.draws_orders = guide->redrawn(options.seed) != nullptr;
  return std::make_unique<Sampling>(std::move(guide), std::move(options));
}

std::unique_ptr<Strategy> make_ses_ss(const Parameters& parameters) {
  return std::make_unique<CoverThenSample>(parameters);
}

}  // namespace ricercar::inline strategy
