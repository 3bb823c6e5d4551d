#include "threads/memory/signal_state.h"

#include <time.h>

#include <cstdint>
#include <cstring>

#include "base/system_call.h"

namespace ricercar::inline threads {
namespace {

constexpr int signal_count = 65;
constexpr long mask_size = 8;

// As the kernel has it, so that it goes back as it came.
struct KernelAction {
  void* handler;
  std::uint64_t flags;
  void* restorer;
  std::uint64_t mask;
};

constinit KernelAction saved_actions[signal_count] = {};
constinit struct sigaction program_actions[signal_count] = {};
constinit struct sigaction saved_program_actions[signal_count] = {};
constinit std::uint64_t own_signals = 0;      // bit n: signal n
constinit std::uint64_t changed_actions = 0;  // the same
constinit std::uint64_t saved_mask = 0;
constinit stack_t saved_stack = {};
constinit std::uint64_t guarded_signals = 0;  // the same
constinit SignalHandler guard_of_signals = nullptr;
constinit bool mask_changed = false;
constinit bool stack_changed = false;

std::uint64_t bit(int signal) { return std::uint64_t{1} << (signal & 63); }

void restore_action(int signal) {
  if (own_signals & bit(signal)) {
    program_actions[signal] = saved_program_actions[signal];
  } else {
    system_call(SYS_rt_sigaction, signal, as_argument(&saved_actions[signal]), 0, mask_size);
  }
}

bool has_default_action(int signal) {
  struct sigaction action = {};
  return ::sigaction(signal, nullptr, &action) == 0 && (action.sa_flags & SA_SIGINFO) == 0 &&
         action.sa_handler == SIG_DFL;
}

// Signals that the program blocked, sent to itself and did not take. They would come as soon as the
// mask is put back, and belong to the execution that is over.
void discard_pending_signals() {
  const std::uint64_t wanted = ~saved_mask;
  const timespec zero = {0, 0};
  while (system_call(SYS_rt_sigtimedwait, as_argument(&wanted), 0, as_argument(&zero), mask_size) >
         0) {
  }
}

}  // namespace

void signals_take() {
  for (int signal = 1; signal < signal_count; ++signal) {
    system_call(SYS_rt_sigaction, signal, 0, as_argument(&saved_actions[signal]), mask_size);
  }
  std::memcpy(saved_program_actions, program_actions, sizeof program_actions);
  system_call(SYS_rt_sigprocmask, SIG_BLOCK, 0, as_argument(&saved_mask), mask_size);
  system_call(SYS_sigaltstack, 0, as_argument(&saved_stack));
  changed_actions = 0;
  mask_changed = stack_changed = false;
}

void signals_restore() {
  for (int signal = 1; changed_actions != 0 && signal < signal_count; ++signal) {
    if (changed_actions & bit(signal)) restore_action(signal);
  }
  if (mask_changed) {
    discard_pending_signals();
    system_call(SYS_rt_sigprocmask, SIG_SETMASK, as_argument(&saved_mask), 0, mask_size);
  }
  if (stack_changed) system_call(SYS_sigaltstack, as_argument(&saved_stack), 0);
  changed_actions = 0;
  mask_changed = stack_changed = false;
}

bool program_has_handlers = false;
bool (*mask_of_threads)(const MaskChange&, int&) = nullptr;

void own_signal(int signal) { own_signals |= bit(signal); }
bool is_own_signal(int signal) {
  return signal > 0 && signal < signal_count && (own_signals & bit(signal));
}
struct sigaction& program_action_of(int signal) {
  return program_actions[signal];
}

void note_signal_action(int signal) { changed_actions |= bit(signal); }
void note_signal_mask() { mask_changed = true; }
void note_signal_stack() { stack_changed = true; }

void guard_signal(int signal, SignalHandler guard) {
  guard_of_signals = guard;
  guarded_signals |= bit(signal);
}

struct sigaction guarded(int signal, const struct sigaction& action) {
  const bool is_default = (action.sa_flags & SA_SIGINFO) == 0 && action.sa_handler == SIG_DFL;
  if (!is_default || (guarded_signals & bit(signal)) == 0) return action;
  struct sigaction result = action;
  result.sa_sigaction = guard_of_signals;
  result.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK | SA_RESTART;
  return result;
}

void hide_guard(int signal, struct sigaction& action) {
  if ((guarded_signals & bit(signal)) == 0 || action.sa_sigaction != guard_of_signals) return;
  action.sa_flags &= ~(SA_SIGINFO | SA_NODEFER | SA_ONSTACK | SA_RESTART);
  action.sa_handler = SIG_DFL;
}

bool is_deadly(int signal) {
  if (signal == SIGKILL) return true;
  const bool ends = is_own_signal(signal) ||
                    (signal > 0 && signal < signal_count && (guarded_signals & bit(signal)) != 0);
  return ends && has_default_action(signal);
}

bool is_stopping(int signal) {
  if (signal == SIGSTOP) return true;
  return (signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU) &&
         has_default_action(signal);
}

sigset_t blockable(const sigset_t& set) {
  sigset_t result = set;
  for (int signal = 1; signal < signal_count; ++signal) {
    if (is_own_signal(signal)) sigdelset(&result, signal);
  }
  return result;
}

}  // namespace ricercar::inline threads
