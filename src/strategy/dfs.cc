// Depth-first search over all decisions without storing states: each execution runs the prefix of
// the last one again and differs from it in the deepest decision that has an option left
// (Godefroid, POPL 1997, without the reductions).
#include "strategy/decision_stack.h"
#include "strategy/estimate.h"
#include "strategy/kept.h"
#include "strategy/registry.h"

namespace ricercar::inline strategy {
namespace {

class DepthFirstStrategy final
    : public Kept<DepthFirstStrategy, StrategyWith<ShowsProgress, CanBeKept>> {
 public:
  template <typename Archive>
  void serialize(Archive& archive) {
    archive(stack_, executions_, finished_);
  }

  bool begin() override {
    if (finished_) return false;
    stack_.rewind();
    return true;
  }

  std::size_t choose(const ChoicePoint& point) override {
    if (stack_.replaying()) [[likely]] {
      return stack_.replay(point);
    }
    return stack_.push_default(point, true);
  }

  void end(Trace trace, const Outcome&) override {
    ++executions_;
    finished_ = !stack_.advance(trace.size());
  }

  Coverage coverage() const override {
    if (finished_) return {true, "every execution: " + std::to_string(executions_)};
    return {false, "executions, depth first: " + std::to_string(executions_) +
                       ", no promise before the end"};
  }

  // The estimate of the total is Knuth's (Mathematics of Computation 29, 1975) with the executions
  // so far as the probes, each weighted by its probability (Kilby et al., AAAI 2006).
  std::string progress() const override {
    return finished_ ? "" : estimate_text(executions_, stack_.explored(), "executions");
  }

 private:
  DecisionStack stack_;
  std::uint64_t executions_ = 0;
  bool finished_ = false;
};

}  // namespace

std::unique_ptr<Strategy> make_dfs(const Parameters&) {
  return std::make_unique<DepthFirstStrategy>();
}

}  // namespace ricercar::inline strategy
