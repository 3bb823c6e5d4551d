// `hapset`: random executions to learn from (Wang, Said, Gupta, ICSE 2011, Algorithm 1), and then
// one of the searches that look for statements which have never followed each other: pruned, best
// first, or first the one and then the other.
#include <utility>

#include "base/error.h"
#include "base/random.h"
#include "strategy/hapset/events.h"
#include "strategy/kept.h"
#include "strategy/strategies.h"

namespace ricercar::inline strategy {
namespace {

class LearningRuns final : public KeptWrapper<LearningRuns> {
 public:
  LearningRuns(std::uint64_t runs, std::uint64_t seed, std::shared_ptr<Statements> statements,
               std::unique_ptr<Strategy> search)
      : runs_(runs),
        base_(mix64(seed)),
        statements_(std::move(statements)),
        search_(add_member(std::move(search))) {
    offer_to_be_kept();
  }

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(*statements_, executions_, events_);
  }

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
  std::uint64_t first_part() const override {
    const std::uint64_t executions = Forwarded<HasFirstPart>::first_part();
    return executions == 0 ? 0 : executions_ + executions;
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

// What the paper runs, and then, best first, the whole space: so nothing is left out in the end.
// The second part begins anew, and runs what the first one has run once more. Both share the sets.
class PrunedFirst final : public KeptWrapper<PrunedFirst> {
 public:
  PrunedFirst(std::unique_ptr<Strategy> pruned, std::unique_ptr<Strategy> rest)
      : pruned_(add_member(std::move(pruned))), rest_(add_member(std::move(rest))) {
    capabilities_.add<HasFirstPart>(this);
    offer_to_be_kept();
  }

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(executions_, first_part_);
  }

  bool begin() override {
    current_ = &pruned_;
    if (pruned_.begin()) return true;
    if (first_part_ == 0) first_part_ = executions_;
    current_ = &rest_;
    return rest_.begin();
  }
  std::size_t choose(const ChoicePoint& point) override { return current_->choose(point); }
  void end(Trace trace, const Outcome& outcome) override {
    ++executions_;
    current_->end(trace, outcome);
  }
  // Other points are another space: the first part comes again.
  void restart() override {
    Forwarded<CanRestart>::restart();
    first_part_ = 0;
  }
  std::uint64_t first_part() const override { return first_part_; }
  std::string progress() const override { return progress_of(first_part_ == 0 ? pruned_ : rest_); }
  Coverage coverage() const override {
    if (first_part_ == 0) return pruned_.coverage();
    Coverage coverage = rest_.coverage();
    coverage.text = "every new scenario in reach after " + std::to_string(first_part_) +
                    " executions; then, with what was left out: " + coverage.text;
    return coverage;
  }

 private:
  Strategy& pruned_;
  Strategy& rest_;
  std::uint64_t executions_ = 0;
  std::uint64_t first_part_ = 0;  // of these; 0: it goes on
};

std::unique_ptr<Strategy> make_search(const Parameters& parameters,
                                      const std::shared_ptr<Statements>& statements) {
  const std::string& reduced_by = parameters.text("base");
  if (reduced_by != "dpor" && reduced_by != "pb") {
    throw UsageError("there is no base '" + reduced_by + "' of hapset: base=dpor and base=pb are");
  }
  const std::uint64_t bound = parameters.number("bound");
  const bool is_reduced = reduced_by == "dpor";
  const std::string space = is_reduced ? reduced_by : "pb=" + std::to_string(bound);
  const Pruning pruning{is_reduced ? std::nullopt : std::optional(bound),
                        parameters.flag("replan")};
  const std::string& prune = parameters.text("prune");
  if (prune == "first") {
    return std::make_unique<PrunedFirst>(make_pruned_hapset(statements, pruning),
                                         make_unpruned_hapset(parameters, space, statements));
  }
  if (parameters.flag("prune")) return make_pruned_hapset(statements, pruning);
  return make_unpruned_hapset(parameters, space, statements);
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
