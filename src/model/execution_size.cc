#include "model/execution_size.h"

#include <utility>

namespace ricercar::inline model {

ExecutionSize size_of(Trace trace) {
  ExecutionSize size;
  size.steps = trace.size();
  TaskId last = trace.empty() ? no_task : trace.front().task;
  for (const Step& step : trace) {
    const bool is_value = (step.flags & step_value) != 0;
    if ((step.flags & step_preempts) != 0) ++size.preemptions;
    if (step.kind == OperationKind::fault && !is_value) ++size.faults;
    if (std::exchange(last, step.task) != step.task) ++size.switches;
  }
  return size;
}

}  // namespace ricercar::inline model
