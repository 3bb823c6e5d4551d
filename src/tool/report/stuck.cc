#include "report/stuck.h"

#include <algorithm>
#include <map>

namespace ricercar::inline report {
namespace {

std::vector<TaskId> awaited(const Recording& recording, const RecordedTask& task) {
  if (task.waiting.kind == OperationKind::join) {
    return {task_id(static_cast<std::uint32_t>(task.waiting.object))};
  }
  std::vector<TaskId> result;
  for (const RecordedHold& hold : recording.holds) {
    if (hold.object == task.waiting.object) result.push_back(hold.task);
  }
  return result;
}

std::vector<const RecordedHold*> held_by(const Recording& recording, TaskId task) {
  std::vector<const RecordedHold*> result;
  for (const RecordedHold& hold : recording.holds) {
    if (hold.task == task) result.push_back(&hold);
  }
  return result;
}

// Follows the first awaited task from each task until one comes again.
std::vector<TaskId> find_circle(const std::map<TaskId, Waiting>& waiting) {
  for (const auto& [start, unused] : waiting) {
    std::vector<TaskId> path;
    TaskId at = start;
    while (true) {
      const auto seen = std::find(path.begin(), path.end(), at);
      if (seen != path.end()) return {seen, path.end()};
      const auto next = waiting.find(at);
      if (next == waiting.end() || next->second.for_tasks.empty()) break;
      path.push_back(at);
      at = next->second.for_tasks.front();
    }
  }
  return {};
}

}  // namespace

std::vector<Waiting> find_waiting(const Recording& recording) {
  std::map<TaskId, Waiting> by_task;
  for (const RecordedTask& task : recording.tasks) {
    if (!task.blocked) continue;
    by_task[task.id] = {&task, awaited(recording, task), held_by(recording, task.id)};
  }
  std::vector<Waiting> result;
  for (const TaskId task : find_circle(by_task)) {
    result.push_back(by_task[task]);
    by_task.erase(task);
  }
  for (const auto& [task, waiting] : by_task) result.push_back(waiting);
  return result;
}

}  // namespace ricercar::inline report
