// Dynamic partial-order reduction: one complete execution for each Mazurkiewicz trace. Abdulla,
// Aronis, Jonsson, Sagonas, Source Sets: A Foundation for Optimal Dynamic Partial Order Reduction,
// JACM 64(4), 2017 (POPL 2014): sleep sets and wake-up trees.
//
// After an execution every race in its new part (happens_before.h) is reversed: a sequence of
// decisions in which the second slot comes before the first is put into the tree of the point where
// the first one was chosen, unless what sleeps there covers it already. The search goes on at the
// deepest point with a tree.
//
// Departures:
// - A sequence is what the second slot needs, then the second slot, and then only as much of the
//   rest of the execution as it takes to wake everything that sleeps (the paper: all of it). From
//   its end on nothing sleeps, so the search goes on freely and no execution is blocked by its
//   sleep set.
// - An operation that has to wait races with the last one that found the object open to it (the
//   paper's model has no such operations); also if it never came to it because of a deadlock.
// - The alternatives of a value are all explored, as in a plain depth-first search. A sequence that
//   passes a value names the alternative.
// - A step that ends the execution (exit, a bug) depends on everything: whoever could have run
//   instead of it gets a turn before it.
// - A sequence may turn out to be impossible on the way: time, fairness and spinning keep tasks
// back.
//   Then the search goes on freely from there.
// - An execution that is cut at the step limit has no end: what each task would have done next
// races
//   with what came before, and whoever could have run gets a turn. There is no promise then.
#include "base/error.h"
#include "base/no_index.h"
#include "strategy/decision_stack.h"
#include "strategy/estimate.h"
#include "strategy/happens_before.h"
#include "strategy/reversal.h"
#include "strategy/sleep_set.h"
#include "strategy/step_limit.h"
#include "strategy/strategies.h"
#include "strategy/wakeup_tree.h"

namespace ricercar {
namespace {

class PartialOrderStrategy final : public Strategy {
 public:
  bool begin() override {
    if (finished_) return false;
    depth_ = 0;
    useless_ = false;
    return true;
  }

  std::size_t choose(const ChoicePoint& point) override {
    if (depth_ < levels_.size()) [[likely]] {
      return replay(point);
    }
    follow_forced(point);
    if (useless_) return cut;
    return point.kind == ChoiceKind::value ? extend_value(point) : extend_schedule(point);
  }

  // What they would have done races with what came before.
  bool wants_late_deadlocks() const override { return true; }

  void left(Trace pending) override { left_.assign(pending.begin(), pending.end()); }
  bool wants_heap() const override { return true; }
  void used_heap(HeapTrace heap) override { order_.set_heap(heap); }

  void end(Trace trace, const Outcome& outcome) override {
    if (useless_) {
      ++cut_;
    } else {
      ++traces_;
    }
    const std::uint64_t known = levels_.empty() ? 0 : branch_step_;
    order_.rewind(known);
    races_.clear();
    if (trace.size() > known) {
      order_.extend(trace, races_);
      trace_ = trace;
      for (const Step& step : left_) order_.add_blocked(step, races_);
      const bool at_limit = !useless_ && is_cut_at_limit(trace, left_, outcome);
      if (at_limit) add_pending();
      for (const HappensBefore::Race& race : races_) reverse(race);
      if (at_limit || ends_early(trace, outcome)) give_others_a_turn(last_slot());
      if (at_limit && last_block(order_) != last_slot()) give_others_a_turn(last_block(order_));
    }
    order_.set_heap({});
    left_.clear();
    backtrack();
  }

  Coverage coverage() const override {
    if (at_limit_ != 0) return {false, limited_text("Mazurkiewicz traces", traces_, at_limit_)};
    std::string text = finished_ ? "every Mazurkiewicz trace: " : "Mazurkiewicz traces so far: ";
    text += std::to_string(traces_);
    if (cut_ != 0) text += "; " + std::to_string(cut_) + " executions were cut as redundant";
    return {finished_, text};
  }

  // An estimate as Knuth's (Mathematics of Computation 29, 1975), from the points of the current
  // execution: how many decisions were taken there, and how many are waiting.
  std::string progress() const override {
    double explored = 0;
    double weight = 1;
    for (const Level& level : levels_) {
      const double decisions = level.done + 1 + left_at(level);
      weight /= decisions;
      explored += weight * level.done;
    }
    return finished_ ? "" : estimate_text(traces_, explored, "traces");
  }

 private:
  struct Level {
    std::uint32_t step;       // of the point
    std::uint32_t slot_step;  // where the slot begins that the point belongs to
    std::uint32_t tree;       // what is waiting here
    std::uint32_t sleepers;   // the end of its part of sleepers_; it begins where the last one ends
    std::uint32_t done;       // decisions that have been explored
    std::uint16_t options;
    std::uint16_t chosen;  // the task, or the alternative
    std::uint16_t first;   // the first of the alternatives
    bool is_value;
    std::uint64_t enabled;  // the tasks that were options, as bits

    bool may_choose(std::uint16_t task) const { return task >= 64 || ((enabled >> task) & 1) != 0; }
  };

  double left_at(const Level& level) const {
    if (level.is_value) return level.options - 1.0 - level.done;
    return trees_.count(level.tree);
  }

  // --- While an execution runs ---

  std::size_t replay(const ChoicePoint& point) {
    const Level& level = levels_[depth_++];
    if (level.step != point.step || level.options != point.options.size()) [[unlikely]] {
      throw Nondeterminism(point.step, level.options, point.options.size());
    }
    if (level.is_value) return level.chosen;
    const TaskId task = task_id(level.chosen);
    if (!point.options.contains(task)) [[unlikely]] {
      useless_ = true;  // the newest decision, and an impossible one
      return cut;
    }
    return point.options.position(task);
  }

  // Takes notice of the slots since the last point in which nothing was to be decided.
  void follow_forced(const ChoicePoint& point) {
    const bool in_slot = point.kind == ChoiceKind::value;
    if (guide_ == no_index && sleep_.empty()) {
      seen_ = point.step;
      while (in_slot && seen_ > 0 && !is_decided(point.trace[--seen_])) {
      }
      return;
    }
    while (seen_ < point.step) {
      const std::uint64_t start = seen_;
      const std::uint64_t end = slot_end(point.trace, start);
      const bool complete = end < point.step || !in_slot;
      if (start != decided_) follow_guide(point.trace[start]);
      if (!complete) {
        decided_ = start;
        return;
      }
      notice(point.trace.subspan(start, end - start), heap_between(point.heap, start, end));
      seen_ = end;
    }
  }

  static std::uint64_t slot_end(Trace trace, std::uint64_t start) {
    std::uint64_t end = start + 1;
    while (end < trace.size() && !is_decided(trace[end])) ++end;
    return end;
  }

  // The slot was not decided here; the guide, if there is one, must want it.
  void follow_guide(const Step& step) {
    if (guide_ == no_index || !is_decided(step)) return;
    const std::uint32_t wanted =
        trees_.find(guide_, static_cast<std::uint16_t>(index(step.task)), false);
    if (wanted == no_index) {
      lose_guide();
      return;
    }
    const std::uint32_t children = trees_.take(guide_, wanted);
    trees_.drop(guide_);
    guide_ = children;
  }

  // What was planned is not possible; what can be done from here is still to be explored.
  void lose_guide() {
    trees_.drop(guide_);
    guide_ = no_index;
  }

  void notice(Trace slot, HeapTrace heap) {
    if (sleep_.empty()) return;
    const auto task = static_cast<std::uint16_t>(index(slot[0].task));
    if (is_decided(slot[0]) && sleep_.contains(task)) useless_ = true;
    Footprint footprint;
    for (const Step& step : slot) footprint.add(step, is_decided(step));
    for (const HeapUse& use : heap) {
      if (const auto step = order_.contended_blocks().step_of(use)) footprint.add(*step, false);
    }
    sleep_.wake(task, footprint);
  }

  Level& push(const ChoicePoint& point, std::uint16_t chosen) {
    sleepers_.insert(sleepers_.end(), sleep_.all().begin(), sleep_.all().end());
    levels_.push_back({static_cast<std::uint32_t>(point.step),
                       static_cast<std::uint32_t>(point.step), no_index,
                       static_cast<std::uint32_t>(sleepers_.size()), 0,
                       static_cast<std::uint16_t>(point.options.size()), chosen, chosen, false,
                       point.kind == ChoiceKind::schedule ? point.options.mask() : 0});
    ++depth_;
    return levels_.back();
  }

  std::size_t extend_value(const ChoicePoint& point) {
    std::uint16_t chosen = 0;
    std::uint32_t rest = guide_;
    std::uint32_t next = no_index;
    if (guide_ != no_index) {
      const WakeupTrees::Node& wanted = trees_[guide_];
      if (wanted.is_value && wanted.choice < point.options.size()) {
        chosen = wanted.choice;
        next = trees_.take(rest, guide_);
      } else {
        lose_guide();
        rest = no_index;
      }
    }
    Level& level = push(point, chosen);
    level.is_value = true;
    level.slot_step = static_cast<std::uint32_t>(seen_);
    level.tree = rest;
    guide_ = next;
    return chosen;
  }

  std::size_t extend_schedule(const ChoicePoint& point) {
    decided_ = point.step;
    if (guide_ != no_index) {
      const WakeupTrees::Node& wanted = trees_[guide_];
      if (!wanted.is_value && point.options.contains(task_id(wanted.choice))) {
        return extend_guided(point);
      }
      lose_guide();
    }
    std::uint32_t option = default_option(point);
    if (!sleep_.empty()) {
      option = awake_option(point, option);
      if (option == no_index) {
        useless_ = true;
        return cut;
      }
    }
    push(point, static_cast<std::uint16_t>(index(point.options.task(option))));
    return option;
  }

  std::size_t extend_guided(const ChoicePoint& point) {
    const std::uint16_t task = trees_[guide_].choice;
    std::uint32_t rest = guide_;
    const std::uint32_t next = trees_.take(rest, guide_);
    push(point, task).tree = rest;
    guide_ = next;
    return point.options.position(task_id(task));
  }

  std::uint32_t awake_option(const ChoicePoint& point, std::uint32_t wanted) const {
    std::uint32_t found = no_index;
    point.options.for_each([&](const Option& option, std::uint32_t i) {
      if (sleep_.contains(static_cast<std::uint16_t>(index(option.task)))) return;
      if (found == no_index || i == wanted) found = i;
    });
    return found;
  }

  // --- Races ---

  std::uint32_t level_of(std::uint32_t slot) const {
    const std::uint32_t step = order_.slots()[slot].step;
    const auto found =
        std::lower_bound(levels_.begin(), levels_.end(), step,
                         [](const Level& level, std::uint32_t at) { return level.step < at; });
    if (found == levels_.end() || found->step != step || found->is_value) return no_index;
    return static_cast<std::uint32_t>(found - levels_.begin());
  }

  std::span<const Sleeper> sleepers_of(std::uint32_t level) const {
    const std::uint32_t begin = level == 0 ? 0 : levels_[level - 1].sleepers;
    return {sleepers_.data() + begin, levels_[level].sleepers - begin};
  }

  void reverse(const HappensBefore::Race& race) {
    const std::uint32_t level = level_of(race.first);
    if (level == no_index) return;  // nobody else could run there
    reversal_.begin(race);
    // The scheduler itself keeps tasks back: time, fairness, spinning.
    if (!levels_[level].may_choose(reversal_[0].task)) return;
    for (const Sleeper& sleeper : sleepers_of(level)) {
      if (reversal_.is_weak_initial(sleeper.task, sleeper.footprint)) return;
    }
    insert(level);
  }

  // Goes down the tree as long as a branch begins with what the sequence could begin with, and adds
  // what is left of the sequence there.
  void insert(std::uint32_t at) {
    path_sleep_.assign(sleepers_of(at));
    // The decision that is being explored will sleep too when the sequence is run.
    const HappensBefore::Slot& first = order_.slots()[reversal_.race().first];
    path_sleep_.add({static_cast<std::uint16_t>(index(first.task)), first.footprint});
    std::uint32_t parent = no_index;
    std::uint32_t child = levels_[at].tree;
    while (child != no_index) {
      const WakeupTrees::Node node = trees_[child];
      if (node.is_value || !reversal_.is_weak_initial(node.choice, node.footprint)) {
        path_sleep_.add({node.choice, node.footprint});
        child = node.next;
        continue;
      }
      const std::size_t same = reversal_.first_of(node.choice);
      const bool in_sequence = same < reversal_.size();
      path_sleep_.wake(node.choice, node.footprint);
      parent = child;
      child = node.children;
      if (in_sequence) {
        values_of(reversal_[same]);
        reversal_.remove(same);
        for (const std::uint16_t value : values_) {
          if (child == no_index) return;
          const std::uint32_t found = trees_.find(child, value, true);
          if (found == no_index) return add_branch(at, parent, value);
          parent = found;
          child = trees_[found].children;
        }
      }
      if (child == no_index) return;  // whatever comes after it will be explored
      if (reversal_.needed() == 0) return;
    }
    add_branch(at, parent, std::nullopt);
  }

  void values_of(const Reversal::Element& element) {
    values_.clear();
    if (element.slot == HappensBefore::none) return;
    const std::uint64_t start = order_.slots()[element.slot].step;
    const std::uint64_t end = slot_end(trace_, start);
    for (std::uint64_t i = start; i < end; ++i) {
      if ((trace_[i].flags & step_value) != 0) {
        values_.push_back(static_cast<std::uint16_t>(trace_[i].value));
      }
    }
  }

  std::uint32_t add_node(std::uint32_t at, std::uint32_t parent, std::uint16_t choice,
                         bool is_value, const Footprint& footprint) {
    if (parent == no_index) return trees_.append(levels_[at].tree, choice, is_value, footprint);
    return trees_.append_child(parent, choice, is_value, footprint);
  }

  void add_branch(std::uint32_t at, std::uint32_t parent, std::optional<std::uint16_t> value) {
    if (value) parent = add_node(at, parent, *value, true, {});
    std::size_t i = 0;
    while (true) {
      if (i >= reversal_.needed()) {
        if (path_sleep_.empty()) return;
        reversal_.add_rest();
      }
      if (i >= reversal_.size()) return;
      const Reversal::Element element = reversal_[i++];
      const Footprint& footprint = reversal_.footprint_of(element);
      parent = add_node(at, parent, element.task, false, footprint);
      path_sleep_.wake(element.task, footprint);
      values_of(element);
      for (const std::uint16_t alternative : values_) {
        parent = add_node(at, parent, alternative, true, {});
      }
    }
  }

  // --- Ends ---

  void add_pending() {
    ++at_limit_;
    for (const Step& step : left_) order_.add_pending(step, races_);
  }

  bool ends_early(Trace trace, const Outcome& outcome) const {
    if (left_.empty() || useless_) return false;
    const Step& last = trace[order_.slots().back().step];
    return outcome.is_bug() || last.kind == OperationKind::exit;
  }

  std::uint32_t last_slot() const { return static_cast<std::uint32_t>(order_.slots().size() - 1); }

  void give_others_a_turn(std::uint32_t last) {
    const std::uint32_t level = level_of(last);
    if (level == no_index) return;
    const auto task = static_cast<std::uint16_t>(index(order_.slots()[last].task));
    const bool exits = trace_[order_.slots()[last].step].kind == OperationKind::exit;
    for (const Step& step : left_) {
      const auto other = static_cast<std::uint16_t>(index(step.task));
      if (other == task || (step.flags & step_blocked) != 0) continue;
      if (!levels_[level].may_choose(other)) continue;
      if (trees_.find(levels_[level].tree, other, false) != no_index) continue;
      const auto sleepers = sleepers_of(level);
      if (std::any_of(sleepers.begin(), sleepers.end(),
                      [other](const Sleeper& sleeper) { return sleeper.task == other; })) {
        continue;
      }
      Footprint footprint;
      footprint.add_pending(step);
      const std::uint32_t turn = trees_.append(levels_[level].tree, other, false, footprint);
      if (exits) trees_.append_child(turn, task, false, Footprint::all());
    }
  }

  // Goes on at the deepest point that has something left.
  void backtrack() {
    trees_.drop(guide_);
    guide_ = no_index;
    while (!levels_.empty()) {
      Level& level = levels_.back();
      sleepers_.resize(level.sleepers);
      ++level.done;
      if (level.is_value ? next_value(level) : next_task(level)) {
        resume(level);
        return;
      }
      trees_.drop(level.tree);
      levels_.pop_back();
    }
    finished_ = true;
  }

  bool next_task(Level& level) {
    if (level.tree == no_index) return false;
    sleepers_.push_back({level.chosen, footprint_at(level.step)});
    level.sleepers = static_cast<std::uint32_t>(sleepers_.size());
    level.chosen = trees_[level.tree].choice;
    guide_ = trees_.take(level.tree, level.tree);
    return true;
  }

  bool next_value(Level& level) {
    if (level.done >= level.options) return false;
    std::uint16_t next =
        level.chosen == level.first ? 0 : static_cast<std::uint16_t>(level.chosen + 1);
    if (next == level.first) ++next;
    level.chosen = next;
    const std::uint32_t known = trees_.find(level.tree, next, true);
    if (known != no_index) guide_ = trees_.take(level.tree, known);
    return true;
  }

  // Of the slot that was chosen there; an execution that was lost tells nothing.
  Footprint footprint_at(std::uint32_t step) const {
    const std::uint32_t slot = order_.slot_at(step);
    return slot == no_index ? Footprint::all() : order_.slots()[slot].footprint;
  }

  // The next execution follows the decisions up to this one. From there on the slots are new.
  void resume(const Level& level) {
    branch_step_ = level.slot_step;
    seen_ = level.slot_step;
    decided_ = level.slot_step;
    const auto at = static_cast<std::uint32_t>(levels_.size() - 1);
    sleep_.assign(sleepers_of(at));
  }

  std::vector<Level> levels_;
  std::vector<Sleeper> sleepers_;  // of the levels, one after the other
  WakeupTrees trees_;
  HappensBefore order_;
  std::vector<HappensBefore::Race> races_;
  std::vector<Step> left_;
  Trace trace_;
  std::uint64_t branch_step_ = 0;
  std::uint64_t traces_ = 0;
  std::uint64_t cut_ = 0;
  std::uint64_t at_limit_ = 0;  // executions that were cut at the step limit
  bool finished_ = false;

  // The current execution.
  std::size_t depth_ = 0;           // how many points have been decided
  std::uint32_t guide_ = no_index;  // the decisions to take next
  SleepSet sleep_;
  std::uint64_t seen_ = 0;                     // steps that guide_ and sleep_ know about
  std::uint64_t decided_ = ~std::uint64_t{0};  // the step of the last decision taken here
  bool useless_ = false;

  Reversal reversal_{order_};  // of the race that is being looked at
  SleepSet path_sleep_;
  std::vector<std::uint16_t> values_;
};

}  // namespace

std::unique_ptr<Strategy> make_dpor(const Parameters&) {
  return std::make_unique<PartialOrderStrategy>();
}

}  // namespace ricercar
