#include "strategy/hapset/learning_runs.h"

#include <utility>

#include "base/random.h"
#include "strategy/hapset/events.h"
#include "strategy/wrapper.h"

namespace ricercar {
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

}  // namespace

std::unique_ptr<Strategy> learn_first(std::uint64_t runs, std::uint64_t seed,
                                      std::shared_ptr<Statements> statements,
                                      std::unique_ptr<Strategy> search) {
  return std::make_unique<LearningRuns>(runs, seed, std::move(statements), std::move(search));
}

}  // namespace ricercar
