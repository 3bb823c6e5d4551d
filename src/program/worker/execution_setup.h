// What a search and a replay set up for an execution of threads.
#pragma once

#include "search/control.h"
#include "threads/execution.h"
#include "worker/worker.h"

namespace ricercar::inline worker {

ExecutionOptions options_of(const Request& request, bool whole);

// Room for the trace where it outlives this process. Null: more steps are allowed than the shared
// memory has room for.
OpenTrace* open_trace(Control& control);

// From now on the runtime notices what many executions of a program may do: loads libraries, hangs,
// asks the processor for the time, sends signals. The execution has been configured.
void begin_watching(Control& control);

// A process in which that has happened is not fit to run more executions.
bool breaks_process(OutcomeKind kind);

// Runs the program once, after a restart.
const Outcome& run_execution(const Subject& program, Strategy& strategy);

}  // namespace ricercar::inline worker
