// The priorities of partial order sampling: the next step of every task has a random one. A step
// that was performed gives new priorities to its task and to all tasks whose next step it races
// with. (X. Yuan, J. Yang, R. Gu, Partial Order Aware Concurrency Sampling, CAV 2018.)
//
// A step costs about the same with two tasks and with a hundred, also if they all race: who races
// is known by object (next_touches.h), and priorities are drawn as far as they matter
// (random_order.h).
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "base/random.h"
#include "model/choice.h"
#include "strategy/next_touches.h"
#include "strategy/random_order.h"
#include "strategy/rare_moments.h"

namespace ricercar::inline strategy {

class StepPriorities {
 public:
  void begin() {
    order_.begin();
    next_.begin();
    seen_ = 0;
  }

  // To be told of every schedule point, before highest().
  void follow(const ChoicePoint& point) {
    const Trace steps = point.trace.subspan(seen_);
    seen_ = point.trace.size();
    make_room(point, steps);
    changed_.assign(changed_.size(), 0);
    for (const Step& step : steps) {
      if (counts(step))
        changed_[index(step.task) / 64] |= std::uint64_t{1} << index(step.task) % 64;
    }
    next_.follow(point, changed_);
    for (const Step& step : steps) {
      if (counts(step)) next_.add_racing(step, changed_);
    }
    order_.draw_again(changed_);
  }

  // Of the common options that may run, or of all of them if none may; RareMoments::none: there is
  // no common option. `may_run` is asked for the highest one first.
  template <typename MayRun>
  std::uint32_t highest(const ChoicePoint& point, Random& random, MayRun may_run) {
    const std::uint32_t first = highest(point, random);
    if (first == RareMoments::none || may_run(*point.options[first].operation)) return first;
    left_.assign(left_.size(), 0);
    bool has_any = false;
    point.options.for_each([&](const Option& option, std::uint32_t i) {
      if (!is_common(point, option.task, i) || !may_run(*option.operation)) return;
      left_[index(option.task) / 64] |= std::uint64_t{1} << index(option.task) % 64;
      has_any = true;
    });
    return has_any ? position_of_highest(point, random) : first;
  }
  std::uint32_t highest(const ChoicePoint& point, Random& random) {
    const std::span<const std::uint64_t> tasks = point.options.tasks().words();
    std::copy(tasks.begin(), tasks.end(), left_.begin());
    std::fill(left_.begin() + static_cast<std::ptrdiff_t>(tasks.size()), left_.end(), 0);
    if (point.early.tasks != nullptr || point.fault.option != FaultOption::none) {
      if (!leave_out_rare(point)) return RareMoments::none;
    }
    return position_of_highest(point, random);
  }

 private:
  static bool counts(const Step& step) { return (step.flags & step_value) == 0; }

  void make_room(const ChoicePoint& point, Trace steps) {
    std::size_t words = std::max(point.options.tasks().words().size(), changed_.size());
    for (const Step& step : steps) words = std::max<std::size_t>(words, index(step.task) / 64 + 1);
    if (words == changed_.size()) return;
    changed_.resize(words);
    left_.resize(words);
    order_.set_words(words);
    next_.set_words(words);
  }

  // False: nothing else is left.
  bool leave_out_rare(const ChoicePoint& point) {
    std::uint64_t all = 0;
    for (std::size_t i = 0; i < left_.size(); ++i) {
      const TaskSet* early = point.early.tasks;
      if (early != nullptr && i < early->words().size()) left_[i] &= ~early->words()[i];
    }
    if (point.fault.option != FaultOption::none) {
      const std::uint32_t fault = index(point.options.task(point.fault.option));
      left_[fault / 64] &= ~(std::uint64_t{1} << fault % 64);
    }
    for (const std::uint64_t word : left_) all |= word;
    return all != 0;
  }

  std::uint32_t position_of_highest(const ChoicePoint& point, Random& random) {
    return point.options.position(task_id(order_.highest(left_, random)));
  }

  RandomOrder order_;
  NextTouches next_;
  TaskWords changed_{0};  // those with new priorities
  TaskWords left_{0};     // those of which the highest is looked for
  std::size_t seen_ = 0;  // steps of the trace
};

}  // namespace ricercar::inline strategy
