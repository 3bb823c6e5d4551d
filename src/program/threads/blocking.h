// Calls that may block in the kernel: all tasks share one kernel thread, so none of them may. A
// task that would block waits here instead, as for a lock, until the kernel says that the call can
// go on; a pipe between two threads of the program then works as it should, and deterministically.
//
// The kernel is asked again after every call that may have changed something, when a task yields or
// lets time pass, and when nobody else can run. If nobody can run at all, the program waits for
// the outside world, which is reported as a hang.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "model/ids.h"
#include "model/trace.h"

namespace ricercar::inline threads {

struct BlockedCall {
  const char* name;               // as the program calls it: "read"
  bool (*ready)(void*);           // asks the kernel, without blocking, whether the call could go on
  void* argument;                 // for `ready`; lives as long as the wait
  const void* object;             // what the trace shows as the object of the operation
  const std::uint64_t* deadline;  // virtual; null: waits for ever
  // Whether it also waits for the timer of this descriptor; null: for none.
  bool (*watches)(void*, int) = nullptr;
  // Begun again after a signal whose handler asks for that (SA_RESTART).
  bool restarts = true;
};

// The tasks that are in such calls, in the order of arrival.
class BlockedCalls {
 public:
  struct Waiting {
    TaskId task = no_task;
    std::uint64_t site = 0;
    const BlockedCall* call = nullptr;  // on the stack of the task
  };

  void begin_execution() { count_ = 0; }
  void add(TaskId task, const BlockedCall& call, std::uint64_t site);
  void remove(TaskId task);
  bool contains(TaskId task) const;
  std::span<const Waiting> all() const { return {waiting_, count_}; }
  // The task makes a call that need not block.
  void note(TaskId task, const char* name) { last_call_[index(task)] = name; }
  // The name of the last one that the task was in; null: it was in none.
  const char* last_call(TaskId task) const { return last_call_[index(task)]; }

 private:
  Waiting waiting_[max_tasks];
  std::uint32_t count_ = 0;
  const char* last_call_[max_tasks] = {};
};

// Why a wait is over: the call can go on, the deadline came first, or a signal interrupts it.
enum class Readiness : std::uint8_t { ready, timed_out, interrupted };

// Returns when the running task may make the call, or has to give it up.
Readiness wait_until_ready(const BlockedCall& call, std::uint64_t site);
// Whether the task is in there.
bool is_in_blocked_call(TaskId task);

// Something happened that others may have been waiting for, or that makes them wait again.
void refresh_blocked_calls();

// Lets others run, in whose hands it is that a blocked call goes on; null: there are none.
extern void (*wait_for_outside)();

// Nobody can run. True: now somebody can. Ends the execution if tasks wait for the outside world;
// false if no task waits in a blocking call.
bool poll_blocked_calls();

// The execution ends because of calls that wait for the outside world, and what goes on beside them
// (`meanwhile`) changes nothing.
[[noreturn]] void waits_for_the_outside(const std::string& meanwhile);
// As well, where a call is made again and again and its time limit passes each time.
[[noreturn]] void hang_in_vain(const Step& call, const std::string& meanwhile);

}  // namespace ricercar::inline threads
