#include "search/program_end.h"

#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "ricercar/abi.h"
#include "search/whole_program.h"
#include "search/worker.h"
#include "threads/execution.h"
#include "threads/intercept/hook.h"
#include "threads/memory/external_state.h"
#include "threads/memory/heap_hooks.h"
#include "threads/memory_access.h"
#include "threads/object_life.h"
#include "threads/own_code.h"
#include "threads/process.h"
#include "threads/recorder.h"

namespace ricercar {
namespace {

// atexit and static destructors take an object or nothing, on_exit the status and an argument.
struct ExitHandler {
  void (*with_object)(void*);
  void (*with_status)(int, void*);
  void* argument;
};

std::vector<ExitHandler>& handlers() {
  static auto& list = *new std::vector<ExitHandler>;
  return list;
}
std::vector<ExitHandler>& frozen_handlers() {
  static auto& list = *new std::vector<ExitHandler>;
  return list;
}

void run_exit_handlers(int status) {
  while (!handlers().empty()) {
    const ExitHandler last = handlers().back();
    handlers().pop_back();
    if (last.with_object != nullptr) {
      last.with_object(last.argument);
    } else {
      last.with_status(status, last.argument);
    }
  }
}

// Functions of the executable with the attribute `destructor`.
int run_final_functions(dl_phdr_info* object, std::size_t, void*) {
  std::uint64_t array = 0;
  std::size_t bytes = 0;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    if (object->dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
    const auto* entry =
        reinterpret_cast<const ElfW(Dyn)*>(object->dlpi_addr + object->dlpi_phdr[i].p_vaddr);
    for (; entry->d_tag != DT_NULL; ++entry) {
      if (entry->d_tag == DT_FINI_ARRAY) array = object->dlpi_addr + entry->d_un.d_ptr;
      if (entry->d_tag == DT_FINI_ARRAYSZ) bytes = entry->d_un.d_val;
    }
  }
  auto* functions = reinterpret_cast<void (**)()>(array);
  for (std::size_t i = bytes / sizeof(void*); i > 0; --i) functions[i - 1]();
  return 1;  // the executable comes first; the libraries' functions are not the program's
}

// Whatever the others would still do before the process is gone is a matter of the schedule.
void point_of_exit(int status, std::uint64_t site) {
  execution.point(OperationKind::exit, nullptr, site);
  execution.step().value = static_cast<std::uint64_t>(status);
}

[[noreturn]] void end_with(int status, std::uint64_t site) {
  if (status != 0) {
    Outcome outcome;
    outcome.kind = OutcomeKind::exit;
    outcome.message = "the program ended with status " + std::to_string(status);
    outcome.number = status;
    outcome.site = site;
    execution.fail(std::move(outcome));
  }
  execution.finish();
}

[[noreturn]] void exit_at_once(int status, std::uint64_t site) {
  point_of_exit(status, site);
  end_with(status & 0xff, site);
}

[[noreturn]] void exit_with_handlers(int status, std::uint64_t site) {
  point_of_exit(status, site);
  if (execution.options().whole_program) {
    run_exit_handlers(status);
    dl_iterate_phdr(run_final_functions, nullptr);
  }
  fflush(nullptr);
  end_with(status & 0xff, site);
}

[[noreturn]] void fail_with_signal(const char* what, int signal, std::uint64_t site) {
  Outcome outcome;
  outcome.kind = OutcomeKind::crash;
  outcome.message = what;
  outcome.number = signal;
  outcome.site = site;
  execution.fail(std::move(outcome));
}

[[noreturn]] void assertion_failed(const char* expression, const char* file, unsigned line,
                                   const char* function, std::uint64_t site) {
  std::string text = std::string("assertion `") + expression + "' failed";
  if (function != nullptr) text += std::string(" in ") + function;
  if (file != nullptr) text += std::string(" (") + file + ":" + std::to_string(line) + ")";
  execution.fail(OutcomeKind::assertion, text, site);
}

}  // namespace

void exit_handlers_freeze() { frozen_handlers() = handlers(); }
void exit_handlers_begin_execution() { handlers() = frozen_handlers(); }

void exit_program(int status) { exit_with_handlers(status, 0); }

// --- What the heap asks for ---

bool report_bad_free(void* block, Release why, void* return_address) {
  if (!controlled()) return false;
  Outcome outcome;
  outcome.kind = OutcomeKind::use_after_free;
  outcome.message = why == Release::double_free ? "frees a block that was freed before"
                                                : "frees what is not a block of the heap";
  outcome.site = reinterpret_cast<std::uint64_t>(return_address);
  outcome.object = reinterpret_cast<std::uint64_t>(block);
  execution.found(std::move(outcome));
  return true;
}

void heap_event(bool allocated, void* block, std::size_t size, void* return_address) {
  if (!controlled() || !execution.wants_heap_events()) return;
  const auto address = reinterpret_cast<std::uint64_t>(block);
  const auto site = reinterpret_cast<std::uint64_t>(return_address);
  if (!allocated) {
    size = heap_usable_size(block);
    execution.block_freed(address, size);
    if (execution.objects().any_in_heap()) objects_end(address, size, true, site);
  }
  if (execution.recorder() != nullptr) execution.record_heap(allocated, address, size, site);
  if (RaceDetector* races = execution.races()) {
    // What the C++ library frees by itself (exceptions, its own strings) it has counted itself.
    if (allocated || !execution.looks_for_races() || is_cxx_library(site)) {
      races->allocated(address, size);
    } else {
      const Race* race =
          races->freed(execution.self().id, address, size, site, execution.event_number());
      if (race != nullptr) report_race(*race, true);
    }
  }
}

void memory_unmapped(void* start, std::size_t size) {
  if (controlled()) execution.memory_ended(reinterpret_cast<std::uint64_t>(start), size);
}

}  // namespace ricercar

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
    handlers().push_back({function, nullptr, object});
    return 0;
  }
  using Register = int (*)(void (*)(void*), void*, void*);
  static const auto real = reinterpret_cast<Register>(next_definition("__cxa_atexit"));
  return real(function, object, library);
}
RICERCAR_HOOK int on_exit(void (*function)(int, void*), void* argument) {
  if (is_whole_program()) {
    handlers().push_back({nullptr, function, argument});
    return 0;
  }
  using Register = int (*)(void (*)(int, void*), void*);
  static const auto real = reinterpret_cast<Register>(next_definition("on_exit"));
  return real(function, argument);
}

// --- The C interface ---

RICERCAR_HOOK void ricercar_fail(const char* message) {
  if (controlled()) execution.fail(OutcomeKind::assertion, message, RICERCAR_SITE());
  fprintf(stderr, "%s\n", message);
  abort();
}
RICERCAR_HOOK void ricercar_uncaught_exception(const char* type, const char* text) {
  if (!controlled()) return;
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
