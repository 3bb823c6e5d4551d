// A trace: the operations of one execution in the order in which they happened.
#pragma once

#include <cstdint>
#include <span>

#include "model/ids.h"
#include "model/operation.h"

namespace ricercar::inline model {

// What a step says besides its operation. A step is 32 bytes because tens of millions of them are
// written every second.
enum StepFlag : std::uint8_t {
  step_failed = 1,    // try_lock found it taken, compare-exchange found another value, ...
  step_timeout = 2,   // a timed operation ended by its time-out
  step_preempts = 4,  // chosen although the task of the last step could have gone on
  step_spurious = 8,  // a wake-up without a signal
  step_value = 16,    // a value choice: `value` is the alternative taken
  step_world = 32,    // it, or what followed it, touched the clock or the random numbers
  step_blocked = 64,  // of an operation that was still pending: its task could not go on
  step_named = 128,   // inside of a function that the search was told of (threads/named.h)
};

// What a synchronisation object would have let pass just before a step: the strategies that reorder
// steps ask it.
enum Open : std::uint8_t {
  open_to_one = 1,      // who wants it exclusively, or wants to take from it
  open_to_readers = 2,  // who wants to share it
  needs_life = 4,       // something may come to its task before this step: a crash, a signal
  recursive_lock = 8,   // whoever holds it may lock it again
};

struct Step {
  std::uint64_t site;    // see Operation
  std::uint64_t object;  // see Operation
  // Read, written, or returned; the new task's number for create, the mutex for a wait on a
  // condition.
  std::uint64_t value;
  TaskId task;
  OperationKind kind;
  std::uint8_t flags;
  std::uint8_t size;      // see Operation
  std::uint8_t open;      // see Open; of the object of the step
  std::uint16_t options;  // how many options there were; 0 and 1: nothing was decided
};
static_assert(sizeof(Step) == 32);

using Trace = std::span<const Step>;

// What happened to a block of the heap in a step, or right after it: besides its operation on an
// object a step may use and free any number of blocks.
struct HeapUse {
  std::uint64_t block;  // its address
  std::uint32_t step;   // in the trace
  TaskId task;
  bool frees;  // otherwise the memory was read or written, or an object in it was operated on
};

using HeapTrace = std::span<const HeapUse>;

}  // namespace ricercar::inline model
