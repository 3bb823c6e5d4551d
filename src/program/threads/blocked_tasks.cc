#include "threads/blocked_tasks.h"

namespace ricercar::inline threads {
namespace {

bool waits_for_lock(const Scheduler& scheduler, const Task& task) {
  const OperationKind kind = scheduler.tasks.pending(task.id).kind;
  const bool is_lock = kind == OperationKind::lock || kind == OperationKind::write_lock ||
                       kind == OperationKind::read_lock;
  return task.state == TaskState::live && is_lock && !scheduler.turns.is_ready(task.id);
}

}  // namespace

bool closes_circle(const Scheduler& scheduler, SyncObjects& objects, TaskId task,
                   const void* object) {
  for (std::uint32_t hops = 0; hops < max_tasks; ++hops) {
    const SyncObject* held = objects.find(object);
    if (held == nullptr || held->owner == no_task) return false;
    if (held->owner == task) return true;
    if (!waits_for_lock(scheduler, scheduler.tasks[held->owner])) return false;
    object = reinterpret_cast<const void*>(scheduler.tasks.pending(held->owner).object);
  }
  return true;
}

std::string describe_blocked(const Scheduler& scheduler, SyncObjects& objects, TaskId id) {
  const Operation& operation = scheduler.tasks.pending(id);
  std::string text = "T" + std::to_string(index(id)) + " cannot go on: it ";
  text += info(operation.kind).words;
  if (operation.kind == OperationKind::join) text += " T" + std::to_string(operation.object);
  const SyncObject* object = objects.find(reinterpret_cast<void*>(operation.object));
  if (object != nullptr && object->owner != no_task) {
    text += " what T" + std::to_string(index(object->owner)) + " holds";
  }
  return text;
}

std::string describe_blocked(const Scheduler& scheduler, SyncObjects& objects) {
  std::string text;
  scheduler.tasks.for_each_live([&](const Task& task) {
    if (scheduler.turns.is_ready(task.id)) return;
    if (!text.empty()) text += "; ";
    text += describe_blocked(scheduler, objects, task.id);
  });
  return text;
}

}  // namespace ricercar::inline threads
