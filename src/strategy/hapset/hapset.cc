// `hapset`: random executions to learn from (Wang, Said, Gupta, ICSE 2011, Algorithm 1), and then
// one of the searches that look for statements which have never followed each other: pruned, or
// best first.
#include <utility>

#include "base/error.h"
#include "base/random.h"
#include "strategy/hapset/events.h"
#include "strategy/strategies.h"
#include "strategy/wrapper.h"

namespace ricercar::inline strategy {
namespace {

class LearningRuns final : public StrategyWrapper {
 public:
  LearningRuns(std::uint64_t runs, std::uint64_t seed, std::shared_ptr<Statements> statements,
               std::unique_ptr<Strategy> search)
      : runs_(runs),
        base_(mix64(seed)),
        statements_(std::move(statements)),
        search_(add_member(std::move(search))) {}

  bool begin() override {
    current_ = learns() ? nullptr : &search_;
    if (!learns()) return search_.begin();
    random_ = Random(base_ + executions_);
    return true;
  }
  std::size_t choose(const ChoicePoint& point) override {
    return learns() ? random_.below(point.options.size()) : search_.choose(point);
  }
  void called_from(std::span<const ContextId> steps, std::span<const ContextId> left) override {
    contexts_ = steps;
    Forwarded<LearnsContexts>::called_from(steps, left);
  }
  void end(Trace trace, const Outcome& outcome) override {
    if (!learns()) return search_.end(trace, outcome);
    ++executions_;
    statements_->sets().begin_execution();
    events_.rewind(0);
    events_.extend(trace, contexts_, !outcome.is_bug());
  }
  Coverage coverage() const override {
    Coverage coverage = search_.coverage();
    coverage.text =
        std::to_string(executions_) + " random executions to learn from; " + coverage.text;
    return coverage;
  }

 private:
  bool learns() const { return executions_ < runs_; }

  const std::uint64_t runs_;
  const std::uint64_t base_;
  std::uint64_t executions_ = 0;
  Random random_{0};
  std::shared_ptr<Statements> statements_;
  Strategy& search_;
  RunEvents events_{*statements_};
  std::span<const ContextId> contexts_;
};

std::unique_ptr<Strategy> make_search(const Parameters& parameters,
                                      const std::shared_ptr<Statements>& statements) {
  const std::string& reduced_by = parameters.text("base");
  if (reduced_by != "dpor" && reduced_by != "pb") {
    throw UsageError("there is no base '" + reduced_by + "' of hapset: base=dpor and base=pb are");
  }
  const std::uint64_t bound = parameters.number("bound");
  if (!parameters.flag("prune")) {
    const std::string space = reduced_by == "dpor" ? reduced_by : "pb=" + std::to_string(bound);
    return make_unpruned_hapset(parameters, space, statements);
  }
  const std::optional<std::uint64_t> preemptions =
      reduced_by == "pb" ? std::optional(bound) : std::nullopt;
  return make_pruned_hapset(statements, {preemptions, parameters.flag("replan")});
}

}  // namespace

std::unique_ptr<Strategy> make_hapset(const Parameters& parameters) {
  auto statements =
      std::make_shared<Statements>(static_cast<std::uint32_t>(parameters.number("context")));
  give(parameters.resources.learned, statements->sets());
  std::unique_ptr<Strategy> search = make_search(parameters, statements);
  const std::uint64_t runs = parameters.number("learn");
  if (runs == 0) return search;
  return std::make_unique<LearningRuns>(runs, parameters.seed, statements, std::move(search));
}

}  // namespace ricercar::inline strategy
