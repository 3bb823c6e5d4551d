// The trace of the execution that runs now, in memory that outlives the process: whoever finds the
// process dead knows what it had done. The world writes it step by step; plain data, because it is
// read from other processes.
#pragma once

#include <cstdint>
#include <span>

#include "model/recorded_execution.h"
#include "model/trace.h"

namespace ricercar::inline model {

// Its plain accesses are those before the last point.
struct OpenTrace : ExecutionFacts {
  std::uint64_t step_count = 0;
  std::uint64_t access_count = 0;
  Step* steps = nullptr;              // room for all that an execution may do
  std::uint32_t* accesses = nullptr;  // Points::shared: the plain accesses that were points

  Trace trace() const { return {steps, step_count}; }
  std::span<const std::uint32_t> points() const { return {accesses, access_count}; }
};

}  // namespace ricercar::inline model
