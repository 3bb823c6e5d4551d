#include "worker/execution_setup.h"

#include "base/search_heap.h"

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

const Outcome& run_execution(const Subject& program, Strategy& strategy) {
  return execution.run(strategy, program.body, program.argument);
}

}  // namespace ricercar::inline worker
