// Coverage-guided search: only executions that would show something new (Wang, Said, Gupta,
// Coverage Guided Systematic Concurrency Testing, ICSE 2011; Algorithms 1, 2, 4 and 5).
//
// Depth first, as a partial-order reduction without sleep sets. After an execution every conflict
// of two steps in its new part that could be turned around is looked at: if the predecessor sets do
// not know the other order yet, it is planned at the point where the first of the two was chosen.
// The sets learn from every good execution on the way.
//
// Departures:
// - What was planned is asked for again when its turn comes, and left out if the sets have learned
//   of it in the meantime: the paper would run one execution for each round of a loop.
// - With base=dpor the first task of what the second step needs gets a turn (the paper: some task
//   that happens before it). Where the scheduler itself keeps that task back (time, fairness,
//   spinning) nothing is planned.
// - The step that was overtaken comes right behind the one that was given a turn, if that one is
//   next in its task: then the pair that was planned is seen, and not another one. (The paper goes
//   on in any way. On the thread pool of bench/suites/hapset, with four workers and without a bug,
//   the search ends after half as many executions, with as many pairs.)
// - An execution that ends before others have come to their end (exit) is planned again with a turn
//   for each of them.
// - Alternatives of a value (which waiter is woken, choose(n)) are tried if they have never been
//   taken in that place.
// - Without pruning the sets are a priority of best-first search, which leaves nothing out.
#include <algorithm>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/no_index.h"
#include "base/random.h"
#include "strategy/decision_stack.h"
#include "strategy/happens_before.h"
#include "strategy/hapset/events.h"
#include "strategy/priority.h"
#include "strategy/reversal.h"
#include "strategy/step_limit.h"
#include "strategy/strategies.h"

namespace ricercar {
namespace {

constexpr std::uint16_t nobody = 0xffff;

class PrunedSearch final : public Strategy {
 public:
  PrunedSearch(std::shared_ptr<Statements> statements, std::optional<std::uint64_t> bound)
      : statements_(std::move(statements)), bound_(bound) {
    order_.find_all_conflicts();
  }

  bool begin() override {
    if (finished_) return false;
    depth_ = 0;
    return true;
  }

  std::size_t choose(const ChoicePoint& point) override {
    if (depth_ < levels_.size()) [[likely]] {
      return replay(point);
    }
    return extend(point);
  }

  bool wants_late_deadlocks() const override { return true; }
  CallContexts* contexts() override { return &statements_->contexts(); }
  void left(Trace pending) override { left_.assign(pending.begin(), pending.end()); }
  bool wants_heap() const override { return true; }
  void used_heap(HeapTrace heap) override { order_.set_heap(heap); }
  void called_from(std::span<const ContextId> steps, std::span<const ContextId> left) override {
    contexts_ = steps;
    left_contexts_ = left;
  }

  void end(Trace trace, const Outcome& outcome) override {
    ++executions_;
    statements_->sets().begin_execution();
    events_.rewind(branch_step_);
    order_.rewind(branch_step_);
    if (trace.size() > branch_step_) {
      events_.extend(trace, contexts_, !outcome.is_bug());
      note_values(trace);
      note_done(trace);
      const bool at_limit = is_cut_at_limit(trace, left_, outcome);
      plan(trace, at_limit);
      const bool exits = trace[step_of(last_slot())].kind == OperationKind::exit;
      // Without an end: early, so that there is room for what comes behind.
      if (at_limit) {
        give_others_a_turn(last_block(order_));
      } else if (outcome.is_bug() || exits) {
        give_others_a_turn(last_slot());
      }
    }
    order_.set_heap({});
    left_.clear();
    backtrack();
  }

  bool restart() override {
    levels_.clear();
    events_.rewind(0);
    order_.rewind(0);
    place_of_value_.clear();
    values_.clear();
    cut_off_.clear();
    turned_heap_.clear();
    partner_ = nobody;
    branch_step_ = 0;
    finished_ = false;
    return true;
  }

  const PredecessorSets* sets() const override { return &statements_->sets(); }

  Coverage coverage() const override {
    const std::string counts = std::to_string(executions_) + " executions; " +
                               std::to_string(statements_->sets().size()) +
                               " pairs of statements seen, " + std::to_string(left_out_) +
                               " executions left out as nothing new: this is not a proof";
    return {false,
            (finished_ ? "every new scenario in reach: " : "new scenarios so far: ") + counts};
  }

  std::string progress() const override {
    return std::to_string(statements_->sets().size()) + " pairs of statements";
  }

 private:
  // An execution that may show something new: the task gets a turn, and in the end `pair` is seen.
  struct Plan {
    std::uint16_t task;
    std::uint16_t partner;  // whose step is to come right behind, if that can be said; nobody: not
    PredecessorSets::Pair pair;
  };

  // An execution in which the task comes to something that the end of another one has cut off.
  struct Turn {
    std::uint16_t task;
    std::uint64_t place;
  };

  struct Level {
    std::uint32_t step;
    std::uint32_t options;
    std::uint32_t preemptions;  // before it
    std::uint16_t chosen;       // the task, or the alternative
    std::uint16_t running;
    bool is_value;
    std::vector<std::uint16_t> enabled;  // tasks
    std::vector<std::uint16_t> done;     // other decisions that were taken here
    std::vector<Plan> plans;
    std::vector<Turn> turns;
  };

  std::size_t replay(const ChoicePoint& point) {
    const Level& level = levels_[depth_++];
    const bool fits = level.step == point.step && level.options == point.options.size() &&
                      (level.is_value || point.options.contains(task_id(level.chosen)));
    if (!fits) throw Nondeterminism(point.step, level.options, point.options.size());
    return level.is_value ? level.chosen : point.options.position(task_id(level.chosen));
  }

  std::size_t extend(const ChoicePoint& point) {
    const std::uint32_t preemptions =
        levels_.empty() ? 0
                        : levels_.back().preemptions + cost(levels_.back(), levels_.back().chosen);
    Level level{static_cast<std::uint32_t>(point.step),
                point.options.size(),
                preemptions,
                0,
                nobody,
                point.kind == ChoiceKind::value,
                {},
                {},
                {},
                {}};
    std::uint32_t option = default_option(point);
    if (!level.is_value) {
      option = with_partner(point, option, preemptions);
      if (point.running != no_task)
        level.running = static_cast<std::uint16_t>(index(point.running));
      point.options.for_each([&](const Option& other, std::uint32_t) {
        level.enabled.push_back(static_cast<std::uint16_t>(index(other.task)));
      });
      level.chosen = level.enabled[option];
    }
    levels_.push_back(std::move(level));
    ++depth_;
    return option;
  }

  // Right behind a step that was given a turn: the other one of its pair, so that the two follow
  // each other.
  std::uint32_t with_partner(const ChoicePoint& point, std::uint32_t option,
                             std::uint32_t preemptions) {
    const std::uint16_t partner = std::exchange(partner_, nobody);
    if (partner == nobody || !point.options.contains(task_id(partner))) return option;
    const bool preempts = point.running != no_task && index(point.running) != partner;
    if (bound_ && preemptions + (preempts ? 1 : 0) > *bound_) return option;
    return point.options.position(task_id(partner));
  }

  static std::uint32_t cost(const Level& level, std::uint16_t choice) {
    return !level.is_value && level.running != nobody && choice != level.running ? 1 : 0;
  }

  // --- What an execution calls for ---

  void plan(Trace trace, bool at_limit) {
    races_.clear();
    trace_ = trace;
    order_.extend(trace, races_);
    events_.add_left(left_, left_contexts_);
    for (const Step& step : left_) {
      order_.add_blocked(step, races_);
      if (at_limit) order_.add_pending(step, races_);
    }
    for (auto i = races_.begin(); i != races_.end();) {
      const auto end = std::find_if(i, races_.end(), [&](const HappensBefore::Race& race) {
        return race.second != i->second || race.task != i->task;
      });
      std::sort(i, end, [](const HappensBefore::Race& a, const HappensBefore::Race& b) {
        return a.first > b.first;
      });
      if (at_limit && i->second == no_index) {
        plan_earliest(i, end);
      } else {
        plan_for_one(i, end);
      }
      i = end;
    }
  }

  // A step that never came because the execution was cut: as early as possible, so that there is
  // room behind it.
  template <typename Iterator>
  void plan_earliest(Iterator begin, Iterator end) {
    while (begin != end && !turn_around(*std::prev(end))) --end;
  }

  // One step has several that it could come before, from the last to the first: each of those since
  // its task could have been chosen for it, and one more.
  template <typename Iterator>
  void plan_for_one(Iterator begin, Iterator end) {
    const std::uint64_t pending_since =
        begin->second == no_index ? 0 : pending_start(begin->second);
    for (auto i = begin; i != end; ++i) {
      const bool is_new = turn_around(*i);
      if (is_new && step_of(i->first) < pending_since) return;
    }
  }

  // The step that ends an execution comes before everything that was still to be done: what has
  // never been done before such an end gets a turn.
  void give_others_a_turn(std::uint32_t slot) {
    const std::uint32_t at = level_of(slot);
    if (at == no_index) return;
    for (std::size_t i = 0; i < left_.size(); ++i) {
      const auto task = static_cast<std::uint16_t>(index(left_[i].task));
      const std::vector<std::uint16_t>& enabled = levels_[at].enabled;
      if (std::find(enabled.begin(), enabled.end(), task) == enabled.end()) continue;
      const std::uint64_t place = place_of(left_[i], left_contexts_[i]);
      const bool was_done = cut_off_.try_emplace(place, false).first->second;
      if (task != levels_[at].chosen && !was_done) levels_[at].turns.push_back({task, place});
    }
  }

  void note_done(Trace trace) {
    if (cut_off_.empty()) return;
    for (std::size_t i = branch_step_; i < trace.size(); ++i) {
      const auto found = cut_off_.find(place_of(trace[i], contexts_[i]));
      if (found != cut_off_.end()) found->second = true;
    }
  }

  // Where code is; no name is needed. The start of a task has no place of its own.
  static std::uint64_t place_of(const Step& step, ContextId context) {
    return mix64(step.site != 0 ? step.site : ~std::uint64_t{index(step.task)}) + context;
  }

  std::uint32_t last_slot() const { return static_cast<std::uint32_t>(order_.slots().size() - 1); }

  std::uint32_t step_of(std::uint32_t slot) const { return order_.slots()[slot].step; }

  // The last step of the task before the slot.
  std::uint64_t pending_start(std::uint32_t slot) const {
    const HappensBefore::Slot& own = order_.slots()[slot];
    if (own.number < 2) return 0;
    return step_of(order_.slots_of(index(own.task))[own.number - 2]);
  }

  // True: the other order of the two would be new, and is planned.
  bool turn_around(const HappensBefore::Race& race) {
    const std::uint32_t at = level_of(race.first);
    if (at == no_index) return false;
    const std::optional<PredecessorSets::Pair> pair = events_.turned_around(order_, race, left_);
    if (!pair) return turn_heap_around(race, at);
    PredecessorSets& sets = statements_->sets();
    if (sets.contains(*pair)) {
      ++left_out_;
      return false;
    }
    sets.add_possible(*pair);
    Level& level = levels_[at];
    if (bound_) {
      for (const std::uint16_t task : level.enabled) {
        if (level.preemptions + cost(level, task) <= *bound_) {
          add(level, {task, task == index(race.task) ? level.chosen : nobody, *pair});
        }
      }
      return true;
    }
    reversal_.begin(race);
    const std::uint16_t task = reversal_[0].task;
    const bool possible =
        std::find(level.enabled.begin(), level.enabled.end(), task) != level.enabled.end();
    const bool is_direct = reversal_.needed() == 1;
    if (possible) add(level, {task, is_direct ? level.chosen : nobody, *pair});
    return possible;
  }

  // One of the two frees what the other one uses. The sets are about objects, not about the lives
  // of blocks: each pair of places is turned around once.
  bool turn_heap_around(const HappensBefore::Race& race, std::uint32_t at) {
    if (!race.is_of_heap || !turned_heap_.insert(places_of(race)).second) return false;
    Level& level = levels_[at];
    bool is_planned = false;
    reversal_.begin(race);
    for (const std::uint16_t task : level.enabled) {
      const bool is_wanted =
          bound_ ? level.preemptions + cost(level, task) <= *bound_ : task == reversal_[0].task;
      if (!is_wanted || task == level.chosen) continue;
      level.turns.push_back({task, mix64(places_of(race).first) + places_of(race).second});
      is_planned = true;
    }
    return is_planned;
  }

  std::pair<std::uint64_t, std::uint64_t> places_of(const HappensBefore::Race& race) const {
    const auto place = [this](std::uint32_t slot) {
      return place_of(trace_[step_of(slot)], contexts_[step_of(slot)]);
    };
    return {place(race.first), place(race.second)};
  }

  static void add(Level& level, const Plan& plan) {
    if (plan.task != level.chosen) level.plans.push_back(plan);
  }

  std::uint32_t level_of(std::uint32_t slot) const {
    const std::uint32_t step = step_of(slot);
    const auto found =
        std::lower_bound(levels_.begin(), levels_.end(), step,
                         [](const Level& level, std::uint32_t at) { return level.step < at; });
    if (found == levels_.end() || found->step != step || found->is_value) return no_index;
    return static_cast<std::uint32_t>(found - levels_.begin());
  }

  // --- Values ---

  void note_values(Trace trace) {
    for (Level& level : levels_) {
      if (!level.is_value || level.step < branch_step_ || level.step >= trace.size()) continue;
      const std::uint64_t place = place_of(trace[level.step], contexts_[level.step]);
      place_of_value_[level.step] = place;
      values_.insert({place, level.chosen});
    }
  }

  std::optional<std::uint16_t> new_value(const Level& level) const {
    const auto place = place_of_value_.find(level.step);
    if (place == place_of_value_.end()) return std::nullopt;
    for (std::uint32_t i = 0; i < level.options; ++i) {
      const auto value = static_cast<std::uint16_t>(i);
      if (!values_.contains({place->second, value})) return value;
    }
    return std::nullopt;
  }

  // --- The next execution ---

  std::optional<std::uint16_t> next_choice(Level& level) {
    if (level.is_value) return new_value(level);
    while (!level.plans.empty()) {
      const Plan plan = level.plans.back();
      level.plans.pop_back();
      const bool is_done =
          plan.task == level.chosen ||
          std::find(level.done.begin(), level.done.end(), plan.task) != level.done.end();
      if (is_done) continue;
      if (!statements_->sets().contains(plan.pair)) {
        partner_ = plan.partner;
        return plan.task;
      }
      ++left_out_;
    }
    while (!level.turns.empty()) {
      const Turn turn = level.turns.back();
      level.turns.pop_back();
      const bool is_done =
          std::find(level.done.begin(), level.done.end(), turn.task) != level.done.end();
      if (!is_done && !cut_off_[turn.place]) return turn.task;
    }
    return std::nullopt;
  }

  void backtrack() {
    partner_ = nobody;
    while (!levels_.empty()) {
      Level& level = levels_.back();
      if (const std::optional<std::uint16_t> choice = next_choice(level)) {
        level.done.push_back(level.chosen);
        level.chosen = *choice;
        branch_step_ = level.step;
        return;
      }
      place_of_value_.erase(level.step);
      levels_.pop_back();
    }
    finished_ = true;
  }

  const std::shared_ptr<Statements> statements_;
  const std::optional<std::uint64_t> bound_;  // of preemptions; otherwise by reduction
  std::uint64_t executions_ = 0;
  std::uint64_t left_out_ = 0;
  bool finished_ = false;

  std::vector<Level> levels_;
  std::size_t depth_ = 0;
  std::uint64_t branch_step_ = 0;  // the trace is a new one from here on
  std::span<const ContextId> contexts_;
  std::span<const ContextId> left_contexts_;
  std::vector<Step> left_;
  Trace trace_;
  std::set<std::pair<std::uint64_t, std::uint64_t>> turned_heap_;  // see turn_heap_around
  RunEvents events_{*statements_};
  HappensBefore order_;
  Reversal reversal_{order_};
  std::vector<HappensBefore::Race> races_;
  std::unordered_map<std::uint64_t, bool>
      cut_off_;                     // places, and whether they have been done since
  std::uint16_t partner_ = nobody;  // who gets the next turn of the execution
  std::set<std::pair<std::uint64_t, std::uint16_t>> values_;         // taken so far
  std::unordered_map<std::uint32_t, std::uint64_t> place_of_value_;  // by step
};

// Algorithm 1: random executions come first, and the sets learn from them.
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

std::unique_ptr<Strategy> make_search(const Parameters& parameters,
                                      const std::shared_ptr<Statements>& statements) {
  const std::string& base = parameters.text("base");
  if (base != "dpor" && base != "pb") {
    throw UsageError("there is no base '" + base + "' of hapset: base=dpor and base=pb are");
  }
  const std::uint64_t bound = parameters.number("bound");
  if (!parameters.flag("prune")) {
    const std::string space = base == "dpor" ? base : "pb=" + std::to_string(bound);
    return make_unpruned_hapset(parameters, space, statements);
  }
  const std::optional<std::uint64_t> preemptions =
      base == "pb" ? std::optional(bound) : std::nullopt;
  return std::make_unique<PrunedSearch>(statements, preemptions);
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

}  // namespace ricercar
