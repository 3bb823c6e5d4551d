// Hooks: signals that the program sends to itself, and waits for signals.
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>

#include "threads/descriptor.h"
#include "threads/hook.h"
#include "threads/memory/real_function.h"
#include "threads/polling.h"
#include "threads/process.h"
#include "threads/signals.h"
#include "threads/thread.h"

namespace ricercar::inline hooks {
namespace {

long argument(const void* pointer) { return reinterpret_cast<long>(pointer); }

int with_errno(int error) {
  if (error != 0) errno = error;
  return error == 0 ? 0 : -1;
}

SignalMask to_mask(const sigset_t* set) {
  SignalMask result;
  std::memcpy(&result, set, sizeof result);
  return result;
}

// A wait for signals of a set: whose, and which.
struct Waited {
  TaskId task;
  SignalMask wanted;
};

bool any_pending(void* argument) {
  const auto& waited = *static_cast<const Waited*>(argument);
  return (pending_for(waited.task) & waited.wanted) != 0;
}

struct SignalWait {
  const char* name;
  SignalMask wanted;
  TimeLimit limit = TimeLimit::forever();
  bool restarts = false;
};

Readiness wait_for_signal(const SignalWait& wait, std::uint64_t site) {
  const std::uint64_t deadline = execution.clock.now() + wait.limit.nanoseconds();
  Waited waited = {execution.self().id, wait.wanted};
  return wait_until_ready({wait.name, any_pending, &waited, all_descriptors(),
                           wait.limit.is_forever() ? nullptr : &deadline, nullptr, wait.restarts},
                          site);
}

// The number of the signal, or a negative error number.
long take_signal(const SignalWait& wait, siginfo_t* details, std::uint64_t site) {
  const Readiness why = wait_for_signal(wait, site);
  if (why != Readiness::ready) return why == Readiness::interrupted ? -EINTR : -EAGAIN;
  acquired_through(kernel_channel());
  const SignalMask wanted = wait.wanted & pending_for(execution.self().id);
  const timespec zero = {0, 0};
  return patient_call(SYS_rt_sigtimedwait, argument(&wanted), argument(details), argument(&zero),
                      sizeof wanted);
}

// A signal that nobody blocks any more was handled when it was let through: without a model of
// signals the kernel does that.
int wait_with_mask(const char* name, SignalMask mask, std::uint64_t site) {
  wait_for_signal({name, ~mask}, site);
  if (program_state.imports.signals) return with_errno(EINTR);
  return static_cast<int>(as_result(system_call(SYS_rt_sigsuspend, argument(&mask), sizeof mask)));
}

long raise_here(int signal, std::uint64_t site) {
  return signal_task(execution.self(), {signal, SI_TKILL, nullptr}, site);
}

int signal_thread(Task* target, const SentSignal& signal, std::uint64_t site) {
  return target == nullptr ? ESRCH : static_cast<int>(-signal_task(*target, signal, site));
}

// The group has no other processes that the program knows of.
bool is_own_group(pid_t group) { return group == 0 || group == system_call(SYS_getpgid, 0); }

bool is_own_process(pid_t process) {
  return process == process_id() || process == 0 || (process < -1 && is_own_group(-process));
}

int signal_own_process(const SentSignal& signal, std::uint64_t site) {
  return static_cast<int>(as_result(signal_process(signal, site)));
}

}  // namespace

}  // namespace ricercar::inline hooks

using namespace ricercar;

RICERCAR_HOOK int kill(pid_t process, int signal) noexcept {
  if (!controlled() || !is_own_process(process)) return RICERCAR_BEHIND(kill)(process, signal);
  return signal_own_process({signal, SI_USER, nullptr}, RICERCAR_SITE());
}
RICERCAR_HOOK int pthread_kill(pthread_t thread, int signal) noexcept {
  if (!controlled()) return RICERCAR_BEHIND(pthread_kill)(thread, signal);
  return signal_thread(task_of(thread), {signal, SI_TKILL, nullptr}, RICERCAR_SITE());
}
RICERCAR_HOOK int pthread_sigqueue(pthread_t thread, int signal, const sigval value) noexcept {
  if (!controlled()) return RICERCAR_BEHIND(pthread_sigqueue)(thread, signal, value);
  return signal_thread(task_of(thread), {signal, SI_QUEUE, value.sival_ptr}, RICERCAR_SITE());
}
RICERCAR_HOOK int killpg(pid_t group, int signal) noexcept {
  if (!controlled() || !is_own_group(group)) return RICERCAR_BEHIND(killpg)(group, signal);
  return signal_own_process({signal, SI_USER, nullptr}, RICERCAR_SITE());
}
RICERCAR_HOOK int raise(int signal) noexcept {
  if (!controlled()) return RICERCAR_REAL(raise)(signal);
  return static_cast<int>(as_result(raise_here(signal, RICERCAR_SITE())));
}
RICERCAR_HOOK int gsignal(int signal) noexcept {
  if (!controlled()) return RICERCAR_REAL(raise)(signal);
  return static_cast<int>(as_result(raise_here(signal, RICERCAR_SITE())));
}
RICERCAR_HOOK int tgkill(pid_t process, pid_t thread, int signal) {
  if (!controlled()) return RICERCAR_BEHIND(tgkill)(process, thread, signal);
  Task* target = process == process_id() ? task_of_number(thread) : nullptr;
  return with_errno(signal_thread(target, {signal, SI_TKILL, nullptr}, RICERCAR_SITE()));
}
RICERCAR_HOOK int sigqueue(pid_t process, int signal, const sigval value) noexcept {
  if (!controlled() || process != process_id()) {
    return RICERCAR_BEHIND(sigqueue)(process, signal, value);
  }
  return signal_own_process({signal, SI_QUEUE, value.sival_ptr}, RICERCAR_SITE());
}

RICERCAR_HOOK int sigwait(const sigset_t* set, int* signal) {
  if (!controlled()) return RICERCAR_BEHIND(sigwait)(set, signal);
  SignalWait wait = {"sigwait", to_mask(set)};
  long result;
  do {
    result = take_signal(wait, nullptr, RICERCAR_SITE());
  } while (result == -EINTR);
  if (result < 0) return static_cast<int>(-result);
  *signal = static_cast<int>(result);
  return 0;
}
RICERCAR_HOOK int sigwaitinfo(const sigset_t* set, siginfo_t* details) {
  if (!controlled()) return RICERCAR_BEHIND(sigwaitinfo)(set, details);
  return static_cast<int>(
      as_result(take_signal({"sigwaitinfo", to_mask(set)}, details, RICERCAR_SITE())));
}
RICERCAR_HOOK int sigtimedwait(const sigset_t* set, siginfo_t* details, const timespec* timeout) {
  if (!controlled()) return RICERCAR_BEHIND(sigtimedwait)(set, details, timeout);
  const SignalWait wait = {"sigtimedwait", to_mask(set), TimeLimit::of(timeout)};
  return static_cast<int>(as_result(take_signal(wait, details, RICERCAR_SITE())));
}
RICERCAR_HOOK int pause() {
  if (!controlled()) return RICERCAR_BEHIND(pause)();
  const SignalMask mask =
      program_state.imports.signals ? execution.self().blocked_signals : mask_of_kernel();
  return wait_with_mask("pause", mask, RICERCAR_SITE());
}
RICERCAR_HOOK int sigsuspend(const sigset_t* mask) {
  if (!controlled()) return RICERCAR_BEHIND(sigsuspend)(mask);
  const OtherMask during(mask, RICERCAR_SITE());
  if (during.has_let_in()) return with_errno(EINTR);
  return wait_with_mask("sigsuspend", to_mask(mask), RICERCAR_SITE());
}
