// `ss`: stratified sampling; and `ses+ss`, which covers what fits into the memory and then samples
// from where it had to stop.
#include "base/error.h"
#include "strategy/delaying/explorer_guide.h"
#include "strategy/delaying/sampling.h"
#include "strategy/delaying/stratified_search.h"
#include "strategy/strategies.h"

namespace ricercar {
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
class CoverThenSample final : public Strategy {
 public:
  explicit CoverThenSample(const Parameters& parameters)
      : guide_(make_explorer_guide(parameters)), sampling_(sampling_options(parameters)) {
    memory_ = parameters.bytes("memory");
    if (memory_ == 0) memory_ = parameters.resources.memory;
    if (memory_ == 0) memory_ = default_memory;
    StratifiedOptions options;
    options.by = " of explorer " + parameters.text("explorer");
    options.bound = sampling_.bound;
    covers_ = std::make_unique<StratifiedSearch>(guide_->copy(), std::move(options));
  }

  bool begin() override {
    if (!samples_ && is_full()) start_sampling();
    return current().begin();
  }
  std::size_t choose(const ChoicePoint& point) override { return current().choose(point); }
  bool visit(const State& state) override { return current().visit(state); }
  const SavedState* origin() const override { return current().origin(); }
  void end(Trace trace, const Outcome& outcome) override { current().end(trace, outcome); }
  bool wants_states() const override { return true; }
  bool wants_operations() const override { return false; }

  Coverage coverage() const override {
    Coverage result = covers_->coverage();
    if (!samples_) return result;
    std::uint64_t samples = 0;
    for (const Stratum& stratum : samples_->strata()) samples += stratum.samples;
    result.text += "; then " + std::to_string(samples) + " samples from its frontier, with up to " +
                   samples_->progress() + " more";
    return result;
  }
  std::string progress() const override {
    return samples_ ? "samples with " + samples_->progress() : covers_->progress();
  }
  std::vector<Stratum> strata() const override {
    std::vector<Stratum> all = covers_->strata();
    if (!samples_) return all;
    const std::vector<Stratum> more = samples_->strata();
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

 private:
  Strategy& current() const {
    return samples_ ? static_cast<Strategy&>(*samples_) : static_cast<Strategy&>(*covers_);
  }

  // What the next few executions leave must still fit.
  bool is_full() const {
    return covers_->plan().bytes() >= memory_ / 10 * 9 && !covers_->plan().frontier().empty();
  }

  void start_sampling() {
    const Frontier& frontier = covers_->plan().frontier();
    sampling_.origin = [&frontier](Random& random) {
      return frontier.at(random.below(static_cast<std::uint32_t>(frontier.size())));
    };
    samples_ = std::make_unique<Sampling>(guide_, sampling_);
  }

  const std::shared_ptr<const Guide> guide_;
  SamplingOptions sampling_;
  std::uint64_t memory_ = 0;
  std::unique_ptr<StratifiedSearch> covers_;
  std::unique_ptr<Sampling> samples_;
};

}  // namespace

std::unique_ptr<Strategy> make_ss(const Parameters& parameters) {
  SamplingOptions options = sampling_options(parameters);
  options.values_by_turns = values_by_turns(parameters.text("values"));
  return std::make_unique<Sampling>(make_explorer_guide(parameters), std::move(options));
}

std::unique_ptr<Strategy> make_ses_ss(const Parameters& parameters) {
  return std::make_unique<CoverThenSample>(parameters);
}

}  // namespace ricercar
