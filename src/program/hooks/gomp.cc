// Hooks: OpenMP as gcc compiles it. Each calls libgomp's function, and tells the race detector what
// it orders.
#include "threads/hook.h"
#include "threads/memory/runtime_allocation.h"
#include "threads/openmp.h"

using namespace ricercar;
using namespace ricercar::openmp;

namespace {

using Function = OutlinedFunction;
using Copy = void (*)(void*, void*);

// libgomp's function, or libomp's, which has the same.
template <typename Type>
Type* behind(const char* name) {
  const RuntimeAllocation allocation;
  return reinterpret_cast<Type*>(next_definition(name));
}

}  // namespace

#define RICERCAR_GOMP(name) static auto* const real = behind<decltype(name)>(#name)

// --- Regions ---

#define RICERCAR_REGION(name, parameters, ...)                                         \
  RICERCAR_HOOK void name(Function function, void* data, RICERCAR_UNPACK parameters) { \
    RICERCAR_GOMP(name);                                                               \
    leave_for(Meeting::region_begin);                                                  \
    real(wrap(function, Outlined::region), data, __VA_ARGS__);                         \
    arrive_at(Meeting::region_end);                                                    \
  }
#define RICERCAR_UNPACK(...) __VA_ARGS__

RICERCAR_REGION(GOMP_parallel, (unsigned threads, unsigned flags), threads, flags)
RICERCAR_REGION(GOMP_parallel_sections, (unsigned threads, unsigned count, unsigned flags), threads,
                count, flags)

#define RICERCAR_LOOP_REGION(name)                                                                 \
  RICERCAR_REGION(name,                                                                            \
                  (unsigned threads, long start, long end, long step, long chunk, unsigned flags), \
                  threads, start, end, step, chunk, flags)
#define RICERCAR_RUNTIME_REGION(name)                                                        \
  RICERCAR_REGION(name, (unsigned threads, long start, long end, long step, unsigned flags), \
                  threads, start, end, step, flags)
RICERCAR_LOOP_REGION(GOMP_parallel_loop_static)
RICERCAR_LOOP_REGION(GOMP_parallel_loop_dynamic)
RICERCAR_LOOP_REGION(GOMP_parallel_loop_guided)
RICERCAR_LOOP_REGION(GOMP_parallel_loop_nonmonotonic_dynamic)
RICERCAR_LOOP_REGION(GOMP_parallel_loop_nonmonotonic_guided)
RICERCAR_RUNTIME_REGION(GOMP_parallel_loop_runtime)
RICERCAR_RUNTIME_REGION(GOMP_parallel_loop_nonmonotonic_runtime)
RICERCAR_RUNTIME_REGION(GOMP_parallel_loop_maybe_nonmonotonic_runtime)

RICERCAR_HOOK unsigned GOMP_parallel_reductions(Function function, void* data, unsigned threads,
                                                unsigned flags) {
  RICERCAR_GOMP(GOMP_parallel_reductions);
  leave_for(Meeting::region_begin);
  const unsigned result = real(wrap(function, Outlined::region), data, threads, flags);
  arrive_at(Meeting::region_end);
  return result;
}

// --- Barriers, also those at the end of loops and sections ---

namespace {

// Tasks have ended, too, when a barrier is passed.
void pass_barrier() {
  arrive_at(Meeting::barrier);
  arrive_at(Meeting::task_end);
}

}  // namespace

#define RICERCAR_BARRIER(name)   \
  RICERCAR_HOOK void name() {    \
    RICERCAR_GOMP(name);         \
    leave_for(Meeting::barrier); \
    real();                      \
    pass_barrier();              \
  }
#define RICERCAR_CANCEL_BARRIER(name) \
  RICERCAR_HOOK bool name() {         \
    RICERCAR_GOMP(name);              \
    leave_for(Meeting::barrier);      \
    const bool cancelled = real();    \
    pass_barrier();                   \
    return cancelled;                 \
  }
RICERCAR_BARRIER(GOMP_barrier)
RICERCAR_BARRIER(GOMP_loop_end)
RICERCAR_BARRIER(GOMP_sections_end)
RICERCAR_CANCEL_BARRIER(GOMP_barrier_cancel)
RICERCAR_CANCEL_BARRIER(GOMP_loop_end_cancel)
RICERCAR_CANCEL_BARRIER(GOMP_sections_end_cancel)

RICERCAR_HOOK void* GOMP_single_copy_start() {
  RICERCAR_GOMP(GOMP_single_copy_start);
  leave_for(Meeting::barrier);
  void* copied = real();
  pass_barrier();
  return copied;
}
RICERCAR_HOOK void GOMP_single_copy_end(void* data) {
  RICERCAR_GOMP(GOMP_single_copy_end);
  leave_for(Meeting::barrier);
  real(data);
  pass_barrier();
}

// --- Locks ---

#define RICERCAR_SECTION(start, end, meeting) \
  RICERCAR_HOOK void start() {                \
    RICERCAR_GOMP(start);                     \
    real();                                   \
    arrive_at(meeting);                       \
  }                                           \
  RICERCAR_HOOK void end() {                  \
    RICERCAR_GOMP(end);                       \
    leave_for(meeting);                       \
    real();                                   \
  }
RICERCAR_SECTION(GOMP_critical_start, GOMP_critical_end, Meeting::critical)
RICERCAR_SECTION(GOMP_atomic_start, GOMP_atomic_end, Meeting::critical)
RICERCAR_SECTION(GOMP_ordered_start, GOMP_ordered_end, Meeting::ordered)

#define RICERCAR_LOCK(lock_name, unlock_name)  \
  RICERCAR_HOOK void lock_name(void* lock) {   \
    RICERCAR_GOMP(lock_name);                  \
    real(lock);                                \
    locked(lock);                              \
  }                                            \
  RICERCAR_HOOK void unlock_name(void* lock) { \
    RICERCAR_GOMP(unlock_name);                \
    unlocking(lock);                           \
    real(lock);                                \
  }
RICERCAR_LOCK(GOMP_critical_name_start, GOMP_critical_name_end)
RICERCAR_LOCK(omp_set_lock, omp_unset_lock)
RICERCAR_LOCK(omp_set_nest_lock, omp_unset_nest_lock)

#define RICERCAR_TEST_LOCK(name)       \
  RICERCAR_HOOK int name(void* lock) { \
    RICERCAR_GOMP(name);               \
    const int result = real(lock);     \
    if (result != 0) locked(lock);     \
    return result;                     \
  }
RICERCAR_TEST_LOCK(omp_test_lock)
RICERCAR_TEST_LOCK(omp_test_nest_lock)

// --- Tasks ---

namespace {

void copy_bytes(void* to, const void* from, long size) {
  asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(size) : : "memory");
}

// The copy belongs to what happens before the task, so the order is taken when it is done; and
// nobody else sees it.
void copy_arguments(void* to, void* from) {
  const openmp::Functions::Arguments arguments =
      program_state.openmp.arguments_of[index(execution.self().id)];
  if (arguments.copy != nullptr) {
    arguments.copy(to, from);
  } else {
    copy_bytes(to, from, arguments.size);
  }
  leave_for(Meeting::task_begin);
}

// The function that libgomp has to call for the copy.
Copy copying(Copy copy, long size) {
  if (!controlled()) return copy;
  leave_for(Meeting::task_begin);
  program_state.openmp.arguments_of[index(execution.self().id)] = {copy, size};
  return copy_arguments;
}

}  // namespace

RICERCAR_HOOK void GOMP_task(Function function, void* data, Copy copy, long size, long alignment,
                             bool deferred, unsigned flags, void** dependences, int priority,
                             void* event) {
  RICERCAR_GOMP(GOMP_task);
  constexpr unsigned has_dependences = 8;
  const Outlined kind = (flags & has_dependences) != 0 ? Outlined::dependent_task : Outlined::task;
  real(wrap(function, kind), data, copying(copy, size), size, alignment, deferred, flags,
       dependences, priority, event);
  if (!deferred) arrive_at(Meeting::task_end);
}

#define RICERCAR_TASK_LOOP(name, type)                                                             \
  RICERCAR_HOOK void name(Function function, void* data, Copy copy, long size, long alignment,     \
                          unsigned flags, unsigned long tasks, int priority, type start, type end, \
                          type step) {                                                             \
    RICERCAR_GOMP(name);                                                                           \
    real(wrap(function, Outlined::task), data, copying(copy, size), size, alignment, flags, tasks, \
         priority, start, end, step);                                                              \
    constexpr unsigned waits_for_none = 1U << 11;                                                  \
    if ((flags & waits_for_none) == 0) arrive_at(Meeting::task_end);                               \
  }
RICERCAR_TASK_LOOP(GOMP_taskloop, long)
RICERCAR_TASK_LOOP(GOMP_taskloop_ull, unsigned long long)

#define RICERCAR_TASK_WAIT(name)  \
  RICERCAR_HOOK void name() {     \
    RICERCAR_GOMP(name);          \
    real();                       \
    arrive_at(Meeting::task_end); \
  }
RICERCAR_TASK_WAIT(GOMP_taskwait)
RICERCAR_TASK_WAIT(GOMP_taskgroup_end)

RICERCAR_HOOK void GOMP_taskwait_depend(void** dependences) {
  RICERCAR_GOMP(GOMP_taskwait_depend);
  real(dependences);
  arrive_at(Meeting::task_end);
}
