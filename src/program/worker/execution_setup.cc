#include "worker/execution_setup.h"

#include "base/search_heap.h"
#include "threads/instructions.h"
#include "threads/memory/heap_hooks.h"
#include "threads/program_state.h"
#include "threads/signals.h"
#include "worker/threads_world.h"
#include "worker/watchdog.h"

namespace ricercar::inline worker {

ExecutionOptions options_of(const Request& request, bool whole) {
  ExecutionOptions options{request};
  options.backend = request.backend;
  options.whole_program = whole;
  return options;
}

OpenTrace* open_trace(Control& control) {
  if (control.open.steps == nullptr) {
    const std::uint64_t room = trace_room(control.request.max_steps);
    auto* memory =
        static_cast<Step*>(search_reserve(room * (sizeof(Step) + sizeof(std::uint32_t))));
    if (memory == nullptr) return nullptr;
    control.open.steps = memory;
    control.open.accesses = reinterpret_cast<std::uint32_t*>(memory + room);
  }
  return &control.open;
}

void begin_watching(Control& control) {
  heap_events_wanted = true;
  late_libraries_begin();
  watchdog_start(control);
  trap_time_stamps();
  program_state.imports.look();
  look_for_signalling();
}

bool breaks_process(OutcomeKind kind) {
  return kind == OutcomeKind::crash || kind == OutcomeKind::hang ||
         kind == OutcomeKind::use_after_free;
}

const Outcome& run_execution(const Subject& program, Strategy& strategy) {
  return execution.run(strategy, program.body, program.argument);
}

}  // namespace ricercar::inline worker
