// `ses`: stratified exhaustive search with a delaying explorer.
#include "base/error.h"
#include "strategy/decision_stack.h"
#include "strategy/delaying/explorer_guide.h"
#include "strategy/delaying/guide.h"
#include "strategy/delaying/stratified_search.h"
#include "strategy/strategies.h"

namespace ricercar::inline strategy {
namespace {

// Preemptions as a cost: the task that ran goes on, and letting another one run in its place costs
// one. Everything else is free.
class PreemptionGuide final : public Guide {
 public:
  std::unique_ptr<Guide> copy() const override { return std::make_unique<PreemptionGuide>(*this); }
  void enter(const State& state) override { running_ = state.running; }
  void resume() override {}
  // The default option first, the others in their order.
  std::uint32_t option(const ChoicePoint& point, std::uint32_t alternative) override {
    const std::uint32_t first = default_option(point);
    if (alternative == 0) return first;
    return alternative <= first ? alternative - 1 : alternative;
  }
  std::uint64_t cost(const ChoicePoint& point, std::uint32_t alternative) const override {
    return alternative != 0 && can_preempt(point) ? 1 : 0;
  }
  // Whom it costs to leave. With it in the cache no state is taken for one that was cheaper.
  std::uint64_t identity() const override { return 1 + std::uint64_t{index(running_)}; }
  std::size_t bytes() const override { return sizeof(*this); }

 private:
  TaskId running_ = no_task;
};

constexpr std::uint64_t unlimited = 1000000000;  // the default of `bound` in registry.cc

StateCache::WhenFull when_full(const std::string& policy) {
  if (policy == "stop") return StateCache::WhenFull::stop;
  if (policy == "replace") return StateCache::WhenFull::replace;
  throw UsageError("the parameter 'policy' is stop or replace, not '" + policy + "'");
}

}  // namespace

std::unique_ptr<Strategy> make_ses(const Parameters& parameters) {
  StratifiedOptions options;
  options.by = " of explorer " + parameters.text("explorer");
  options.step = parameters.number("step");
  options.bound = parameters.number("bound");
  options.cache_bytes = parameters.bytes("cache");
  options.when_full = when_full(parameters.text("policy"));
  options.exact = parameters.flag("exact");
  options.reduce = parameters.flag("reduce");
  options.cycles = parameters.flag("cycles");
  options.memory = parameters.resources.memory / 2;
  options.file = parameters.resources.file;
  if (options.reduce && (options.exact || options.bound < unlimited)) {
    throw UsageError(
        "reduce=yes takes other ways to the same states, which may need more delays: it goes "
        "neither with exact=yes nor with a bound");
  }
  if (options.cycles && (options.reduce || options.exact || options.cache_bytes != 0)) {
    throw UsageError(
        "cycles=yes needs every step between the states, each of them once: it goes with none of "
        "reduce=yes, exact=yes and cache");
  }
  if (options.exact && options.step != 1) {
    throw UsageError("exact=yes counts every single delay: it goes with step=1 only");
  }
  return std::make_unique<StratifiedSearch>(make_explorer_guide(parameters), std::move(options));
}

// Preemption bounding with the same cache.
std::unique_ptr<Strategy> make_cached_pb(const Parameters& parameters) {
  StratifiedOptions options;
  options.unit = Stratum::Unit::preemptions;
  options.bound = parameters.number("bound");
  options.exact = true;
  return std::make_unique<StratifiedSearch>(std::make_unique<PreemptionGuide>(),
                                            std::move(options));
}

}  // namespace ricercar::inline strategy
