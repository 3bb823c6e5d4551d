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

void on_signal(int number) {
  if (current == nullptr) {
    ::signal(number, SIG_DFL);
    ::raise(number);
    return;
  }
  last_signal = number;
  _longjmp(current->jump, 1);
}

}  // namespace

CrashGuard::CrashGuard() : before_(current) { current = this; }
CrashGuard::~CrashGuard() { current = before_; }

bool CrashGuard::is_assertion() const { return last_signal == 0; }

std::string CrashGuard::message() const {
  if (is_assertion()) return assertion;
  return std::string("crash: ") + ::strsignal(last_signal);
}

void install_crash_guard() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_NODEFER;
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
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
