#include "worker/program_end.h"

#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "threads/execution.h"
#include "threads/memory/external_state.h"
#include "threads/memory/heap_hooks.h"
#include "threads/memory_access.h"
#include "threads/object_life.h"
#include "threads/own_code.h"
#include "threads/process.h"
#include "threads/recorder.h"
#include "worker/whole_program.h"
#include "worker/worker.h"

namespace ricercar::inline worker {
namespace {

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
  execution.steps.last().value = static_cast<std::uint64_t>(status);
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

}  // namespace

void exit_at_once(int status, std::uint64_t site) {
  point_of_exit(status, site);
  end_with(status & 0xff, site);
}

void exit_with_handlers(int status, std::uint64_t site) {
  point_of_exit(status, site);
  if (execution.options().whole_program) {
    run_exit_handlers(status);
    dl_iterate_phdr(run_final_functions, nullptr);
  }
  fflush(nullptr);
  end_with(status & 0xff, site);
}

void fail_with_signal(const char* what, int signal, std::uint64_t site) {
  Outcome outcome;
  outcome.kind = OutcomeKind::crash;
  outcome.message = what;
  outcome.number = signal;
  outcome.site = site;
  execution.fail(std::move(outcome));
}

void assertion_failed(const char* expression, const char* file, unsigned line, const char* function,
                      std::uint64_t site) {
  std::string text = std::string("assertion `") + expression + "' failed";
  if (function != nullptr) text += std::string(" in ") + function;
  if (file != nullptr) text += std::string(" (") + file + ":" + std::to_string(line) + ")";
  execution.fail(OutcomeKind::assertion, text, site);
}

// Lines become parts of a sentence: "Expected equality of these values: n (is 1); 2; lost".
static std::string one_line(const char* message) {
  std::string text;
  for (const std::string& line : lines_of(message)) {
    const std::size_t start = line.find_first_not_of(" \t");
    if (start == std::string::npos) continue;
    const std::string part = line.substr(start);
    constexpr std::string_view value = "Which is: ";
    if (part.starts_with(value) && !text.empty()) {
      text += " (is " + part.substr(value.size()) + ")";
    } else {
      text += text.empty() ? "" : text.back() == ':' ? " " : "; ";
      text += part;
    }
  }
  return text;
}

void framework_assertion_failed(const char* message, const char* file, unsigned line,
                                std::uint64_t site) {
  constexpr std::size_t most_bytes = 600;  // the place comes behind it, and must fit
  std::string text = one_line(message);
  if (text.size() > most_bytes) text = text.substr(0, most_bytes) + "...";
  text = "assertion failed: " + text + " (" + file + ":" + std::to_string(line) + ")";
  execution.fail(OutcomeKind::assertion, text, site);
}

void add_exit_handler(const ExitHandler& handler) { handlers().push_back(handler); }
void exit_handlers_freeze() { frozen_handlers() = handlers(); }
void exit_handlers_begin_execution() { handlers() = frozen_handlers(); }

void exit_program(int status) { exit_with_handlers(status, 0); }

// --- What the heap asks for ---

}  // namespace ricercar::inline worker

namespace ricercar::inline threads {

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
  if (!controlled() || !wants_heap_events()) return;
  const auto address = reinterpret_cast<std::uint64_t>(block);
  const auto site = reinterpret_cast<std::uint64_t>(return_address);
  if (!allocated) {
    size = heap_usable_size(block);
    block_freed(address, size);
    if (execution.objects.any_in_heap()) objects_end(address, size, true, site);
  }
  if (execution.recorder() != nullptr) record_heap(allocated, address, size, site);
  if (RaceDetector* races = execution.races()) {
    // What the C++ library frees by itself (exceptions, its own strings) it has counted itself.
    if (allocated || !execution.accesses.may_race || is_cxx_library(site)) {
      races->allocated(address, size);
    } else {
      const Race* race =
          races->freed(execution.self().id, address, size, site, execution.accesses.event);
      if (race != nullptr) report_race(*race, true);
    }
  }
}

void memory_unmapped(void* start, std::size_t size) {
  if (controlled()) memory_ended(reinterpret_cast<std::uint64_t>(start), size);
}

}  // namespace ricercar::inline threads
