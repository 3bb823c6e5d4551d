// Hooks: how a program ends (exit, abort, failed assertions, exit handlers), and the C interface by
// which it tells of failures and asks for choices.
#include "worker/program_end.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <string>

#include "ricercar/abi.h"
#include "threads/execution.h"
#include "threads/hook.h"
#include "threads/memory/external_state.h"
#include "threads/process.h"
#include "worker/whole_program.h"

using namespace ricercar;

RICERCAR_HOOK void exit(int status) {
  if (!controlled()) RICERCAR_REAL(exit)(status);
  exit_with_handlers(status, RICERCAR_SITE());
}
RICERCAR_HOOK void _exit(int status) {
  if (controlled()) exit_at_once(status, RICERCAR_SITE());
  for (;;) system_call(SYS_exit_group, status);
}
RICERCAR_HOOK void _Exit(int status) {
  if (controlled()) exit_at_once(status, RICERCAR_SITE());
  for (;;) system_call(SYS_exit_group, status);
}
RICERCAR_HOOK void quick_exit(int status) {
  if (!controlled()) RICERCAR_REAL(quick_exit)(status);
  exit_at_once(status, RICERCAR_SITE());
}
RICERCAR_HOOK void abort() {
  if (controlled()) {
    calls_own_handler(SIGABRT);  // it may jump out; if it comes back, the process ends
    fail_with_signal("abort() was called", SIGABRT, RICERCAR_SITE());
  }
  RICERCAR_REAL(abort)();
  __builtin_unreachable();
}
RICERCAR_HOOK void __assert_fail(const char* expression, const char* file, unsigned line,
                                 const char* function) noexcept {
  if (controlled()) assertion_failed(expression, file, line, function, RICERCAR_SITE());
  fprintf(stderr, "%s:%u: %s: assertion `%s' failed.\n", file, line, function, expression);
  abort();
}
RICERCAR_HOOK void __assert(const char* expression, const char* file, int line) noexcept {
  if (controlled()) {
    assertion_failed(expression, file, static_cast<unsigned>(line), nullptr, RICERCAR_SITE());
  }
  __assert_fail(expression, file, static_cast<unsigned>(line), "?");
}
RICERCAR_HOOK void __assert_perror_fail(int error, const char* file, unsigned line,
                                        const char* function) noexcept {
  const char* name = strerrorname_np(error);
  const std::string text =
      "assert_perror(" + (name != nullptr ? std::string(name) : std::to_string(error)) + ")";
  if (controlled()) assertion_failed(text.c_str(), file, line, function, RICERCAR_SITE());
  __assert_fail(text.c_str(), file, line, function);
}

// A whole program's handlers are kept here from the start of the process; those of the process that
// runs ricercar::check are its own.
extern "C" __attribute__((visibility("hidden"))) void* __dso_handle;

RICERCAR_HOOK int __cxa_atexit(void (*function)(void*), void* object, void* library) {
  // The runtime's own objects outlive the program and are never destroyed.
  if (library == &__dso_handle) return 0;
  if (is_whole_program()) {
    add_exit_handler({function, nullptr, object});
    return 0;
  }
  using Register = int (*)(void (*)(void*), void*, void*);
  static const auto real = reinterpret_cast<Register>(next_definition("__cxa_atexit"));
  return real(function, object, library);
}
RICERCAR_HOOK int on_exit(void (*function)(int, void*), void* argument) {
  if (is_whole_program()) {
    add_exit_handler({nullptr, function, argument});
    return 0;
  }
  using Register = int (*)(void (*)(int, void*), void*);
  static const auto real = reinterpret_cast<Register>(next_definition("on_exit"));
  return real(function, argument);
}

// --- The C interface ---

// The exception that an assertion of a test framework throws, where nobody has told us of the
// assertion: the header that would.
static const char* header_for_exception(const char* type) {
  if (strcmp(type, "Catch::TestFailureException") == 0) return "ricercar/catch2.h";
  if (strcmp(type, "doctest::detail::TestFailureException") == 0) return "ricercar/doctest.h";
  return nullptr;
}

RICERCAR_HOOK void ricercar_fail(const char* message) {
  if (controlled()) execution.fail(OutcomeKind::assertion, message, RICERCAR_SITE());
  fprintf(stderr, "%s\n", message);
  abort();
}
RICERCAR_HOOK void ricercar_fail_at(const char* message, const char* file, unsigned line,
                                    const void* site) {
  if (!controlled()) return;
  framework_assertion_failed(message, file, line, reinterpret_cast<std::uint64_t>(site));
}
RICERCAR_HOOK int ricercar_whole_program() { return controlled() && is_whole_program() ? 1 : 0; }
RICERCAR_HOOK void ricercar_uncaught_exception(const char* type, const char* text) {
  if (!controlled()) return;
  if (const char* header = header_for_exception(type)) {
    const std::string message = std::string("an assertion failed by the exception ") + type +
                                " (include <" + header + ">, and the report says which)";
    execution.fail(OutcomeKind::assertion, message, RICERCAR_SITE());
  }
  std::string message = std::string("uncaught exception of type ") + type;
  if (text != nullptr && *text != 0) message += std::string(": ") + text;
  execution.fail(OutcomeKind::exception, message, RICERCAR_SITE());
}
RICERCAR_HOOK void ricercar_terminated() {
  if (!controlled()) return;
  fail_with_signal(
      "std::terminate was called without an exception; a std::thread that is neither joined nor "
      "detached was destroyed, or a function that must not throw did",
      SIGABRT, RICERCAR_SITE());
}
RICERCAR_HOOK std::uint32_t ricercar_choose(std::uint32_t n) {
  if (!controlled() || n < 2) return 0;
  return execution.choose_value(n, OperationKind::choose, nullptr, RICERCAR_SITE());
}
RICERCAR_HOOK void ricercar_explorer_hint(std::uint64_t what, std::uint64_t value) {
  if (!controlled()) return;
  execution.note(OperationKind::hint, reinterpret_cast<const void*>(what), RICERCAR_SITE(), value);
}
RICERCAR_HOOK int ricercar_active() { return controlled() ? 1 : 0; }
