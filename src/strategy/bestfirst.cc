// Best-first search (Coons, Burckhardt, Musuvathi, GAMBIT: Effective Unit Testing for Concurrency
// Libraries, PPoPP 2010). An execution that has been run tells which other ones there are: those
// that differ from it in one decision and behave by default afterwards. They wait in the fringe, by
// priority, and among equals the newest one comes first. Nothing is run twice, and in the end
// everything in the space has been run, so a priority costs no guarantee.
//
// The spaces: `all` executions; those with a bounded number of preemptions, `pb=N`; and `dpor`, in
// which a decision is added only if it reverses a race that none of the decisions known at that
// point would reverse (source sets, without sleep sets: these depend on the order of the search).
#include <unordered_set>

#include "base/error.h"
#include "strategy/candidate_facts.h"
#include "strategy/estimate.h"
#include "strategy/known_executions.h"
#include "strategy/search_space.h"
#include "strategy/strategies.h"

namespace ricercar::inline strategy {
namespace {

class BestFirstStrategy final
    : public StrategyWith<WantsRest, WantsHeap, LearnsContexts, CanRestart, ShowsProgress> {
 public:
  explicit BestFirstStrategy(const Parameters& parameters)
      : space_(search_space(parameters.text("space"))),
        priorities_(parameters.text("priority"), parameters.seed, parameters.resources.priorities),
        statements_(priorities_.statements()),
        analyses_(space_.reduces || priorities_.need_order()),
        known_(space_.reduces, statements_.get(), parameters.resources) {
    if (!space_.reduces) capabilities_.remove<WantsHeap>();
    if (!statements_) capabilities_.remove<LearnsContexts>();
    if (statements_) events_.emplace(*statements_);
  }

  // What an earlier search has learned.
  void learn(const LearnedSets& learned) {
    if (statements_) give(learned, statements_->sets());
  }

  bool begin() override {
    if (finished_) return false;
    points_.clear();
    known_.begin();
    return true;
  }

  std::size_t choose(const ChoicePoint& point) override {
    const std::uint32_t first = default_option(point);
    const std::uint32_t option = known_.differs_at(points_.size() + 1) ? deviation(point) : first;
    points_.push(point, choice_of(point, option)).by_default = choice_of(point, first);
    return option;
  }

  void left(Trace pending) override { races_.set_left(pending); }
  void used_heap(HeapTrace heap) override { races_.set_heap(heap); }
  CallContexts& contexts() override { return statements_->contexts(); }
  void called_from(std::span<const ContextId> steps, std::span<const ContextId> left) override {
    contexts_ = steps;
    left_contexts_ = left;
  }
  const PredecessorSets& sets() const override { return statements_->sets(); }

  void restart() override {
    known_.restart();
    races_.restart();
    explored_ = 0;
    executions_ = 0;
    traces_.clear();
    finished_ = false;
  }

  void end(Trace trace, const Outcome& outcome) override {
    ++executions_;
    if (!known_.has_arrived() && !trace.empty()) throw Nondeterminism(trace.size(), 2, 1);
    priorities_.begin(trace, races_.left());
    trace_ = trace;
    if (statements_) learn_statements(!outcome.is_bug());
    if (analyses_) analyse(outcome);
    find_values();
    if (space_.reduces) {
      find_reversals();
      if (!trace.empty()) traces_.insert(facts_.trace_number());
    } else {
      find_all();
      explored_ += space_.share_of(points_);
    }
    races_.forget();
    finished_ = !known_.go_on(priorities_);
  }

  Coverage coverage() const override {
    const std::string count = std::to_string(executions_);
    if (space_.reduces && races_.at_limit() != 0) {
      return {false, races_.limited_text("executions, reduced, best first", executions_)};
    }
    if (finished_ && space_.reduces) {
      return {true, "every Mazurkiewicz trace: " + std::to_string(traces_.size()) + ", in " +
                        count + " executions"};
    }
    if (finished_) return {true, space_.promise() + ": " + count};
    return {false, "executions, best first: " + count + "; " + known_.text()};
  }

  std::string progress() const override {
    const std::string estimate = estimate_text(executions_, explored_, "executions");
    return known_.progress() + (estimate.empty() ? "" : ", " + estimate);
  }

 private:
  std::uint32_t deviation(const ChoicePoint& point) {
    const std::uint16_t choice = known_.take_deviation();
    if (offers(point, choice)) return option_of(point, choice);
    throw Nondeterminism(point.step, choice + 1U, point.options.size());
  }

  // --- What the execution tells ---

  void learn_statements(bool is_good) {
    statements_->sets().begin_execution();
    events_->rewind(0);
    events_->extend(trace_, contexts_, is_good);
    events_->add_left(races_.left(), left_contexts_);
  }

  void analyse(const Outcome& outcome) {
    races_.rewind(0);
    races_.extend(trace_, outcome);
    facts_.begin(statements_.get(), events_ ? &*events_ : nullptr);
  }

  // --- Other executions ---

  void find_values() {
    for (std::uint32_t at = known_.depth(); at < points_.size(); ++at) {
      if (!points_[at].is_value) continue;
      for (std::uint32_t i = 0; i < points_[at].options; ++i) {
        add(at, static_cast<std::uint16_t>(i));
      }
    }
  }

  void find_all() {
    for (std::uint32_t at = known_.depth(); at < points_.size(); ++at) add_all(at);
  }
  void add_all(std::uint32_t at) {
    points_.for_each_enabled(at, [&](std::uint16_t task) { add(at, task); });
  }

  void find_reversals() {
    const std::uint32_t start = known_.depth() == 0 ? 0 : points_[known_.depth() - 1].step;
    for (const HappensBefore::Race& race : races_.races()) {
      if (race.second == no_index || races_.step_of(race.second) >= start) reverse(race);
    }
    if (races_.ends_early()) give_others_a_turn(races_.last_slot());
    if (races_.is_at_limit()) give_others_a_turn(races_.last_block());
  }

  void reverse(const HappensBefore::Race& race) {
    const std::uint32_t at = points_.at_step(races_.step_of(race.first));
    if (at == no_index) return;
    reversal_.begin(race);
    const std::uint16_t task = reversal_[0].task;
    if (!is_covered(at) && points_.is_enabled(at, task)) add(at, task);
  }

  // Some decision that is known at the point begins the reversal as well.
  bool is_covered(std::uint32_t at) {
    for (std::size_t i = 0; i < reversal_.size(); ++i) {
      const std::uint16_t task = reversal_[i].task;
      const bool known = task == points_[at].by_default || known_.contains(at + 1, task);
      if (known && reversal_.first_of(task) == i && reversal_.is_initial(reversal_[i])) return true;
    }
    return false;
  }

  // A step that ends the execution depends on everything.
  void give_others_a_turn(std::uint32_t slot) {
    const std::uint32_t at = points_.at_step(races_.step_of(slot));
    if (at != no_index) add_all(at);
  }

  void add(std::uint32_t at, std::uint16_t choice) {
    const DefaultPoint& point = points_[at];
    if (choice == point.by_default || choice == point.chosen) return;
    if (known_.contains(at + 1, choice)) return;
    if (point.preemptions_with(choice) > space_.bound) return;
    const bool has_facts = analyses_ && !point.is_value;
    const std::uint64_t priority = priority_of(at, choice, has_facts);
    known_.add(at + 1, choice, priority, has_facts ? facts_.new_pair() : std::nullopt);
  }

  std::uint64_t priority_of(std::uint32_t at, std::uint16_t choice, bool has_facts) {
    const DefaultPoint& point = points_[at];
    Candidate candidate{trace_, point.step, task_id(choice), point.preemptions_with(choice)};
    if (point.is_value) candidate.task = trace_[point.step].task;
    if (has_facts) facts_.complete(candidate, at, choice);
    return priorities_.of(candidate);
  }

  const SearchSpace space_;
  Priorities priorities_;
  const std::shared_ptr<Statements> statements_;  // of the priorities; may be null
  const bool analyses_;
  KnownExecutions known_;
  std::uint64_t executions_ = 0;
  std::unordered_set<std::uint64_t> traces_;  // in the space of the reduction: that have been run
  double explored_ = 0;                       // the part of the space that has been run; 0: unknown
  bool finished_ = false;

  // The current execution.
  DecisionPoints<DefaultPoint> points_;
  Trace trace_;
  ExecutionRaces races_;
  Reversal reversal_{races_.order()};
  CandidateFacts facts_{races_, points_};
  std::optional<RunEvents> events_;  // if there are statements
  std::span<const ContextId> contexts_;
  std::span<const ContextId> left_contexts_;
};

}  // namespace

std::unique_ptr<Strategy> make_unpruned_hapset(const Parameters& parameters,
                                               const std::string& space,
                                               const std::shared_ptr<Statements>& statements) {
  Parameters own = parameters;
  own.values = {{"space", space}, {"priority", "hapset+pb"}};
  own.resources.priorities.statements = statements;
  return std::make_unique<BestFirstStrategy>(own);
}

std::unique_ptr<Strategy> make_bestfirst(const Parameters& parameters) {
  auto strategy = std::make_unique<BestFirstStrategy>(parameters);
  strategy->learn(parameters.resources.learned);
  return strategy;
}

}  // namespace ricercar::inline strategy
