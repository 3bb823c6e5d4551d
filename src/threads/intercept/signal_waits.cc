// Hooks: signals that the program sends to itself, and waits for signals. All tasks are one thread
// of the kernel, with one mask of signals: a blocked signal stays pending there until a task waits
// for it; another one interrupts whoever runs.
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>

#include "threads/descriptor.h"
#include "threads/intercept/hook.h"
#include "threads/memory/real_function.h"
#include "threads/memory/signal_state.h"
#include "threads/polling.h"
#include "threads/process.h"
#include "threads/thread.h"

namespace ricercar {
namespace {

using KernelSet = std::uint64_t;  // bit n - 1: signal n

template <typename T>
long argument(T* pointer) {
  return reinterpret_cast<long>(pointer);
}

KernelSet to_kernel(const sigset_t* set) {
  KernelSet result;
  std::memcpy(&result, set, sizeof result);
  return result;
}

KernelSet pending_signals() {
  KernelSet pending = 0;
  system_call(SYS_rt_sigpending, argument(&pending), sizeof pending);
  return pending;
}

KernelSet blocked_signals() {
  KernelSet blocked = 0;
  system_call(SYS_rt_sigprocmask, SIG_BLOCK, 0, argument(&blocked), sizeof blocked);
  return blocked;
}

bool any_pending(void* wanted) {
  return (pending_signals() & *static_cast<KernelSet*>(wanted)) != 0;
}

// Waits until a signal of the set is pending; false: the time is over.
bool wait_for_signal(const char* name, KernelSet wanted, TimeLimit limit, std::uint64_t site) {
  const std::uint64_t deadline = execution.clock().now() + limit.nanoseconds();
  return wait_until_ready(
      {name, any_pending, &wanted, all_descriptors(), limit.is_forever() ? nullptr : &deadline},
      site);
}

// The number of the signal, or a negative error number.
long take_signal(const char* name, const sigset_t* set, siginfo_t* details, TimeLimit limit,
                 std::uint64_t site) {
  const KernelSet wanted = to_kernel(set);
  if (!wait_for_signal(name, wanted, limit, site)) return -EAGAIN;
  acquired_through(kernel_channel());
  const timespec zero = {0, 0};
  return patient_call(SYS_rt_sigtimedwait, argument(&wanted), argument(details), argument(&zero),
                      sizeof wanted);
}

// Waits for a signal that `mask` lets through, and lets its handler run.
int wait_with_mask(const char* name, KernelSet mask, std::uint64_t site) {
  wait_for_signal(name, ~mask, TimeLimit::forever(), site);
  return static_cast<int>(as_result(system_call(SYS_rt_sigsuspend, argument(&mask), sizeof mask)));
}

bool is_blocked(int signal) { return signal > 0 && ((blocked_signals() >> (signal - 1)) & 1) != 0; }

// A blocked signal waits for a task to take it: sending it is an operation that others may see.
long signal_self(int signal, std::uint64_t site) {
  if (!is_blocked(signal)) return send_signal_to_self(signal, site);
  announce(kernel_channel(), site);
  released_through(kernel_channel());
  const long result = send_signal_to_self(signal, site);
  channel_changed();
  return result;
}

// The group has no other processes that the program knows of.
bool is_own_group(pid_t group) { return group == 0 || group == system_call(SYS_getpgid, 0); }

bool is_own_process(pid_t process) {
  return process == process_id() || process == 0 || (process < -1 && is_own_group(-process));
}

// A signal that ends or stops the process does so whatever thread it is for.
void require_modelled(const Task* target, int signal, std::uint64_t site) {
  if (target == &execution.self() || is_blocked(signal)) return;
  if (is_deadly(signal) || is_stopping(signal)) return;
  execution.fail(OutcomeKind::hang,
                 "pthread_kill() to another thread is modelled by Ricercar only for signals that "
                 "are blocked, as for sigwait()",
                 site);
}

int signal_thread(const Task* target, int signal, std::uint64_t site) {
  if (target == nullptr) return ESRCH;
  if (signal == 0 || target->state == TaskState::ended) return 0;
  require_modelled(target, signal, site);
  return static_cast<int>(-signal_self(signal, site));
}

const Task* task_of_number(pid_t thread) {
  const long number = thread - process_id();
  if (number < 0 || number >= static_cast<long>(execution.task_count())) return nullptr;
  return &execution.task(task_id(static_cast<std::uint32_t>(number)));
}

int with_errno(int error) {
  if (error != 0) errno = error;
  return error == 0 ? 0 : -1;
}

}  // namespace
}  // namespace ricercar

using namespace ricercar;

RICERCAR_HOOK int kill(pid_t process, int signal) noexcept {
  if (!controlled() || !is_own_process(process)) return RICERCAR_BEHIND(kill)(process, signal);
  return static_cast<int>(as_result(signal_self(signal, RICERCAR_SITE())));
}
RICERCAR_HOOK int pthread_kill(pthread_t thread, int signal) noexcept {
  if (!controlled()) return RICERCAR_BEHIND(pthread_kill)(thread, signal);
  return signal_thread(task_of(thread), signal, RICERCAR_SITE());
}
RICERCAR_HOOK int killpg(pid_t group, int signal) noexcept {
  if (!controlled() || !is_own_group(group)) return RICERCAR_BEHIND(killpg)(group, signal);
  return static_cast<int>(as_result(signal_self(signal, RICERCAR_SITE())));
}
RICERCAR_HOOK int raise(int signal) noexcept {
  if (!controlled()) return RICERCAR_REAL(raise)(signal);
  return static_cast<int>(as_result(signal_self(signal, RICERCAR_SITE())));
}
RICERCAR_HOOK int gsignal(int signal) noexcept {
  if (!controlled()) return RICERCAR_REAL(raise)(signal);
  return static_cast<int>(as_result(signal_self(signal, RICERCAR_SITE())));
}
RICERCAR_HOOK int tgkill(pid_t process, pid_t thread, int signal) {
  if (!controlled()) return RICERCAR_BEHIND(tgkill)(process, thread, signal);
  const Task* target = process == process_id() ? task_of_number(thread) : nullptr;
  return with_errno(signal_thread(target, signal, RICERCAR_SITE()));
}
RICERCAR_HOOK int sigqueue(pid_t process, int signal, const sigval value) noexcept {
  if (!controlled() || process != process_id()) {
    return RICERCAR_BEHIND(sigqueue)(process, signal, value);
  }
  if (signal != 0 && !is_blocked(signal) && (is_deadly(signal) || is_stopping(signal))) {
    send_signal_to_self(signal, RICERCAR_SITE());
  }
  return RICERCAR_BEHIND(sigqueue)(static_cast<pid_t>(system_call(SYS_getpid)), signal, value);
}

RICERCAR_HOOK int sigwait(const sigset_t* set, int* signal) {
  if (!controlled()) return RICERCAR_BEHIND(sigwait)(set, signal);
  const long result = take_signal("sigwait", set, nullptr, TimeLimit::forever(), RICERCAR_SITE());
  if (result < 0) return static_cast<int>(-result);
  *signal = static_cast<int>(result);
  return 0;
}
RICERCAR_HOOK int sigwaitinfo(const sigset_t* set, siginfo_t* details) {
  if (!controlled()) return RICERCAR_BEHIND(sigwaitinfo)(set, details);
  return static_cast<int>(
      as_result(take_signal("sigwaitinfo", set, details, TimeLimit::forever(), RICERCAR_SITE())));
}
RICERCAR_HOOK int sigtimedwait(const sigset_t* set, siginfo_t* details, const timespec* timeout) {
  if (!controlled()) return RICERCAR_BEHIND(sigtimedwait)(set, details, timeout);
  return static_cast<int>(as_result(
      take_signal("sigtimedwait", set, details, TimeLimit::of(timeout), RICERCAR_SITE())));
}
RICERCAR_HOOK int pause() {
  if (!controlled()) return RICERCAR_BEHIND(pause)();
  return wait_with_mask("pause", blocked_signals(), RICERCAR_SITE());
}
RICERCAR_HOOK int sigsuspend(const sigset_t* mask) {
  if (!controlled()) return RICERCAR_BEHIND(sigsuspend)(mask);
  return wait_with_mask("sigsuspend", to_kernel(mask), RICERCAR_SITE());
}
