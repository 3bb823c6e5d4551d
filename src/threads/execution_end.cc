// How an execution ends, and what is to be said about it: bugs, circles of owners, the step limit,
// tasks that are left.
#include <algorithm>
#include <utility>

#include "threads/execution.h"
#include "threads/recorder.h"

namespace ricercar {

void Execution::fail(Outcome outcome) {
  outcome_ = std::move(outcome);
  if (outcome_.task == no_task) outcome_.task = current_->id;
  finish();
}

void Execution::fail(OutcomeKind kind, std::string message, std::uint64_t site,
                     const void* object) {
  Outcome outcome;
  outcome.kind = kind;
  outcome.message = std::move(message);
  outcome.site = site;
  outcome.object = reinterpret_cast<std::uint64_t>(object);
  fail(std::move(outcome));
}

void Execution::finish() {
  if (round_watch_.active()) leave_round();
  if (circle_steps_ != 0 && !was_stopped_) outcome_ = circle_;
  if (recorder_ != nullptr) recorder_->execution_ended(*this, outcome_);
  if (finish_hook != nullptr) finish_hook();
  Context abandoned;
  abandoned.thread_pointer = current_->fiber->context.thread_pointer;
  switch_context(abandoned, search_context_);
  __builtin_unreachable();
}

std::vector<Step> Execution::left() const {
  if (!left_at_limit_.empty()) return left_at_limit_;
  std::vector<Step> steps;
  if (live_count_ == 0) return steps;
  for (std::uint32_t i = 0; i < task_count_; ++i) {
    if (tasks_[i].state != TaskState::live) continue;
    const Operation& next = pending_[i];
    const int blocked = is_blocked(task_id(i)) ? step_blocked : 0;
    const auto flags = static_cast<std::uint8_t>(blocked | tasks_[i].step_flags);
    steps.push_back({next.site, next.object, 0, task_id(i), next.kind, flags, next.size, 0, 0});
  }
  return steps;
}

Outcome Execution::leaked_thread() const {
  Outcome outcome;
  for (std::uint32_t i = 1; i < task_count_; ++i) {
    const Task& task = tasks_[i];
    if (task.state != TaskState::ended || task.joined || task.detached) continue;
    outcome.kind = OutcomeKind::leak;
    outcome.message = "T" + std::to_string(i) + " ended and was neither joined nor detached";
    outcome.task = task.id;
    outcome.site = task.creation_site;
    break;
  }
  return outcome;
}

void Execution::look_for_cycle(OperationKind kind, const void* object, std::uint64_t site) {
  const void* wanted = object;
  for (std::uint32_t hops = 0; hops < max_tasks; ++hops) {
    const SyncObject* held = objects_.find(wanted);
    if (held == nullptr || held->owner == no_task) return;
    if (held->owner == current_->id) break;
    const Task& owner = tasks_[index(held->owner)];
    const Operation& next = pending_[index(owner.id)];
    const bool waits = next.kind == OperationKind::lock || next.kind == OperationKind::write_lock ||
                       next.kind == OperationKind::read_lock;
    if (owner.state != TaskState::live || !waits || ready_.contains(owner.id)) return;
    wanted = reinterpret_cast<const void*>(next.object);
  }
  pending_[index(current_->id)] = {reinterpret_cast<std::uint64_t>(object), site, kind, 0};
  if (recorder_ != nullptr) recorder_->announce(*this, site);
  ready_.erase(current_->id);
  if (!options_.late_deadlocks) fail(OutcomeKind::deadlock, describe_blocked(), site, object);
  if (circle_steps_ != 0) return;
  circle_steps_ = step_count_;
  circle_ = Outcome{};
  circle_.kind = OutcomeKind::deadlock;
  circle_.message = describe_blocked();
  circle_.site = site;
  circle_.object = reinterpret_cast<std::uint64_t>(object);
  circle_.task = current_->id;
}

std::string Execution::describe_blocked(TaskId id) {
  const Operation& operation = pending_[index(id)];
  std::string text = "T" + std::to_string(index(id)) + " cannot go on: it ";
  text += info(operation.kind).words;
  if (operation.kind == OperationKind::join) text += " T" + std::to_string(operation.object);
  SyncObject* object = objects_.find(reinterpret_cast<void*>(operation.object));
  if (object != nullptr && object->owner != no_task) {
    text += " what T" + std::to_string(index(object->owner)) + " holds";
  }
  return text;
}

std::string Execution::describe_blocked() {
  std::string text;
  for (std::uint32_t i = 0; i < task_count_; ++i) {
    if (tasks_[i].state == TaskState::ended || ready_.contains(task_id(i))) continue;
    if (!text.empty()) text += "; ";
    text += describe_blocked(task_id(i));
  }
  return text;
}

void Execution::stop() {
  was_stopped_ = true;
  finish();
}

}  // namespace ricercar
