// The priorities of tasks for strategies that always run the highest one: random at first, lowered
// on the way (pct.cc).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "base/check.h"
#include "base/random.h"
#include "model/choice.h"

namespace ricercar::inline strategy {

// An option of a choice point.
struct PrioritizedTask {
  TaskId task = no_task;
  std::uint32_t option = 0;
  std::uint64_t priority = 0;
};

// The priorities of all tasks, and the tasks in the order of their priorities once there is a point
// with many options: there the order finds the highest one sooner than a look at every option.
class TaskPriorities {
 public:
  void clear() {
    known_ = 0;
    lowest_ = yielded_top;
    ordered_ = false;
  }

  std::uint32_t known() const { return known_; }
  // Gives a random priority to all tasks with numbers up to that of `task`.
  void add_up_to(TaskId task, Random& random) {
    while (known_ <= index(task)) {
      priorities_[known_] = initial_base + random.below(0xffffffff);
      if (ordered_) insert(task_id(known_));
      ++known_;
    }
  }

  // TaskPriorities of change points: above those of tasks that yielded, below those of all others.
  void lower(TaskId task, std::uint32_t priority) { change(task, yielded_top + priority); }
  void lower_below_all(TaskId task) { change(task, --lowest_); }

  PrioritizedTask highest(const OptionList& options) {
    if (options.size() > few_options) return first_in_order(options);
    PrioritizedTask best;
    options.for_each([&](const Option& option, std::uint32_t i) {
      const std::uint64_t priority = priorities_[index(option.task)];
      if (priority > best.priority) best = {option.task, i, priority};
    });
    return best;
  }

 private:
  static constexpr std::uint32_t few_options = 12;
  static constexpr std::uint64_t yielded_top = std::uint64_t{1} << 40;
  static constexpr std::uint64_t initial_base = std::uint64_t{1} << 41;

  bool is_higher(TaskId a, TaskId b) const { return priorities_[index(a)] > priorities_[index(b)]; }

  PrioritizedTask first_in_order(const OptionList& options) {
    if (!ordered_) make_order();
    const auto found = std::find_if(order_.begin(), order_.end(),
                                    [&](TaskId task) { return options.contains(task); });
    RICERCAR_CHECK(found != order_.end());
    return {*found, options.position(*found), priorities_[index(*found)]};
  }

  void make_order() {
    order_.clear();
    for (std::uint32_t i = 0; i < known_; ++i) order_.push_back(task_id(i));
    std::sort(order_.begin(), order_.end(), [this](TaskId a, TaskId b) { return is_higher(a, b); });
    ordered_ = true;
  }

  void insert(TaskId task) {
    const auto place = std::upper_bound(order_.begin(), order_.end(), task,
                                        [this](TaskId a, TaskId b) { return is_higher(a, b); });
    order_.insert(place, task);
  }

  void change(TaskId task, std::uint64_t priority) {
    priorities_[index(task)] = priority;
    if (!ordered_) return;
    order_.erase(std::find(order_.begin(), order_.end(), task));
    insert(task);
  }

  std::array<std::uint64_t, max_tasks> priorities_ = {};
  std::uint32_t known_ = 0;  // tasks with smaller numbers have a priority
  std::uint64_t lowest_ = yielded_top;
  bool ordered_ = false;       // order_ is up to date
  std::vector<TaskId> order_;  // from the highest priority to the lowest
};

}  // namespace ricercar::inline strategy
