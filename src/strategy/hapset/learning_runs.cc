#include "strategy/hapset/learning_runs.h"

#include <utility>

#include "base/random.h"
#include "strategy/hapset/events.h"

namespace ricercar {
namespace {

class LearningRuns final : public Strategy {
 public:
  LearningRuns(std::uint64_t runs, std::uint64_t seed, std::shared_ptr<Statements> statements,
               std::unique_ptr<Strategy> search)
      : runs_(runs),
        base_(mix64(seed)),
        statements_(std::move(statements)),
        search_(std::move(search)) {}

  bool begin() override {
    if (!learns()) return search_->begin();
    random_ = Random(base_ + executions_);
    return true;
  }
  std::size_t choose(const ChoicePoint& point) override {
    return learns() ? random_.below(point.options.size()) : search_->choose(point);
  }
  CallContexts* contexts() override { return search_->contexts(); }
  bool wants_late_deadlocks() const override { return search_->wants_late_deadlocks(); }
  bool wants_heap() const override { return search_->wants_heap(); }
  void used_heap(HeapTrace heap) override {
    if (!learns()) search_->used_heap(heap);
  }
  void left(Trace pending) override {
    if (!learns()) search_->left(pending);
  }
  void called_from(std::span<const ContextId> steps, std::span<const ContextId> left) override {
    contexts_ = steps;
    if (!learns()) search_->called_from(steps, left);
  }
  void end(Trace trace, const Outcome& outcome) override {
    if (!learns()) return search_->end(trace, outcome);
    ++executions_;
    statements_->sets().begin_execution();
    events_.rewind(0);
    events_.extend(trace, contexts_, !outcome.is_bug());
  }
  bool restart() override { return learns() || search_->restart(); }
  const PredecessorSets* sets() const override { return search_->sets(); }
  Coverage coverage() const override {
    Coverage coverage = search_->coverage();
    coverage.text =
        std::to_string(executions_) + " random executions to learn from; " + coverage.text;
    return coverage;
  }
  std::string progress() const override { return search_->progress(); }

 private:
  bool learns() const { return executions_ < runs_; }

  const std::uint64_t runs_;
  const std::uint64_t base_;
  std::uint64_t executions_ = 0;
  Random random_{0};
  std::shared_ptr<Statements> statements_;
  std::unique_ptr<Strategy> search_;
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
