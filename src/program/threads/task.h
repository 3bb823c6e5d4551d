// A task of the threads world: a thread of the program under test in one execution.
#pragma once

#include <cstdint>
#include <vector>

#include "model/call_contexts.h"
#include "model/ids.h"
#include "model/task_set.h"
#include "threads/fiber.h"
#include "threads/memory/machine_files.h"

namespace ricercar::inline threads {

enum class TaskState : std::uint8_t {
  fresh,  // created; has not come to its first point yet
  live,
  ended,
};

struct ThreadLocalDestructor {
  void (*function)(void*);
  void* object;
};

struct CleanupFrame;  // see threads/cleanup.cc

// What the spin detector remembers: the task's own state when it came to a read-only operation. If
// it comes back in the same state without having written anything, it spins. See threads/spin.h.
struct SpinAnchor {
  std::uint64_t site = 0;
  std::uint64_t state = 0;
  std::uint64_t others = 0;  // how often other tasks had written something
  std::uint32_t count = 0;   // operations since the anchor was set
  std::uint32_t window = 0;  // after how many the anchor moves
  std::uint32_t releases = 0;
  std::uint64_t others_before = 0;  // as `others`, when the anchor moved after a long look
};

using SignalMask = std::uint64_t;  // bit n - 1: signal n

struct SentSignal {
  int number = 0;
  int code = 0;  // SI_TKILL, ...
  void* value = nullptr;
};

// A signal was delivered to a task: what becomes of its handler.
enum class SignalArrival : std::uint8_t {
  none,
  here,        // it runs before the operation that the task would do next
  interrupts,  // it runs after the wait that the task is in was ended
  late,        // it runs after the wait, which no signal ends
};

using ProcessorMask = std::uint8_t;  // bit n: the task may run on processor n
inline constexpr ProcessorMask all_processors = (1 << machine_processors) - 1;

// A call that a task is in: see threads/calls.h.
struct CallFrame {
  std::uint64_t frame;
  ContextId context;
};

// How many annotations are open that keep the race detector from looking.
struct IgnoreCounters {
  std::uint16_t reads = 0;
  std::uint16_t writes = 0;
  std::uint16_t synchronisation = 0;
};

// What is set back at once when another task takes the slot.
struct TaskFields {
  TaskId id = no_task;
  TaskId creator = no_task;
  TaskState state = TaskState::fresh;
  bool detached = false;
  bool joined = false;
  bool timed_out = false;  // why it was chosen: its deadline, not what it waited for
  bool timed = false;      // it has a deadline now
  SignalArrival arrival = SignalArrival::none;
  ProcessorMask processors = all_processors;
  std::uint8_t step_flags = 0;                  // that every step of it gets: see threads/named.h
  std::uint32_t named_depth = 0;                // calls from the outermost named function on
  ContextId context = CallContexts::outermost;  // where it was called from
  std::uint32_t held_locks = 0;
  std::uint32_t releases = 0;                            // how often it has let a lock go
  std::uint64_t deadline = 0;                            // virtual nanoseconds
  std::uint64_t last_step = 0;                           // the step in which it was last chosen
  TaskId joiner = no_task;                               // who waits for its end
  ContextId creation_context = CallContexts::outermost;  // where it was created
  std::uint64_t creation_site = 0;
  void* (*routine)(void*) = nullptr;
  void* argument = nullptr;
  void* result = nullptr;
  SpinAnchor spin;
  std::uint64_t writes = 0;  // its steps and plain accesses that others may see
  // Fair scheduling (see threads/turns.h).
  bool has_yielded = false;
  bool failed_weakly = false;  // in its last weak compare-exchange, without a reason
  std::uint32_t yields = 0;
  std::uint64_t yield_step = 0;
  CleanupFrame* cleanup = nullptr;
  void* annotated_fiber = nullptr;  // of the program's own, that it runs; nullptr: none
  IgnoreCounters ignores;
  char name[16] = {};
  // Signals of the program: see threads/signals.h.
  SignalMask blocked_signals = 0;
  std::uint32_t handled_signals = 0;
  bool has_other_mask = false;     // for the time of a call
  bool stands_for_kernel = false;  // it brings a signal
  bool signalled = false;          // a wait was ended by somebody, not by time or chance
  // Cancelling: see threads/cancel.h.
  bool cancel_requested = false;
  bool cancel_disabled = false;
  bool cancel_at_once = false;  // asynchronously
  bool cancel_point = false;    // it is in one
  bool cancel_woken = false;    // and its wait was ended by a request
  std::uint32_t futex_mask = 0;
  std::uint64_t handler_frame = 0;  // of the program's last handler of a fault
  void* wait_mutex = nullptr;       // the SyncObject of the mutex to take back after a wait
  std::uint64_t wait_object = 0;    // the futex it waits on
  std::uint64_t woken_by = 0;       // the futex whose wake-up ended its wait
  std::uint64_t wait_site = 0;
};

struct Task : TaskFields {
  // Another task takes the slot.
  void renew() {
    static_cast<TaskFields&>(*this) = {};
    enabled_at_yield.clear();
    waits_for.clear();
    destructors.clear();
    key_values.clear();
    calls.clear();
    signals.clear();
  }

  Fiber* fiber = nullptr;
  TaskSet enabled_at_yield;
  TaskSet waits_for;
  // Rarely used; they keep their capacity across executions.
  std::vector<ThreadLocalDestructor> destructors;
  std::vector<void*> key_values;
  std::vector<CallFrame> calls;
  std::vector<SentSignal> signals;  // delivered, handlers not yet called
  // The threads backend.
  std::uint32_t handover = 0;  // the futex word
  int kernel_id = 0;           // of the kernel thread
  bool reserved = false;       // its kernel thread is there already
  void (*entry)() = nullptr;   // what it runs
};

}  // namespace ricercar::inline threads
