// A trace: the operations of one execution in the order in which they happened.
#pragma once

#include <cstdint>
#include <span>

#include "model/ids.h"
#include "model/operation.h"

namespace ricercar {

// What a step says besides its operation. A step is 32 bytes because tens of millions of them are
// written every second.
enum StepFlag : std::uint8_t {
  step_failed = 1,    // try_lock found it taken, compare-exchange found another value, ...
  step_timeout = 2,   // a timed operation ended by its time-out
  step_preempts = 4,  // chosen although the task of the last step could have gone on
  step_spurious = 8,  // a wake-up without a signal
  step_value = 16,    // a value choice: `value` is the alternative taken
};

struct Step {
  std::uint64_t site;    // see Operation
  std::uint64_t object;  // see Operation
  std::uint64_t value;   // read, written, or returned; the new task's number for create
  TaskId task;
  OperationKind kind;
  std::uint8_t flags;
  std::uint8_t size;  // see Operation
  std::uint8_t reserved;
  std::uint16_t options;  // how many options there were; 0 and 1: nothing was decided
};
static_assert(sizeof(Step) == 32);

using Trace = std::span<const Step>;

}  // namespace ricercar
