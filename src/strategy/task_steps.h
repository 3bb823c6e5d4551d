// The steps of an execution by task: what a task did next, or wanted to do when the execution
// ended.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "model/trace.h"

namespace ricercar::inline strategy {

class TaskSteps {
 public:
  // `left`: see WantsRest::left. Both must outlive the questions.
  void assign(Trace trace, Trace left) {
    trace_ = trace;
    left_ = left;
    for (std::vector<std::uint32_t>& own : steps_) own.clear();
    for (std::uint32_t i = 0; i < trace.size(); ++i) of(trace[i].task).push_back(i);
  }

  Trace trace() const { return trace_; }

  // The task's first step at `step` or behind it; nullptr: it had none.
  const Step* next(TaskId task, std::uint64_t step) const {
    if (index(task) < steps_.size()) {
      const std::vector<std::uint32_t>& own = steps_[index(task)];
      const auto found = std::lower_bound(own.begin(), own.end(), step);
      if (found != own.end()) return &trace_[*found];
    }
    for (const Step& wanted : left_) {
      if (wanted.task == task) return &wanted;
    }
    return nullptr;
  }

 private:
  std::vector<std::uint32_t>& of(TaskId task) {
    if (index(task) >= steps_.size()) steps_.resize(index(task) + 1);
    return steps_[index(task)];
  }

  Trace trace_;
  Trace left_;
  std::vector<std::vector<std::uint32_t>> steps_;  // by task, in ascending order
};

}  // namespace ricercar::inline strategy
