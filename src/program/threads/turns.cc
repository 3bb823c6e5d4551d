#include "threads/turns.h"

#include <algorithm>

namespace ricercar::inline threads {

const TaskSet& Turns::filtered(Tasks& tasks) {
  options_ = ready_;
  options_.add(due_);
  if (!yielders_.empty()) apply_fairness(tasks, options_);
  return options_;
}

void Turns::set_deadline(const Tasks& tasks, Task& task, std::uint64_t nanoseconds) {
  task.deadline = nanoseconds;
  task.timed = true;
  timed_.insert(task.id);
  refresh_due(tasks);
}

void Turns::clear_deadline(const Tasks& tasks, Task& task) {
  task.timed = false;
  timed_.erase(task.id);
  refresh_due(tasks);
}

void Turns::refresh_due(const Tasks& tasks) {
  std::uint64_t earliest = ~std::uint64_t{0};
  timed_.for_each([&](TaskId id) { earliest = std::min(earliest, tasks[id].deadline); });
  due_.clear();
  timed_.for_each([&](TaskId id) {
    if (tasks[id].deadline == earliest) due_.insert(id);
  });
  refresh_filter();
}

// CHESS's fair scheduling (Musuvathi and Qadeer, PLDI'08): a task that yields is not chosen again
// before every task that was enabled at its last yield, and is enabled now, has been chosen since.
// Departure: "enabled at both yields" stands for "enabled all the time or disabled by the yielding
// task". Only every eighth yield counts (the paper's parameter k): code that yields a few times
// before it blocks, as the C++ library's atomic waits do, must be able to come to its blocking.
void Turns::yielded(const Tasks& tasks, Task& self, std::uint64_t step) {
  constexpr std::uint32_t counted = 8;
  if (++self.yields % counted != 0) return;
  if (self.has_yielded) {
    self.waits_for.clear();
    self.enabled_at_yield.for_each([&](TaskId id) {
      if (id != self.id && tasks[id].last_step <= self.yield_step &&
          tasks[id].state != TaskState::ended) {
        self.waits_for.insert(id);
      }
    });
    if (!self.waits_for.empty()) {
      yielders_.insert(self.id);
      filter_ = true;
    }
  }
  self.has_yielded = true;
  self.yield_step = step;
  self.enabled_at_yield = ready_;
  self.enabled_at_yield.add(due_);
}

void Turns::apply_fairness(Tasks& tasks, TaskSet& options) {
  TaskSet waiting;
  TaskSet done;
  yielders_.for_each([&](TaskId id) {
    Task& task = tasks[id];
    TaskSet seen;
    task.waits_for.for_each([&](TaskId other) {
      if (tasks[other].last_step > task.yield_step) seen.insert(other);
    });
    task.waits_for.remove(seen);
    if (task.waits_for.empty()) done.insert(id);
    if (task.waits_for.intersects(options)) waiting.insert(id);
  });
  yielders_.remove(done);
  refresh_filter();
  TaskSet rest = options;
  rest.remove(waiting);
  if (!rest.empty()) options = rest;
}

void Turns::spins(TaskId id) {
  ready_.erase(id);
  spinning_.insert(id);
  any_spinning_ = true;
}

void Turns::wake_spinning() {
  ready_.add(spinning_);
  spinning_.clear();
  any_spinning_ = false;
  any_plain_spin_ = false;
}

void Turns::be_patient() {
  patient_at_ = writes_;
  wake_spinning();
}

void Turns::check_invariants(const Tasks& tasks) const {
  const auto is_live = [&](TaskId id) {
    return tasks.was_used(id) && tasks[id].state != TaskState::ended;
  };
  ready_.for_each([&](TaskId id) { RICERCAR_CHECK(is_live(id)); });
  spinning_.for_each([&](TaskId id) { RICERCAR_CHECK(is_live(id)); });
  timed_.for_each([&](TaskId id) { RICERCAR_CHECK(is_live(id) && tasks[id].timed); });
  tasks.for_each_live([&](const Task& task) {
    RICERCAR_CHECK(task.timed == timed_.contains(task.id));
    RICERCAR_CHECK(task.writes <= writes_);
  });
  due_.for_each([&](TaskId id) { RICERCAR_CHECK(timed_.contains(id)); });
  RICERCAR_CHECK(timed_.empty() == due_.empty());
  RICERCAR_CHECK(filter_ == (!timed_.empty() || !yielders_.empty()));
  RICERCAR_CHECK(any_spinning_ == !spinning_.empty());
  RICERCAR_CHECK(any_spinning_ || !any_plain_spin_);
  for (std::uint32_t i = 0; i < advance_count_; ++i) RICERCAR_CHECK(is_live(advance_[i]));
}

}  // namespace ricercar::inline threads
