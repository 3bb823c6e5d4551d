#include "threads/thread.h"

#include <errno.h>
#include <sched.h>
#include <unwind.h>

#include <csetjmp>
#include <cstring>
#include <string>

#include "threads/cancel.h"
#include "threads/cleanup.h"
#include "threads/early_threads.h"
#include "threads/execution.h"
#include "threads/keys.h"
#include "threads/memory_access.h"
#include "threads/processors.h"
#include "threads/real.h"
#include "threads/signals.h"

namespace ricercar::inline threads {
namespace {

void run_thread_local_destructors(Task& task) {
  while (!task.destructors.empty()) {
    const ThreadLocalDestructor last = task.destructors.back();
    task.destructors.pop_back();
    last.function(last.object);
  }
}

[[noreturn]] void end_thread(Task& task) {
  run_thread_local_destructors(task);
  run_key_destructors(task);
  execution.end_task();
}

std::string name_of(const Task& task) { return "T" + std::to_string(index(task.id)); }

[[noreturn]] void misuse(const std::string& what, std::uint64_t site) {
  execution.fail(OutcomeKind::lock_misuse, what, site);
}

// 0: the attributes name none. The C library then answers with a full set.
ProcessorMask wanted_processors(const pthread_attr_t* attributes) {
  cpu_set_t set;
  if (pthread_attr_getaffinity_np(attributes, sizeof set, &set) != 0) return 0;
  if (CPU_COUNT(&set) == CPU_SETSIZE) return 0;
  return processors_in(&set, sizeof set);
}

[[noreturn]] void too_much_stack(const ThreadStart& start) {
  execution.fail(OutcomeKind::hang,
                 "creates a thread with a stack of " + std::to_string(start.stack_size >> 20) +
                     " MB; Ricercar's limit is " + std::to_string(max_stack_size >> 20) + " MB",
                 start.site);
}

// The stop function of a forced unwinding: ends the thread when its first frame is reached.
_Unwind_Reason_Code stop_at_base(int, _Unwind_Action actions, _Unwind_Exception_Class,
                                 _Unwind_Exception*, _Unwind_Context* context, void*) {
  Task& task = execution.self();
  run_cleanup_below(task, _Unwind_GetCFA(context));
  if ((actions & _UA_END_OF_STACK) != 0) end_thread(task);
  return _URC_NO_REASON;
}

}  // namespace

void run_thread(Task& task) {
  if (task.creator != no_task) execution.note(OperationKind::start, nullptr, 0);
  task.result = task.routine(task.argument);
  if (!task.stands_for_kernel) interruption_begins(task, 0);
  end_thread(task);
}

Task* task_of(pthread_t handle) {
  for (std::uint32_t i = 0; i < execution.tasks.count(); ++i) {
    Task& task = execution.tasks[task_id(i)];
    if (handle_of(task) == handle) return &task;
  }
  return nullptr;
}

pthread_t handle_of(const Task& task) {
  return task.creator == no_task ? task.fiber->context.thread_pointer : task.fiber->lender;
}

ThreadStart thread_start(const pthread_attr_t* attributes, void* (*routine)(void*), void* argument,
                         std::uint64_t site) {
  std::size_t stack_size = default_stack_size;
  int detach_state = PTHREAD_CREATE_JOINABLE;
  ProcessorMask processors = 0;
  if (attributes != nullptr) {
    pthread_attr_getstacksize(attributes, &stack_size);
    pthread_attr_getdetachstate(attributes, &detach_state);
    processors = wanted_processors(attributes);
  }
  return {routine, argument, site, stack_size, detach_state == PTHREAD_CREATE_DETACHED, processors};
}

Task& thread_begin(const ThreadStart& start) {
  const TaskId id =
      execution.new_task(execution.self().id, start.routine, start.argument, start.stack_size);
  Task& task = execution.tasks[id];
  task.detached = start.detached;
  if (start.processors != 0) task.processors = start.processors;
  task.creation_site = start.site;
  execution.turns.enable(id);
  execution.note(OperationKind::create, reinterpret_cast<void*>(start.routine), start.site,
                 index(id));
  return task;
}

int thread_create(pthread_t* handle, const pthread_attr_t* attributes, void* (*routine)(void*),
                  void* argument, std::uint64_t site) {
  const ThreadStart start = thread_start(attributes, routine, argument, site);
  if (start.stack_size > max_stack_size) too_much_stack(start);
  *handle = handle_of(thread_begin(start));
  return 0;
}

int uncontrolled_create(pthread_t* handle, const pthread_attr_t* attributes,
                        void* (*routine)(void*), void* argument, std::uint64_t site) {
  if (program_state.early_threads.keeps()) {
    return program_state.early_threads.create(handle, attributes, routine, argument, site);
  }
  if (real_pthread_create == nullptr) {
    resolve_real_functions();
    program_state.early_threads.note_escaped(site);
  }
  return real_pthread_create(handle, attributes, routine, argument);
}

int thread_join(pthread_t handle, void** result, const std::uint64_t* deadline, bool try_only,
                std::uint64_t site) {
  Task& self = execution.self();
  Task* target = task_of(handle);
  if (target == nullptr) return ESRCH;
  if (target == &self) misuse("joins itself", site);
  if (target->detached) misuse("joins " + name_of(*target) + ", which is detached", site);
  if (target->joined) misuse("joins " + name_of(*target) + ", which was joined before", site);
  if (target->joiner != no_task && target->joiner != self.id) {
    misuse("joins " + name_of(*target) + " while another thread does", site);
  }
  const auto* object = reinterpret_cast<const void*>(std::uint64_t{index(target->id)});
  if (try_only) {
    execution.point(OperationKind::join, object, site);
    if (target->state != TaskState::ended) {
      execution.steps.last().flags |= step_failed;
      return EBUSY;
    }
  }
  if (target->state != TaskState::ended) {
    cancellation_begins(site);
    target->joiner = self.id;
    if (deadline != nullptr) execution.scheduler().set_deadline(self, *deadline);
    const bool timed_out = wait_to_advance(OperationKind::join, object, site);
    execution.scheduler().clear_deadline(self);
    target->joiner = no_task;
    if (was_interrupted(self)) {
      leave_for_handlers(self);
      return thread_join(handle, result, deadline, false, site);
    }
    cancellation_ends();
    if (timed_out) return ETIMEDOUT;
  }
  target->joined = true;
  if (RaceDetector* races = execution.races()) {
    races->task_joined(self.id, target->id);
    if (is_ordered()) execution.accesses.may_race = false;
  }
  execution.note(OperationKind::join, object, site);
  if (result != nullptr) *result = target->result;
  return 0;
}

int thread_detach(pthread_t handle, std::uint64_t site) {
  Task* target = task_of(handle);
  if (target == nullptr) return ESRCH;
  if (target->joined) misuse("detaches " + name_of(*target) + ", which was joined before", site);
  if (target->detached) return EINVAL;
  target->detached = true;
  execution.note(OperationKind::detach,
                 reinterpret_cast<const void*>(std::uint64_t{index(target->id)}), site);
  return 0;
}

// Unwinds the stack so that destructors and cleanup handlers run, as the C library does.
void thread_exit(void* result) {
  Task& task = execution.self();
  task.result = result;
  _Unwind_Exception& exception = program_state.exits.exceptions[index(task.id)];
  std::memset(&exception, 0, sizeof exception);
  _Unwind_ForcedUnwind(&exception, stop_at_base, nullptr);
  end_thread(task);
}

}  // namespace ricercar::inline threads
