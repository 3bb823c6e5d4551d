#include "report/history.h"

#include <algorithm>

namespace ricercar::inline report {

bool reads_memory(const Step& step) {
  switch (step.kind) {
    case OperationKind::read:
    case OperationKind::atomic_load:
    case OperationKind::atomic_update:
    case OperationKind::atomic_compare_exchange:
      return true;
    default:
      return false;
  }
}

bool writes_memory(const Step& step) {
  switch (step.kind) {
    case OperationKind::write:
    case OperationKind::atomic_store:
    case OperationKind::atomic_update:
      return true;
    case OperationKind::atomic_compare_exchange:
      return (step.flags & step_failed) == 0;
    default:
      return false;
  }
}

bool takes_lock(const Step& step) {
  return info(step.kind).role == Role::locks && (step.flags & (step_failed | step_timeout)) == 0;
}

std::uint64_t lock_given_back(const Step& step) {
  if (info(step.kind).role == Role::unlocks) return step.object;
  return info(step.kind).touches == Touches::and_its_lock ? step.value : 0;
}

std::vector<HeldLock> locks_held_at(const Recording& recording, TaskId task, std::size_t event) {
  std::vector<HeldLock> held;
  if (recording.truncated) return held;
  for (std::size_t i = 0; i < event; ++i) {
    const Step& step = recording.events[i].step;
    if (step.task != task) continue;
    if (takes_lock(step)) held.push_back({step.object, i});
    // The last one first: a lock may be held several times.
    const auto last = std::find_if(held.rbegin(), held.rend(), [&step](const HeldLock& lock) {
      return lock.object == lock_given_back(step);
    });
    if (last != held.rend()) held.erase(std::next(last).base());
  }
  return held;
}

std::optional<std::size_t> last_event(const Recording& recording, std::size_t from, std::size_t to,
                                      const EventTest& is_wanted) {
  for (std::size_t i = to; i-- > from;) {
    if (is_wanted(recording.events[i].step)) return i;
  }
  return std::nullopt;
}

std::optional<std::size_t> first_event(const Recording& recording, std::size_t from, std::size_t to,
                                       const EventTest& is_wanted) {
  for (std::size_t i = from; i < to; ++i) {
    if (is_wanted(recording.events[i].step)) return i;
  }
  return std::nullopt;
}

std::size_t last_round(const Recording& recording) {
  std::size_t first = recording.events.size;
  if (recording.period == 0 || recording.period > recording.steps) return first;
  const std::uint64_t step = recording.steps - recording.period;
  while (first > 0 && recording.events[first - 1].step_index >= step) --first;
  return first;
}

const RecordedTask* task_of(const Recording& recording, TaskId id) {
  for (const RecordedTask& task : recording.tasks) {
    if (task.id == id) return &task;
  }
  return nullptr;
}

}  // namespace ricercar::inline report
