// The tasks of an execution: who is there, who runs now, and what each would do next. A number is
// given again only when nobody can name the task any more that had it.
//
// Needs no process: what the tasks run on is somebody else's (threads/carriers.h). Not thread-safe.
#pragma once

#include <cstdint>

#include "model/operation.h"
#include "threads/task.h"

namespace ricercar::inline threads {

class Tasks {
 public:
  void begin_execution() {
    count_ = live_ = 0;
    first_not_joined_ = 1;
  }

  Task& operator[](TaskId id) { return tasks_[index(id)]; }
  const Task& operator[](TaskId id) const { return tasks_[index(id)]; }
  Task& current() { return *current_; }
  const Task& current() const { return *current_; }
  void set_current(Task& task) { current_ = &task; }

  // Numbers are given from 0 on.
  std::uint32_t count() const { return count_; }
  // Those that have not ended.
  std::uint32_t live() const { return live_; }
  // Only one is alive: what it does cannot be interleaved with anything.
  bool alone() const { return live_ == alone_at_; }
  // And all others have been joined: what it does has no other order with what they did, so that
  // nobody needs to know of it.
  bool alone_for_good() { return alone() && (count_ == 1 || all_are_joined()); }
  // What is outside of the program can be: then nobody is ever alone.
  void set_company(bool has_company) { alone_at_ = has_company ? max_tasks + 1 : 1; }

  const Operation& pending(TaskId id) const { return pending_[index(id)]; }
  void announce(TaskId id, const Operation& operation) { pending_[index(id)] = operation; }
  const Operation* all_pending() const { return pending_; }

  // The number for another task, or no_task: too many are there.
  TaskId free_slot() const { return count_ < max_tasks ? task_id(count_) : used_slot(); }
  bool was_used(TaskId id) const { return index(id) < count_; }
  Task& begin(TaskId id, TaskId creator) {
    if (index(id) == count_) ++count_;
    ++live_;
    Task& task = tasks_[index(id)];
    task.renew();
    task.id = id;
    task.creator = creator;
    return task;
  }
  void end(Task& task) {
    task.state = TaskState::ended;
    --live_;
  }

  // The first task that ended and was neither joined nor detached; null: there is none.
  const Task* leaked() const;
  bool all_ended() const { return live_ == 0; }
  bool only_detached_live() const;
  // All but the first one.
  bool all_are_joined();

  template <typename Visit>
  void for_each_live(Visit visit) const {
    for (std::uint32_t i = 0; i < count_; ++i) {
      if (tasks_[i].state != TaskState::ended) visit(tasks_[i]);
    }
  }
  void check_invariants() const;

 private:
  TaskId used_slot() const;

  Task* current_ = nullptr;
  std::uint32_t live_ = 0;
  std::uint32_t alone_at_ = 1;  // so many live tasks
  std::uint32_t count_ = 0;
  // All between the first one and this have been joined. Numbers are given again only when there
  // are none left.
  std::uint32_t first_not_joined_ = 1;
  Operation pending_[max_tasks];
  Task tasks_[max_tasks];
};

}  // namespace ricercar::inline threads
