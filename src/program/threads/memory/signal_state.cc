#include "threads/memory/signal_state.h"

#include <time.h>

#include <cstdint>
#include <cstring>

#include "base/system_call.h"
#include "threads/memory/memory_state.h"

namespace ricercar::inline threads {
namespace {

constexpr auto& state = memory_state.signals;

constexpr long mask_size = 8;

std::uint64_t bit(int signal) { return std::uint64_t{1} << (signal & 63); }

void restore_action(int signal) {
  if (state.own_signals & bit(signal)) {
    state.program_actions[signal] = state.saved_program_actions[signal];
  } else {
    system_call(SYS_rt_sigaction, signal, as_argument(&state.saved_actions[signal]), 0, mask_size);
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
  const std::uint64_t wanted = ~state.saved_mask;
  const timespec zero = {0, 0};
  while (system_call(SYS_rt_sigtimedwait, as_argument(&wanted), 0, as_argument(&zero), mask_size) >
         0) {
  }
}

}  // namespace

void signals_take() {
  for (int signal = 1; signal < SavedSignals::count; ++signal) {
    system_call(SYS_rt_sigaction, signal, 0, as_argument(&state.saved_actions[signal]), mask_size);
  }
  std::memcpy(state.saved_program_actions, state.program_actions, sizeof state.program_actions);
  system_call(SYS_rt_sigprocmask, SIG_BLOCK, 0, as_argument(&state.saved_mask), mask_size);
  system_call(SYS_sigaltstack, 0, as_argument(&state.saved_stack));
  state.changed_actions = 0;
  state.mask_changed = state.stack_changed = false;
}

void signals_restore() {
  for (int signal = 1; state.changed_actions != 0 && signal < SavedSignals::count; ++signal) {
    if (state.changed_actions & bit(signal)) restore_action(signal);
  }
  if (state.mask_changed) {
    discard_pending_signals();
    system_call(SYS_rt_sigprocmask, SIG_SETMASK, as_argument(&state.saved_mask), 0, mask_size);
  }
  if (state.stack_changed) system_call(SYS_sigaltstack, as_argument(&state.saved_stack), 0);
  state.changed_actions = 0;
  state.mask_changed = state.stack_changed = false;
}

bool (*mask_of_threads)(const MaskChange&, int&) = nullptr;

void own_signal(int signal) { state.own_signals |= bit(signal); }
bool is_own_signal(int signal) {
  return signal > 0 && signal < SavedSignals::count && (state.own_signals & bit(signal));
}
struct sigaction& program_action_of(int signal) {
  return state.program_actions[signal];
}

void note_signal_action(int signal) { state.changed_actions |= bit(signal); }
void note_signal_mask() { state.mask_changed = true; }
void note_signal_stack() { state.stack_changed = true; }

void guard_signal(int signal, SignalHandler guard) {
  state.guard_of_signals = guard;
  state.guarded_signals |= bit(signal);
}

struct sigaction guarded(int signal, const struct sigaction& action) {
  const bool is_default = (action.sa_flags & SA_SIGINFO) == 0 && action.sa_handler == SIG_DFL;
  if (!is_default || (state.guarded_signals & bit(signal)) == 0) return action;
  struct sigaction result = action;
  result.sa_sigaction = state.guard_of_signals;
  result.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK | SA_RESTART;
  return result;
}

void hide_guard(int signal, struct sigaction& action) {
  if ((state.guarded_signals & bit(signal)) == 0 || action.sa_sigaction != state.guard_of_signals)
    return;
  action.sa_flags &= ~(SA_SIGINFO | SA_NODEFER | SA_ONSTACK | SA_RESTART);
  action.sa_handler = SIG_DFL;
}

bool is_stopping(int signal) {
  if (signal == SIGSTOP) return true;
  return (signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU) &&
         has_default_action(signal);
}

sigset_t blockable(const sigset_t& set) {
  sigset_t result = set;
  for (int signal = 1; signal < SavedSignals::count; ++signal) {
    if (is_own_signal(signal)) sigdelset(&result, signal);
  }
  return result;
}

}  // namespace ricercar::inline threads
