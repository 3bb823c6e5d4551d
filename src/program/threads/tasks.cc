#include "threads/tasks.h"

#include "base/check.h"

namespace ricercar::inline threads {

TaskId Tasks::used_slot() const {
  for (std::uint32_t i = 1; i < max_tasks; ++i) {
    const Task& old = tasks_[i];
    const bool is_gone = old.state == TaskState::ended && (old.joined || old.detached);
    // The number of one that holds locks says who does.
    if (is_gone && old.held_locks == 0) return task_id(i);
  }
  return no_task;
}

const Task* Tasks::leaked() const {
  for (std::uint32_t i = 1; i < count_; ++i) {
    const Task& task = tasks_[i];
    if (task.state == TaskState::ended && !task.joined && !task.detached) return &task;
  }
  return nullptr;
}

bool Tasks::only_detached_live() const {
  bool only = true;
  for_each_live([&](const Task& task) { only = only && task.detached; });
  return only;
}

bool Tasks::all_are_joined() {
  if (count_ == max_tasks) return false;
  while (first_not_joined_ < count_ && tasks_[first_not_joined_].joined) ++first_not_joined_;
  return first_not_joined_ == count_;
}

void Tasks::check_invariants() const {
  std::uint32_t live = 0;
  for_each_live([&](const Task&) { ++live; });
  RICERCAR_CHECK(live == live_);
  RICERCAR_CHECK(count_ <= max_tasks);
  for (std::uint32_t i = 0; i < count_; ++i) {
    RICERCAR_CHECK(index(tasks_[i].id) == i);
    RICERCAR_CHECK(tasks_[i].creator == no_task || was_used(tasks_[i].creator));
  }
  RICERCAR_CHECK(was_used(current_->id));
  RICERCAR_CHECK(current_ == &tasks_[index(current_->id)]);
}

}  // namespace ricercar::inline threads
