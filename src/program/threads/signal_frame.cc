#include "threads/signal_frame.h"

#include <ucontext.h>

#include <cstdint>
#include <cstring>

#include "threads/execution.h"
#include "threads/memory/signal_state.h"

// rbx: the function, r12: the saved registers, which the kernel loads again.
asm(R"(
.text
.globl ricercar_run_in_frame
.hidden ricercar_run_in_frame
.type ricercar_run_in_frame, @function
ricercar_run_in_frame:
  call *%rbx
  mov %r12, %rsp
  mov $15, %eax
  syscall
  ud2
.size ricercar_run_in_frame, .-ricercar_run_in_frame
)");

extern "C" void ricercar_run_in_frame();

namespace ricercar::inline threads {
namespace {

constexpr std::uint64_t red_zone = 128;
constexpr std::uint64_t legacy_state_size = 512;
constexpr std::uint32_t extended_magic = 0x46505853;  // FP_XSTATE_MAGIC1

// What the kernel writes into the unused end of the saved floating-point registers.
struct ExtendedState {
  std::uint32_t magic;
  std::uint32_t size;
};

std::uint64_t state_size(const void* state) {
  constexpr std::uint64_t place = 464;
  ExtendedState extended;
  std::memcpy(&extended, static_cast<const char*>(state) + place, sizeof extended);
  return extended.magic == extended_magic ? extended.size : legacy_state_size;
}

// Room below `top`, which moves down.
void* place_below(std::uint64_t& top, std::uint64_t size, std::uint64_t alignment) {
  top = (top - size) & ~(alignment - 1);
  return reinterpret_cast<void*>(top);
}

}  // namespace

std::uint64_t continue_in(FrameFunction function, int signal, const siginfo_t& details,
                          void* context) {
  auto* interrupted = static_cast<ucontext_t*>(context);
  greg_t* registers = interrupted->uc_mcontext.gregs;
  std::uint64_t top = static_cast<std::uint64_t>(registers[REG_RSP]) - red_zone;
  const std::uint64_t size = state_size(interrupted->uc_mcontext.fpregs);
  void* state = place_below(top, size, 64);
  std::memcpy(state, interrupted->uc_mcontext.fpregs, size);
  auto* copied_details = static_cast<siginfo_t*>(place_below(top, sizeof details, 16));
  *copied_details = details;
  auto* saved = static_cast<ucontext_t*>(place_below(top, sizeof(ucontext_t), 16));
  std::memcpy(saved, interrupted, sizeof(ucontext_t));
  saved->uc_mcontext.fpregs = static_cast<fpregset_t>(state);
  registers[REG_RIP] = reinterpret_cast<greg_t>(&ricercar_run_in_frame);
  registers[REG_RSP] = static_cast<greg_t>(top);
  registers[REG_RBX] = reinterpret_cast<greg_t>(function);
  registers[REG_R12] = reinterpret_cast<greg_t>(saved);
  registers[REG_RDI] = signal;
  registers[REG_RSI] = reinterpret_cast<greg_t>(copied_details);
  registers[REG_RDX] = reinterpret_cast<greg_t>(saved);
  constexpr greg_t direction_flag = 0x400;
  registers[REG_EFL] &= ~direction_flag;
  return top;
}

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
