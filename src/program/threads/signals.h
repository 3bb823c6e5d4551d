// Signals that the program sends to its threads, as events of the schedule.
//
// A signal on its way is a task of its own, with one step: it delivers the signal. So when that
// happens is a decision, as everything is that the program does not determine. Who receives it is
// at some point then; the handler runs on its stack, as its code, before its next operation. A wait
// that the signal interrupts ends, and is begun again after the handler or fails with EINTR.
//
// A blocked signal is left to the kernel, which keeps it until somebody takes it (sigwait) or
// unblocks it. All tasks are one thread of the kernel: it blocks what any of them blocks.
//
// Belongs to the running execution.
#pragma once

#include <signal.h>

#include <cstdint>

#include "threads/execution.h"
#include "threads/task.h"

namespace ricercar::inline threads {

void look_for_signalling();  // before the first execution, if the program sends signals

// The program sends a signal to one of its threads, or to whichever thread lets it through. Both
// return 0 or a negative error number.
long signal_task(Task& target, const SentSignal& signal, std::uint64_t site);
long signal_process(const SentSignal& signal, std::uint64_t site);
// The same from within a task that stands for the kernel: a signal on its way, a timer.
void deliver_to_task(Task& target, const SentSignal& signal, std::uint64_t site);
void deliver_to_process(const SentSignal& signal, std::uint64_t site);

// Somebody would notice it: it has a handler, or is blocked, so that it waits for somebody.
bool is_noticed(int signal);
// The task is none of the program's: it brings this signal.
void stands_for_kernel(Task& task, int signal);

// The task of a number that gettid() gives; null: there is none.
Task* task_of_number(long thread);

// The mask of the running task changes; signals that it lets through now are taken.
SignalMask set_task_mask(SignalMask mask, std::uint64_t site);
SignalMask mask_of_kernel();
// Signals that wait in the kernel for this task, or for anybody.
SignalMask pending_for(TaskId task);

// Runs the handlers of what was delivered. True: what they interrupted is to be begun again.
bool run_handlers(Task& self);

// After a wait: whether a signal has ended it.
inline bool was_interrupted(const Task& self) {
  return __builtin_expect(self.arrival == SignalArrival::interrupts, 0);
}
// Before a wait that fails if a signal ends it: a signal may come just before it.
void begin_interruptible(Task& self, std::uint64_t site);
inline void interruption_begins(Task& self, std::uint64_t site) {
  if (__builtin_expect(program_state.imports.signals, 0)) begin_interruptible(self, site);
}
// Then: the task has left the wait, and its handlers run. True: it is to be begun again.
bool leave_for_handlers(Task& self);
// After a wait that no signal ends.
inline void take_late_signals() {
  Task& self = execution.self();
  if (__builtin_expect(self.arrival == SignalArrival::late, 0)) run_handlers(self);
}

// For the duration of a call (sigsuspend, ppoll): the running task has another mask.
class OtherMask {
 public:
  OtherMask(const sigset_t* mask, std::uint64_t site);
  ~OtherMask();
  // A signal that was blocked before has been handled already.
  bool has_let_in() const { return has_let_in_; }
  OtherMask(const OtherMask&) = delete;
  OtherMask& operator=(const OtherMask&) = delete;

 private:
  bool active_;
  bool has_let_in_ = false;
  SignalMask before_ = 0;
  std::uint64_t site_;
};

}  // namespace ricercar::inline threads
