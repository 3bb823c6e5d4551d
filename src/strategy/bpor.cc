// Bounded partial-order reduction: preemption bounding and reduction together, without losing
// anything that the bound alone would reach (Coons, Musuvathi, McKinley, Bounded Partial-Order
// Reduction, OOPSLA 2013).
//
// Depth first. After an execution every slot of its new part is compared with the earlier ones that
// it depends on and that do not happen before it for another reason: its task gets a turn before
// each of them. That may cost a preemption that the bound does not allow, while the same behaviour
// is within the bound if the task runs before the whole block of slots that the other task ran
// without a switch; so the task gets a turn there, too (the paper's conservative points). Sleep
// sets are not used: with a bound they are not sound.
#include "base/error.h"
#include "base/no_index.h"
#include "strategy/decision_stack.h"
#include "strategy/happens_before.h"
#include "strategy/step_limit.h"
#include "strategy/strategies.h"

namespace ricercar {
namespace {

constexpr std::uint32_t max_reduced_tasks = 64;

constexpr std::uint64_t bit(std::uint32_t task) { return std::uint64_t{1} << task; }

class BoundedReductionStrategy final : public Strategy {
 public:
  explicit BoundedReductionStrategy(std::uint64_t bound) : bound_(bound) {
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
    return point.kind == ChoiceKind::value ? extend_value(point) : extend_schedule(point);
  }

  bool wants_late_deadlocks() const override { return true; }
  void left(Trace pending) override { left_.assign(pending.begin(), pending.end()); }
  bool wants_heap() const override { return true; }
  void used_heap(HeapTrace heap) override { order_.set_heap(heap); }

  void end(Trace trace, const Outcome& outcome) override {
    ++executions_;
    order_.rewind(branch_step_);
    races_.clear();
    if (trace.size() > branch_step_) {
      order_.extend(trace, races_);
      for (const Step& step : left_) order_.add_blocked(step, races_);
      const bool at_limit = is_cut_at_limit(trace, left_, outcome);
      if (at_limit) add_pending();
      for (const HappensBefore::Race& race : races_) give_turn(race);
      const bool ends_early = at_limit || outcome.is_bug() || is_exit(trace);
      if (!left_.empty() && ends_early) give_others_a_turn(last_slot());
      if (at_limit) give_others_a_turn(last_block(order_));
    }
    order_.set_heap({});
    left_.clear();
    backtrack();
  }

  Coverage coverage() const override {
    const std::string bound =
        std::to_string(bound_) + (bound_ == 1 ? " preemption" : " preemptions");
    const std::string count = std::to_string(executions_);
    if (at_limit_ != 0) {
      const std::string what = "executions with at most " + bound + ", reduced";
      return {false, limited_text(what, executions_, at_limit_)};
    }
    if (!finished_) {
      return {false, "executions with at most " + bound + ", reduced, not yet all: " + count};
    }
    if (!beyond_) return {true, "every execution up to the order of steps that commute: " + count};
    return {true, "every execution with at most " + bound +
                      ", up to the order of steps that commute: " + count};
  }

 private:
  struct Level {
    std::uint32_t step;
    std::uint32_t preemptions;  // before it
    std::uint16_t options;
    std::uint16_t chosen;  // the task, or the alternative
    std::uint16_t running;
    bool is_value;
    std::uint64_t enabled;
    std::uint64_t wanted;  // tasks that are to be explored
    std::uint64_t done;
  };
  static constexpr std::uint16_t nobody = 0xffff;

  std::size_t replay(const ChoicePoint& point) {
    const Level& level = levels_[depth_++];
    if (level.step != point.step || level.options != point.options.size()) [[unlikely]] {
      throw Nondeterminism(point.step, level.options, point.options.size());
    }
    return level.is_value ? level.chosen : point.options.position(task_id(level.chosen));
  }

  Level& push(const ChoicePoint& point) {
    std::uint32_t preemptions = 0;
    if (!levels_.empty()) preemptions = levels_.back().preemptions + cost(levels_.back());
    levels_.push_back({static_cast<std::uint32_t>(point.step), preemptions,
                       static_cast<std::uint16_t>(point.options.size()), 0, nobody, false, 0, 0,
                       0});
    ++depth_;
    return levels_.back();
  }

  std::size_t extend_value(const ChoicePoint& point) {
    push(point).is_value = true;
    return 0;
  }

  std::size_t extend_schedule(const ChoicePoint& point) {
    Level& level = push(point);
    level.enabled = point.options.mask();
    if (static_cast<std::uint32_t>(std::popcount(level.enabled)) != level.options) {
      throw UsageError("bpor can handle " + std::to_string(max_reduced_tasks) +
                       " threads, and this program has more: use dpor or pb");
    }
    if (point.running != no_task) level.running = static_cast<std::uint16_t>(index(point.running));
    const std::uint32_t option = default_option(point);
    level.chosen = static_cast<std::uint16_t>(index(point.options.task(option)));
    level.wanted = level.done = bit(level.chosen);
    return option;
  }

  static std::uint32_t cost(const Level& level) {
    return !level.is_value && level.running != nobody && level.chosen != level.running ? 1 : 0;
  }

  // The level at which a slot was chosen; `no_index` if there was no choice.
  std::uint32_t level_of(std::uint32_t slot) const {
    const std::uint32_t step = order_.slots()[slot].step;
    const auto found =
        std::lower_bound(levels_.begin(), levels_.end(), step,
                         [](const Level& level, std::uint32_t at) { return level.step < at; });
    if (found == levels_.end() || found->step != step || found->is_value) return no_index;
    return static_cast<std::uint32_t>(found - levels_.begin());
  }

  void want(std::uint32_t slot, std::uint32_t task) {
    const std::uint32_t at = level_of(slot);
    if (at == no_index) return;
    Level& level = levels_[at];
    level.wanted |= (level.enabled & bit(task)) != 0 ? bit(task) : level.enabled;
  }

  void give_turn(const HappensBefore::Race& race) {
    const std::uint32_t task = index(race.task);
    if (task >= max_reduced_tasks) return;
    want(race.first, task);
    std::uint32_t block = race.first;
    const std::vector<HappensBefore::Slot>& slots = order_.slots();
    while (block > 0 && slots[block - 1].task == slots[block].task) --block;
    if (block != race.first) want(block, task);
  }

  bool is_exit(Trace trace) const {
    return trace[order_.slots().back().step].kind == OperationKind::exit;
  }

  void add_pending() {
    ++at_limit_;
    for (const Step& step : left_) order_.add_pending(step, races_);
  }

  std::uint32_t last_slot() const { return static_cast<std::uint32_t>(order_.slots().size() - 1); }

  // A step that ends the execution depends on everything.
  void give_others_a_turn(std::uint32_t slot) {
    const std::uint32_t at = level_of(slot);
    if (at != no_index) levels_[at].wanted = levels_[at].enabled;
  }

  void backtrack() {
    while (!levels_.empty()) {
      Level& level = levels_.back();
      if (level.is_value ? next_value(level) : next_task(level)) {
        branch_step_ = level.step;
        // A value belongs to the slot that began before it.
        while (level.is_value && !order_.slots().empty() &&
               order_.slots().back().step >= branch_step_) {
          order_.rewind(order_.slots().back().step);
        }
        if (level.is_value && !order_.slots().empty()) branch_step_ = order_.slots().back().step;
        return;
      }
      levels_.pop_back();
    }
    finished_ = true;
  }

  static bool next_value(Level& level) { return ++level.chosen < level.options; }

  bool next_task(Level& level) {
    for (std::uint64_t rest = level.wanted & ~level.done; rest != 0; rest &= rest - 1) {
      const auto task = static_cast<std::uint16_t>(std::countr_zero(rest));
      level.done |= bit(task);
      level.chosen = task;
      if (level.preemptions + cost(level) <= bound_) return true;
      beyond_ = true;
    }
    return false;
  }

  const std::uint64_t bound_;
  std::vector<Level> levels_;
  std::size_t depth_ = 0;
  HappensBefore order_;
  std::vector<HappensBefore::Race> races_;
  std::vector<Step> left_;
  std::uint64_t branch_step_ = 0;
  std::uint64_t executions_ = 0;
  std::uint64_t at_limit_ = 0;  // executions that were cut at the step limit
  bool beyond_ = false;         // there is something that the bound does not allow
  bool finished_ = false;
};

}  // namespace

std::unique_ptr<Strategy> make_bpor(const Parameters& parameters) {
  return std::make_unique<BoundedReductionStrategy>(parameters.number("bound"));
}

}  // namespace ricercar
