#include "machines/crash_guard.h"

#include <assert.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace ricercar::machines {
namespace {

thread_local CrashGuard* current = nullptr;
thread_local int last_signal = 0;
thread_local char assertion[512] = "";

constexpr std::size_t signal_stack_bytes = 64 * 1024;

// The thread library and the runtime of threads take the last ones.
int hang_signal() { return SIGRTMAX - 5; }

void on_signal(int number) {
  if (current == nullptr && number == hang_signal()) return;
  if (current == nullptr) {
    ::signal(number, SIG_DFL);
    ::raise(number);
    return;
  }
  last_signal = number;
  _longjmp(current->jump, 1);
}

}  // namespace

CrashGuard::CrashGuard() : jump(), before_(current) { current = this; }
CrashGuard::~CrashGuard() { current = before_; }

OutcomeKind CrashGuard::kind() const {
  if (last_signal == 0) return OutcomeKind::assertion;
  return last_signal == hang_signal() ? OutcomeKind::hang : OutcomeKind::crash;
}

std::string CrashGuard::message() const {
  if (last_signal == 0) return assertion;
  if (last_signal == hang_signal())
    return "it blocks in a call that Ricercar does not model, or loops";
  return std::string("crash: ") + ::strsignal(last_signal);
}

SignalStack::SignalStack() : memory_(new char[signal_stack_bytes]) {
  const stack_t stack{memory_.get(), 0, signal_stack_bytes};
  ::sigaltstack(&stack, nullptr);
}

SignalStack::~SignalStack() {
  const stack_t none{nullptr, SS_DISABLE, 0};
  ::sigaltstack(&none, nullptr);
}

void interrupt_handler(pthread_t thread) { ::pthread_kill(thread, hang_signal()); }

void install_crash_guard() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_NODEFER | SA_ONSTACK;
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, hang_signal()}) {
    ::sigaction(number, &action, nullptr);
  }
}

void assertion_failed(const char* condition, const char* file, unsigned line,
                      const char* function) {
  if (current == nullptr) return;
  last_signal = 0;
  std::snprintf(assertion, sizeof assertion, "assertion `%s' failed in %s (%s:%u)", condition,
                function, file, line);
  _longjmp(current->jump, 1);
}

}  // namespace ricercar::machines

// Wins over the C library's: a failed assertion of a machine is a bug of the execution.
extern "C" void __assert_fail(const char* condition, const char* file, unsigned line,
                              const char* function) noexcept {
  ricercar::machines::assertion_failed(condition, file, line, function);
  std::fprintf(stderr, "%s:%u: %s: Assertion `%s' failed.\n", file, line, function, condition);
  std::abort();
}
