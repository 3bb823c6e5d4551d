// Coverage-guided search: only executions that would show something new (Wang, Said, Gupta,
// Coverage Guided Systematic Concurrency Testing, ICSE 2011; Algorithms 1, 2, 4 and 5).
//
// Depth first, as a partial-order reduction without sleep sets. After an execution every conflict
// of two steps in its new part that could be turned around is looked at: if the predecessor sets do
// not know the other order yet, it is planned at the point where the first of the two was chosen.
// The sets learn from every good execution on the way.
//
// Departures:
// - With replan=yes what was planned is asked for again when its turn comes, and left out if the
//   sets have learned of it in the meantime. The paper's Algorithm 5 runs it, and so does
//   replan=no.
// - With base=dpor the first task of what the second step needs gets a turn (the paper: some task
//   that happens before it). Where the scheduler itself keeps that task back (time, fairness,
//   spinning) nothing is planned.
// - The step that was overtaken comes right behind the one that was given a turn, if that one is
//   next in its task: then the pair that was planned is seen, and not another one. (The paper goes
//   on in any way. On the thread pool of bench/suites/hapset, with four workers, without a bug and
//   with replan=yes, the search ends after half as many executions, with as many pairs.)
// - An execution that ends before others have come to their end (exit) is planned again with a turn
//   for each of them.
// - Alternatives of a value (which waiter is woken, choose(n)) are tried if they have never been
//   taken in that place.
// - Without pruning the sets are a priority of best-first search, which leaves nothing out.
#include <set>
#include <utility>

#include "strategy/depth_first.h"
#include "strategy/hapset/events.h"
#include "strategy/hapset/pruned_level.h"
#include "strategy/kept.h"
#include "strategy/reversal.h"
#include "strategy/strategies.h"

namespace ricercar::inline strategy {
namespace {

using Race = HappensBefore::Race;

class PrunedSearch final
    : public Kept<PrunedSearch, DepthFirstReduction<PrunedLevel, LearnsContexts, CanRestart,
                                                    ShowsProgress, CanBeKept>> {
 public:
  PrunedSearch(std::shared_ptr<Statements> statements, const Pruning& pruning)
      : statements_(std::move(statements)), bound_(pruning.bound), replans_(pruning.replans) {
    races_.order().find_all_conflicts();
  }

  template <typename Archive>
  void serialize(Archive& archive) {
    DepthFirstReduction::serialize(archive);
    archive(*statements_, left_out_, events_, turned_heap_, cut_off_, partner_, values_);
  }

  CallContexts& contexts() override { return statements_->contexts(); }
  void called_from(std::span<const ContextId> steps, std::span<const ContextId> left) override {
    contexts_ = steps;
    left_contexts_ = left;
  }
  const PredecessorSets& sets() const override { return statements_->sets(); }

  void end(Trace trace, const Outcome& outcome) override {
    statements_->sets().begin_execution();
    events_.rewind(branch_step());
    DepthFirstReduction::end(trace, outcome);
  }

  void restart() override {
    restart_search();
    events_.rewind(0);
    values_.clear();
    cut_off_.clear();
    turned_heap_.clear();
    partner_ = DecisionPoint::nobody;
  }

  Coverage coverage() const override {
    const std::string what =
        is_finished() ? "every new scenario in reach: " : "new scenarios so far: ";
    return {false, what + std::to_string(executions()) + " executions; " + progress() + " seen, " +
                       std::to_string(left_out_) +
                       " executions left out as nothing new: this is not a proof"};
  }

  std::string progress() const override {
    return std::to_string(statements_->sets().size()) + " pairs of statements";
  }

 private:
  std::size_t extend(const ChoicePoint& point) override {
    std::uint32_t option = default_option(point);
    if (point.kind == ChoiceKind::schedule) option = with_partner(point, option);
    points_.push(point, choice_of(point, option));
    return option;
  }

  // Right behind a step that was given a turn: the other one of its pair, so that the two follow
  // each other.
  std::uint32_t with_partner(const ChoicePoint& point, std::uint32_t option) {
    const std::uint16_t partner = std::exchange(partner_, DecisionPoint::nobody);
    if (partner == DecisionPoint::nobody || !point.options.contains(task_id(partner)))
      return option;
    const bool preempts = point.running != no_task && index(point.running) != partner;
    if (bound_ && points_.preemptions() + (preempts ? 1 : 0) > *bound_) return option;
    return point.options.position(task_id(partner));
  }

  // --- What an execution calls for ---

  void learn(const Outcome& outcome) override {
    events_.extend(races_.trace(), contexts_, !outcome.is_bug());
    note_new_part();
    events_.add_left(races_.left(), left_contexts_);
    races_.for_each_step([this](std::span<const Race> races) { plan_for_one(races); });
    // Without an end: early, so that there is room for what comes behind.
    if (races_.ends_early()) {
      give_others_a_turn(races_.is_at_limit() ? races_.last_block() : races_.last_slot());
    }
  }

  // One step has several that it could come before: each of those since its task could have been
  // chosen for it, and one more. A step that never came because the execution was cut: as early as
  // possible, so that there is room behind it.
  void plan_for_one(std::span<const Race> races) {
    if (races_.is_at_limit() && races[0].second == no_index) {
      while (!races.empty() && !turn_around(races.back())) races = races.first(races.size() - 1);
      return;
    }
    const std::uint32_t own =
        races[0].second == no_index ? no_index : races_.order().before_in_task(races[0].second);
    const std::uint64_t pending_since = own == no_index ? 0 : races_.step_of(own);
    for (const Race& race : races) {
      const bool is_new = turn_around(race);
      if (is_new && races_.step_of(race.first) < pending_since) return;
    }
  }

  // True: the other order of the two would be new, and is planned.
  bool turn_around(const Race& race) {
    const std::uint32_t at = point_of(race.first);
    if (at == no_index) return false;
    const std::optional<PredecessorSets::Pair> pair =
        events_.turned_around(races_.order(), race, races_.left());
    if (!pair) return turn_heap_around(race, at);
    PredecessorSets& sets = statements_->sets();
    if (sets.contains(*pair)) {
      ++left_out_;
      return false;
    }
    sets.add_possible(*pair);
    PrunedLevel& level = points_[at];
    return for_each_turn(race, at, [&](std::uint16_t task, bool is_direct) {
      const std::uint16_t partner = is_direct ? level.chosen : DecisionPoint::nobody;
      level.add(PrunedLevel::Plan{task, partner, *pair});
    });
  }

  // One of the two frees what the other one uses. The sets are about objects, not about the lives
  // of blocks: each pair of places is turned around once.
  bool turn_heap_around(const Race& race, std::uint32_t at) {
    if (!race.is_of_heap) return false;
    const std::uint64_t both =
        mix64(place_at(races_.step_of(race.first))) + place_at(races_.step_of(race.second));
    if (!turned_heap_.insert(both).second) return false;
    PrunedLevel& level = points_[at];
    const std::size_t known = level.turns.size();
    for_each_turn(race, at, [&](std::uint16_t task, bool) {
      level.add(PrunedLevel::Turn{task, both});
    });
    return level.turns.size() != known;
  }

  // Who could get a turn at the point to turn a race around: whoever the bound allows, or who has
  // to come first. visit(task, whether its own next step is the one of the race). False: the one
  // who has to come first cannot.
  template <typename Visit>
  bool for_each_turn(const Race& race, std::uint32_t at, Visit visit) {
    if (bound_) {
      points_.for_each_enabled(at, [&](std::uint16_t task) {
        if (points_[at].preemptions_with(task) <= *bound_) visit(task, task == index(race.task));
      });
      return true;
    }
    reversal_.begin(race);
    const std::uint16_t task = reversal_[0].task;
    if (!points_.is_enabled(at, task)) return false;
    visit(task, reversal_.needed() == 1);
    return true;
  }

  // The step that ends an execution comes before everything that was still to be done: what has
  // never been done before such an end gets a turn.
  void give_others_a_turn(std::uint32_t slot) {
    const std::uint32_t at = point_of(slot);
    if (at == no_index) return;
    for (std::size_t i = 0; i < races_.left().size(); ++i) {
      const auto task = static_cast<std::uint16_t>(index(races_.left()[i].task));
      if (!points_.is_enabled(at, task)) continue;
      const std::uint64_t place = place_of(races_.left()[i], left_contexts_[i]);
      if (cut_off_.note(place)) points_[at].add(PrunedLevel::Turn{task, place});
    }
  }

  // The places that the execution has come to, and the values that it has taken.
  void note_new_part() {
    const std::size_t end = races_.trace().size();
    for (std::size_t i = branch_step(); !cut_off_.empty() && i < end; ++i) {
      cut_off_.note_done(place_at(i));
    }
    for (const PrunedLevel& level : points_) {
      const bool is_new = level.step >= branch_step() && level.step < end;
      if (level.is_value && is_new) values_.note(level.step, place_at(level.step), level.chosen);
    }
  }

  std::uint64_t place_at(std::size_t step) const {
    return place_of(races_.trace()[step], contexts_[step]);
  }

  // --- The next execution ---

  bool advance(PrunedLevel& level) override {
    partner_ = DecisionPoint::nobody;
    const std::optional<std::uint16_t> choice =
        level.is_value ? values_.at(level.step, level.options) : next_task(level);
    if (choice) level.take(*choice);
    if (!choice) values_.forget(level.step);
    return choice.has_value();
  }

  std::optional<std::uint16_t> next_task(PrunedLevel& level) {
    const std::optional<PrunedLevel::Plan> plan =
        level.next_plan(replans_ ? &statements_->sets() : nullptr, left_out_);
    if (!plan) return level.next_turn(cut_off_);
    partner_ = plan->partner;
    return plan->task;
  }

  const std::shared_ptr<Statements> statements_;
  const std::optional<std::uint64_t> bound_;  // of preemptions; otherwise by reduction
  const bool replans_;
  std::uint64_t left_out_ = 0;
  std::span<const ContextId> contexts_;
  std::span<const ContextId> left_contexts_;
  RunEvents events_{*statements_};
  Reversal reversal_{races_.order()};
  std::set<std::uint64_t> turned_heap_;  // pairs of places: see turn_heap_around
  CutOffPlaces cut_off_;
  std::uint16_t partner_ = DecisionPoint::nobody;  // who gets the next turn of the execution
  UntriedValues values_;
};

}  // namespace

std::unique_ptr<Strategy> make_pruned_hapset(std::shared_ptr<Statements> statements,
                                             const Pruning& pruning) {
  return std::make_unique<PrunedSearch>(std::move(statements), pruning);
}

}  // namespace ricercar::inline strategy
