// How a program ends: exit and its handlers, failed assertions, abort, uncaught exceptions.
#pragma once

#include <cstdint>

namespace ricercar::inline worker {

// atexit and static destructors take an object or nothing, on_exit the status and an argument.
struct ExitHandler {
  void (*with_object)(void*);
  void (*with_status)(int, void*);
  void* argument;
};

void add_exit_handler(const ExitHandler& handler);
// Handlers registered so far belong to every execution; later ones to the execution that registers
// them.
void exit_handlers_freeze();
void exit_handlers_begin_execution();

// What happens when main returns: exit handlers and destructors run as part of the execution.
[[noreturn]] void exit_program(int status);

// The ways to end, by a controlled task; `site` is where the program asked for it.
[[noreturn]] void exit_at_once(int status, std::uint64_t site);
[[noreturn]] void exit_with_handlers(int status, std::uint64_t site);
[[noreturn]] void fail_with_signal(const char* what, int signal, std::uint64_t site);
[[noreturn]] void assertion_failed(const char* expression, const char* file, unsigned line,
                                   const char* function, std::uint64_t site);
// The message of a framework's assertion, which may have several lines.
[[noreturn]] void framework_assertion_failed(const char* message, const char* file, unsigned line,
                                             std::uint64_t site);

}  // namespace ricercar::inline worker
