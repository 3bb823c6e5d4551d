// Hooks: signal dispositions, masks and the alternative stack.
#include <errno.h>
#include <pthread.h>
#include <signal.h>

#include "threads/memory/external_state.h"
#include "threads/memory/memory_state.h"
#include "threads/memory/real_function.h"

using namespace ricercar;

namespace {

struct sigaction simple_action(sighandler_t handler) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  return action;
}

// The program's handler for a signal of the runtime: remembered, not installed.
sighandler_t replace_handler(int signal, sighandler_t handler) {
  note_signal_action(signal);
  struct sigaction& action = program_action_of(signal);
  const sighandler_t old = action.sa_handler;
  action = simple_action(handler);
  return old;
}

int change_action(int signal, const struct sigaction* action, struct sigaction* old) {
  struct sigaction installed {};
  if (action != nullptr) installed = guarded(signal, *action);
  const int result =
      RICERCAR_BEHIND(sigaction)(signal, action != nullptr ? &installed : nullptr, old);
  if (result == 0 && old != nullptr) hide_guard(signal, *old);
  return result;
}

// SIG_DFL for a signal that is guarded, and what was there before.
sighandler_t put_default(int signal) {
  const struct sigaction action = simple_action(SIG_DFL);
  struct sigaction old {};
  return change_action(signal, &action, &old) == 0 ? old.sa_handler : SIG_ERR;
}

sighandler_t as_seen(int signal, sighandler_t handler) {
  struct sigaction action {};
  action.sa_handler = handler;
  hide_guard(signal, action);
  return action.sa_handler;
}

void look_for_handler(sighandler_t handler) {
  if (handler != SIG_DFL && handler != SIG_IGN) memory_state.signals.program_has_handlers = true;
}

int with_errno(int error) {
  if (error != 0) errno = error;
  return error == 0 ? 0 : -1;
}

}  // namespace

RICERCAR_EXPORT int sigaction(int signal, const struct sigaction* action,
                              struct sigaction* old) noexcept {
  if (action != nullptr) look_for_handler(action->sa_handler);
  if (action != nullptr && (tracking || is_own_signal(signal))) note_signal_action(signal);
  if (!is_own_signal(signal)) return change_action(signal, action, old);
  const struct sigaction before = program_action_of(signal);
  if (action != nullptr) program_action_of(signal) = *action;
  if (old != nullptr) *old = before;
  return 0;
}

#define RICERCAR_SIGNAL_HOOK(name)                                               \
  RICERCAR_EXPORT sighandler_t name(int signal, sighandler_t handler) noexcept { \
    look_for_handler(handler);                                                   \
    if (is_own_signal(signal)) return replace_handler(signal, handler);          \
    if (tracking) note_signal_action(signal);                                    \
    if (handler == SIG_DFL) return put_default(signal);                          \
    return as_seen(signal, RICERCAR_BEHIND(name)(signal, handler));              \
  }

extern "C" sighandler_t bsd_signal(int signal, sighandler_t handler) noexcept;
RICERCAR_SIGNAL_HOOK(signal)
RICERCAR_SIGNAL_HOOK(bsd_signal)
RICERCAR_SIGNAL_HOOK(sysv_signal)
RICERCAR_SIGNAL_HOOK(__sysv_signal)

#define RICERCAR_MASK_HOOK(name, returned)                                         \
  RICERCAR_EXPORT int name(int how, const sigset_t* set, sigset_t* old) noexcept { \
    int error = 0;                                                                 \
    const MaskChange change = {how, set, old, __builtin_return_address(0)};        \
    if (mask_of_threads != nullptr && mask_of_threads(change, error)) {            \
      return returned(error);                                                      \
    }                                                                              \
    if (!tracking || set == nullptr || how == SIG_UNBLOCK) {                       \
      if (tracking && set != nullptr) note_signal_mask();                          \
      return RICERCAR_BEHIND(name)(how, set, old);                                 \
    }                                                                              \
    note_signal_mask();                                                            \
    const sigset_t allowed = blockable(*set);                                      \
    return RICERCAR_BEHIND(name)(how, &allowed, old);                              \
  }

RICERCAR_MASK_HOOK(sigprocmask, with_errno)
RICERCAR_MASK_HOOK(pthread_sigmask, )

RICERCAR_EXPORT int sigaltstack(const stack_t* stack, stack_t* old) noexcept {
  if (tracking && stack != nullptr) note_signal_stack();
  return RICERCAR_BEHIND(sigaltstack)(stack, old);
}
