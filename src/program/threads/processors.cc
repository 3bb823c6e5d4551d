#include "threads/processors.h"

#include <errno.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

#include "threads/early_threads.h"
#include "threads/execution.h"
#include "threads/process.h"

namespace ricercar::inline threads {
namespace {

// The task with this number, as gettid() gives it; null: there is none.
Task* find_task(pid_t thread) {
  if (thread == 0) return &execution.self();
  const auto number = static_cast<std::uint32_t>(thread - process_id());
  if (number >= execution.tasks.count()) return nullptr;
  Task& task = execution.tasks[task_id(number)];
  return task.state == TaskState::ended ? nullptr : &task;
}

}  // namespace

bool sees_fixed_machine() { return controlled() || program_state.early_threads.keeps(); }

int processor_of(const Task& task) { return std::countr_zero(task.processors); }

ProcessorMask processors_in(const void* set, std::size_t size) {
  std::uint64_t first = 0;
  std::memcpy(&first, set, std::min(size, sizeof first));
  return static_cast<ProcessorMask>(first & all_processors);
}

long set_processors(Task& task, const void* set, std::size_t size) {
  const ProcessorMask wanted = processors_in(set, size);
  if (wanted == 0) return -EINVAL;
  task.processors = wanted;
  return 0;
}

long get_processors(const Task& task, void* set, std::size_t size) {
  if (size == 0 || size % sizeof(long) != 0) return -EINVAL;
  const std::uint64_t first = task.processors;
  std::memcpy(set, &first, sizeof first);
  return sizeof first;
}

// Before main there is no task yet: main begins with all processors.
long set_processors(pid_t thread, const void* set, std::size_t size) {
  if (!controlled()) return processors_in(set, size) != 0 ? 0 : -EINVAL;
  Task* task = find_task(thread);
  return task != nullptr ? set_processors(*task, set, size) : -ESRCH;
}

long get_processors(pid_t thread, void* set, std::size_t size) {
  if (!controlled()) return get_processors(Task{}, set, size);
  const Task* task = find_task(thread);
  return task != nullptr ? get_processors(*task, set, size) : -ESRCH;
}

}  // namespace ricercar::inline threads
