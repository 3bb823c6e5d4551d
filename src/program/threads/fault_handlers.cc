#include "threads/fault_handlers.h"

#include <ucontext.h>

#include <cstdint>

#include "threads/execution.h"
#include "threads/memory/signal_state.h"
#include "threads/signal_frame.h"

namespace ricercar::inline threads {
namespace {

bool is_handler(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) != 0 ||
         (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN);
}

// A handler that jumps out of itself leaves its frame, and with it the fault.
bool is_in_handler(const Task& task, void* context) {
  const greg_t* registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  return static_cast<std::uint64_t>(registers[REG_RSP]) < task.handler_frame &&
         task.fiber->stack.contains(task.handler_frame);
}

}  // namespace

bool pass_to_program(int signal, const siginfo_t& details, void* context) {
  Task& task = execution.self();
  struct sigaction& action = program_action_of(signal);
  if (!is_handler(action)) return false;
  if (is_in_handler(task, context) && (action.sa_flags & SA_NODEFER) == 0) return false;
  const FrameFunction function = action.sa_sigaction;
  if ((action.sa_flags & static_cast<int>(SA_RESETHAND)) != 0) action = {};
  task.handler_frame = continue_in(function, signal, details, context);
  return true;
}

}  // namespace ricercar::inline threads
