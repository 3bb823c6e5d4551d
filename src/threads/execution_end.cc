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

void Execution::found(Outcome outcome) {
  if (outcome.task == no_task) outcome.task = current_->id;
  if (finding_filter_ == nullptr || !finding_filter_->goes_on(outcome)) fail(std::move(outcome));
  open_->passed = ++passed_;
}

bool Execution::passes_race(std::uint64_t site, std::uint64_t other_site) {
  if (finding_filter_ == nullptr || !finding_filter_->goes_on_through_race(site, other_site)) {
    return false;
  }
  open_->passed = ++passed_;
  return true;
}

void Execution::finish() {
  if (round_watch_.active()) leave_round();
  const bool is_circle = !outcome_.is_bug() || outcome_.kind == OutcomeKind::deadlock;
  if (circle_.steps != 0 && is_circle && !was_stopped_) {
    outcome_ = circle_.outcome;
    ended_in_circle_ = true;
  }
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
    steps.push_back({next.site, name_of(next.object), 0, task_id(i), next.kind, flags, next.size,
                     step_open_, 0});
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
  Outcome outcome;
  outcome.kind = OutcomeKind::deadlock;
  outcome.message = describe_blocked();
  outcome.site = site;
  outcome.object = reinterpret_cast<std::uint64_t>(object);
  outcome.task = current_->id;
  const std::uint64_t before = passed_;
  found(outcome);
  if (circle_.steps == 0) circle_ = {step_count_, before, std::move(outcome)};
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

// A handler that could not run yet may be what the others wait for.
void Execution::name_late_signals() {
  for (std::uint32_t i = 0; i < task_count_; ++i) {
    if (tasks_[i].state == TaskState::ended || tasks_[i].arrival != SignalArrival::late) continue;
    current_ = &tasks_[i];
    fail(OutcomeKind::hang,
         "a signal comes while its thread waits in a call in which Ricercar runs no handlers (a "
         "barrier, a one-time initialisation, or taking a mutex back): " +
             describe_blocked(),
         pending_[i].site);
  }
}

void Execution::stop() {
  was_stopped_ = true;
  finish();
}

}  // namespace ricercar
