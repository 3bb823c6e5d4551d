// Who may be chosen: time limits, fairness for those who yield, tasks that spin.
#include <algorithm>

#include "threads/execution.h"

namespace ricercar {

const TaskSet& Execution::filtered_options() {
  options_buffer_ = ready_;
  options_buffer_.add(due_);
  if (!yielders_.empty()) apply_fairness(options_buffer_);
  return options_buffer_;
}

void Execution::set_deadline(Task& task, std::uint64_t nanoseconds) {
  touches_world();
  task.deadline = nanoseconds;
  task.timed = true;
  timed_.insert(task.id);
  refresh_due();
}

void Execution::clear_deadline(Task& task) {
  if (!task.timed) return;
  touches_world();
  task.timed = false;
  timed_.erase(task.id);
  refresh_due();
}

// Only the earliest deadlines may come next; whoever has them is an option.
void Execution::refresh_due() {
  std::uint64_t earliest = ~std::uint64_t{0};
  timed_.for_each([&](TaskId id) { earliest = std::min(earliest, tasks_[index(id)].deadline); });
  due_.clear();
  timed_.for_each([&](TaskId id) {
    if (tasks_[index(id)].deadline == earliest) due_.insert(id);
  });
  filter_ = !timed_.empty() || !yielders_.empty();
}

// CHESS's fair scheduling (Musuvathi and Qadeer, PLDI'08): a task that yields is not chosen again
// before every task that was enabled at its last yield, and is enabled now, has been chosen since.
// Departure: "enabled at both yields" stands for "enabled all the time or disabled by the yielding
// task". Only every eighth yield counts (the paper's parameter k): code that yields a few times
// before it blocks, as the C++ library's atomic waits do, must be able to come to its blocking.
void Execution::yielded() {
  constexpr std::uint32_t counted = 8;
  Task& self = *current_;
  if (++self.yields % counted != 0) return;
  if (self.has_yielded) {
    self.waits_for.clear();
    self.enabled_at_yield.for_each([&](TaskId id) {
      if (id != self.id && tasks_[index(id)].last_step <= self.yield_step &&
          tasks_[index(id)].state != TaskState::ended) {
        self.waits_for.insert(id);
      }
    });
    if (!self.waits_for.empty()) {
      yielders_.insert(self.id);
      filter_ = true;
    }
  }
  self.has_yielded = true;
  self.yield_step = step_count_;
  self.enabled_at_yield = ready_;
  self.enabled_at_yield.add(due_);
}

void Execution::apply_fairness(TaskSet& options) {
  TaskSet waiting;
  TaskSet done;
  yielders_.for_each([&](TaskId id) {
    Task& task = tasks_[index(id)];
    TaskSet seen;
    task.waits_for.for_each([&](TaskId other) {
      if (tasks_[index(other)].last_step > task.yield_step) seen.insert(other);
    });
    task.waits_for.remove(seen);
    if (task.waits_for.empty()) done.insert(id);
    if (task.waits_for.intersects(options)) waiting.insert(id);
  });
  yielders_.remove(done);
  filter_ = !timed_.empty() || !yielders_.empty();
  TaskSet rest = options;
  rest.remove(waiting);
  if (!rest.empty()) options = rest;
}

void Execution::spins() {
  ready_.erase(current_->id);
  spinning_.insert(current_->id);
  any_spinning_ = true;
}

void Execution::wake_spinning() {
  ready_.add(spinning_);
  spinning_.clear();
  any_spinning_ = false;
  any_plain_spin_ = false;
}

}  // namespace ricercar
