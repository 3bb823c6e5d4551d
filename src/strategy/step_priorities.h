// The priorities of partial order sampling: the next step of every task has a random one. A step
// that was performed gives new priorities to its task and to all tasks whose next step it races
// with. (X. Yuan, J. Yang, R. Gu, Partial Order Aware Concurrency Sampling, CAV 2018.)
#pragma once

#include <cstdint>
#include <vector>

#include "base/random.h"
#include "model/choice.h"
#include "model/dependence.h"
#include "strategy/rare_moments.h"

namespace ricercar::inline strategy {

class StepPriorities {
 public:
  void begin() {
    priorities_.clear();
    seen_ = 0;
  }

  // To be told of every schedule point, before highest().
  void follow(const ChoicePoint& point) {
    for (const Step& step : point.trace.subspan(seen_)) draw_after(step, point.options);
    seen_ = point.trace.size();
  }

  // Of the common options that may run; RareMoments::none: no common option may.
  template <typename MayRun>
  std::uint32_t highest(const ChoicePoint& point, Random& random, MayRun may_run) {
    std::uint32_t best = RareMoments::none;
    std::uint64_t best_priority = 0;
    point.options.for_each([&](const Option& option, std::uint32_t i) {
      if (!is_common(point, option.task, i)) return;
      std::uint64_t& priority = priority_of(option.task);
      if (priority == 0) priority = 1 + random.below(0xfffffffe);
      if (priority > best_priority && may_run(option)) best = i, best_priority = priority;
    });
    return best;
  }
  std::uint32_t highest(const ChoicePoint& point, Random& random) {
    return highest(point, random, [](const Option&) { return true; });
  }

 private:
  // 0: to be drawn.
  std::uint64_t& priority_of(TaskId task) {
    if (index(task) >= priorities_.size()) priorities_.resize(index(task) + 1, 0);
    return priorities_[index(task)];
  }

  void draw_after(const Step& step, const OptionList& options) {
    if ((step.flags & step_value) != 0) return;
    priority_of(step.task) = 0;
    const bool is_plain = touches_memory_only(step.kind, step.object) &&
                          (step.flags & step_world) == 0 && (step.open & needs_life) == 0;
    if (is_plain) return draw_after_touch(step, options);
    Footprint done;
    done.add(step, true);
    const bool is_away = touches_no_memory(step.kind);
    options.for_each([&](const Option& option, std::uint32_t) {
      const Operation& next = *option.operation;
      if (option.task == step.task || (is_away && touches_memory_only(next.kind, next.object)))
        return;
      if (footprint_of(option).depends_on(done)) priority_of(option.task) = 0;
    });
  }

  // The same as above, without footprints: there is one at every step for each thread that could go
  // on, and nearly all are about other objects.
  void draw_after_touch(const Step& step, const OptionList& options) {
    const Touch done = touch_of(step.kind, step.object, step.size);
    options.for_each([&](const Option& option, std::uint32_t) {
      const Operation& next = *option.operation;
      const bool depends = touches_memory_only(next.kind, next.object)
                               ? is_race(touch_of(next.kind, next.object, next.size), done)
                               : depends_on(option, step);
      if (depends && option.task != step.task) priority_of(option.task) = 0;
    });
  }

  static bool touches_memory_only(OperationKind kind, std::uint64_t object) {
    const Touches touches = info(kind).touches;
    return object < objects::pseudo && (touches == Touches::reads || touches == Touches::writes);
  }
  // What tasks there are, or nothing at all.
  static bool touches_no_memory(OperationKind kind) {
    const Touches touches = info(kind).touches;
    return kind != OperationKind::exit &&
           (touches == Touches::nothing || touches == Touches::own_end ||
            touches == Touches::task_list || touches == Touches::others_end);
  }
  static Touch touch_of(OperationKind kind, std::uint64_t object, std::uint8_t size) {
    return {object, size == 0 ? 1U : size, info(kind).touches == Touches::writes};
  }
  static bool is_race(const Touch& one, const Touch& other) {
    return (one.writes || other.writes) && one.overlaps(other);
  }
  static bool depends_on(const Option& option, const Step& step) {
    const Touches touches = info(option.operation->kind).touches;
    if (touches == Touches::nothing && option.operation->kind != OperationKind::exit) return false;
    Footprint done;
    done.add(step, true);
    return footprint_of(option).depends_on(done);
  }

  static Footprint footprint_of(const Option& option) {
    const Operation& next = *option.operation;
    Footprint result;
    result.add(Step{next.site, next.object, 0, option.task, next.kind, 0, next.size, 0, 0}, true);
    return result;
  }

  std::vector<std::uint64_t> priorities_;  // of the next step of each task
  std::size_t seen_ = 0;                   // steps of the trace
};

}  // namespace ricercar::inline strategy
