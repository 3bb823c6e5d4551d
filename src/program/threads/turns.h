// Who may be chosen next: those who can go on, those whose time has come, without those who have
// yielded and those who spin. Whoever has nothing to decide before its next point comes first.
//
// The set is kept, not computed: primitives enable and disable tasks. Needs no process. Not
// thread-safe.
#pragma once

#include <cstdint>

#include "base/check.h"
#include "model/task_set.h"
#include "threads/tasks.h"

namespace ricercar::inline threads {

class Turns {
 public:
  void begin_execution();

  void enable(TaskId id) { ready_.insert(id); }
  void disable(TaskId id) { ready_.erase(id); }
  void enable(const TaskSet& tasks) { ready_.add(tasks); }
  void disable(const TaskSet& tasks) { ready_.remove(tasks); }
  const TaskSet& ready() const { return ready_; }
  bool is_ready(TaskId id) const { return ready_.contains(id); }
  bool is_blocked(TaskId id) const { return !ready_.contains(id) && !due_.contains(id); }

  // Time limits and fairness count now: some tasks have deadlines or have yielded.
  bool is_filtered() const { return filter_; }
  const TaskSet& options(Tasks& tasks) { return filter_ ? filtered(tasks) : ready_; }

  // Time: only the earliest deadlines may come next; whoever has them is an option.
  void set_deadline(const Tasks& tasks, Task& task, std::uint64_t nanoseconds);
  void clear_deadline(const Tasks& tasks, Task& task);
  const TaskSet& timed() const { return timed_; }

  // Fairness: `self` gives way; `step` steps have happened.
  void yielded(const Tasks& tasks, Task& self, std::uint64_t step);

  // Spinning: the task waits until somebody writes something.
  void spins(TaskId id);
  bool anybody_spins() const { return any_spinning_; }
  bool spins_now(TaskId id) const { return any_spinning_ && spinning_.contains(id); }
  // What it reads in its loop is plain memory.
  void spins_on_plain_memory() { any_plain_spin_ = true; }
  bool anybody_spins_on_plain_memory() const { return any_plain_spin_; }
  void wake_spinning();
  // All that is left to run spins on plain memory: it is let go, and nobody is taken to do so
  // before the next write.
  void be_patient();
  bool is_patient() const { return writes_ == patient_at_; }
  // The task has written so much that others may see.
  void written(Task& task, std::uint64_t count = 1) {
    writes_ += count;
    task.writes += count;
    if (__builtin_expect(any_spinning_, 0) && count != 0) wake_spinning();
  }
  // Something has come from outside of the program.
  void changed_from_outside() { ++writes_; }
  std::uint64_t writes() const { return writes_; }

  // Tasks that run to their next point before the next decision, the last one first.
  void advance(TaskId id) {
    RICERCAR_CHECK(advance_count_ < max_tasks);
    advance_[advance_count_++] = id;
  }
  bool has_to_advance() const { return advance_count_ > 0; }
  TaskId next_to_advance() { return advance_[--advance_count_]; }
  void forget_advances() { advance_count_ = 0; }

  void check_invariants(const Tasks& tasks) const;

 private:
  static constexpr std::uint64_t no_patience = ~std::uint64_t{0};

  const TaskSet& filtered(Tasks& tasks);
  void apply_fairness(Tasks& tasks, TaskSet& options);
  void refresh_due(const Tasks& tasks);
  void refresh_filter() { filter_ = !timed_.empty() || !yielders_.empty(); }

  // Hot: touched at every step.
  std::uint64_t writes_ = 0;  // steps and plain accesses that others may see
  std::uint32_t advance_count_ = 0;
  bool filter_ = false;
  bool any_spinning_ = false;
  bool any_plain_spin_ = false;
  TaskSet ready_;

  TaskSet options_;  // when they are filtered
  TaskSet due_;      // whose deadline is the earliest
  TaskSet timed_;
  TaskSet yielders_;  // have a non-empty waits_for
  TaskSet spinning_;
  std::uint64_t patient_at_ = no_patience;  // this many writes
  TaskId advance_[max_tasks];
};

inline void Turns::begin_execution() {
  writes_ = 0;
  advance_count_ = 0;
  filter_ = any_spinning_ = any_plain_spin_ = false;
  ready_.clear();
  due_.clear();
  timed_.clear();
  yielders_.clear();
  spinning_.clear();
  patient_at_ = no_patience;
}

}  // namespace ricercar::inline threads
