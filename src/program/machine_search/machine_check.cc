// The two ways into the search of machines: ricercar::check_machines in a test, and run_machines as
// the main function of a program.
#include <fcntl.h>
#include <ricercar/machine.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <thread>

#include "base/check.h"
#include "base/error.h"
#include "base/files.h"
#include "base/search_heap.h"
#include "machine_search/machine_search.h"
#include "machines/deploy/run_by_hand.h"
#include "model/schedule.h"
#include "search/check_call.h"

namespace ricercar::inline machine_search {
namespace {

std::uint32_t checks_so_far = 0;

// The shared memory of the tool that started this process; null: it was started by hand.
Control* attach_control() {
  const char* descriptor = std::getenv(control_variable);
  if (descriptor == nullptr) return nullptr;
  void* got = ::mmap(reinterpret_cast<void*>(control_address), control_size, PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_FIXED_NOREPLACE | MAP_NORESERVE, std::atoi(descriptor), 0);
  auto* control = static_cast<Control*>(got);
  if (got == MAP_FAILED || control->magic != control_magic) return nullptr;
  const std::uint64_t heap = control->heap_start;
  search_heap_attach(reinterpret_cast<void*>(heap), control_address + control_size - heap, false);
  return control;
}

Control* control_of_tool() {
  static Control* const control = attach_control();
  return control;
}

std::unique_ptr<Control> private_control() {
  constexpr std::size_t heap_bytes = std::size_t{1} << 30;  // reserved, not used up
  static void* heap = nullptr;
  if (heap == nullptr) {
    heap = ::mmap(nullptr, heap_bytes, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    RICERCAR_CHECK(heap != MAP_FAILED);
  } else {
    ::madvise(heap, heap_bytes, MADV_DONTNEED);
  }
  search_heap_attach(heap, heap_bytes, true);
  return std::make_unique<Control>();
}

Bug explain_bug(const FoundBug& found, const Request& request, const std::string& path,
                const machines::InitialSystem& system) {
  Bug bug;
  bug.kind = info(found.outcome.kind).name;
  bug.message = found.outcome.message;
  bug.execution = found.execution;
  const MachineStory story = tell_story(found, request, system);
  bug.report = bug.kind + ": " + bug.message + "\n\nWhat happened:\n" + story.lines +
               "\nAt the end:\n" + story.ending;
  try {
    make_folder(path.substr(0, path.rfind('/')));
    write_schedule(path, schedule_of_check(found, request, checks_so_far));
    bug.schedule = path;
    bug.report += "\nRun it again:       ricercar replay " + path + "\n";
  } catch (const UsageError& error) {
    bug.report += "\n(the schedule was not saved: " + std::string(error.what()) + ")\n";
  }
  return bug;
}

Result result_of(const Control& control, const std::string& out,
                 const machines::InitialSystem& system) {
  Result result;
  copy_figures(control, result);
  result.coverage = coverage_text(control);
  result.error = control.error;
  std::uint64_t number = 0;
  for (const FoundBug* bug = control.first_bug; bug != nullptr; bug = bug->next) {
    const std::string path = schedule_path(out, checks_so_far, ++number);
    result.bugs.push_back(explain_bug(*bug, control.request, path, system));
  }
  return result;
}

// What the tool asked for. The process ends here: the rest of main is not its business.
[[noreturn]] void work_for_tool(Control& control, const SetUp& set_up, bool whole) {
  control.whole_program = whole;
  try {
    // What the search knew is gone with it.
    if (control.status == Status::running) {
      throw UsageError(
          "the process that searched was killed, perhaps because memory ran out; limit what the "
          "search keeps with --memory and, for ses, with cache=BYTES");
    }
    const machines::InitialSystem system = machines::make_system(set_up);
    if (control.request.mode == Mode::replay) {
      replay_machines(control, system);
    } else {
      search_machines(control, system);
    }
  } catch (const std::exception& error) {
    std::strncpy(control.error, error.what(), sizeof control.error - 1);
    control.status = Status::failed;
  }
  std::fflush(nullptr);
  ::_exit(worker_done);
}

}  // namespace

}  // namespace ricercar::inline machine_search

namespace ricercar {

Result check_machines(const Options& options, const SetUp& set_up) {
  ++checks_so_far;
  if (Control* control = control_of_tool()) {
    if (control->request.check_number == checks_so_far) work_for_tool(*control, set_up, false);
    Result result;
    result.executions = 1;  // an earlier check of a process that replays a later one
    return result;
  }
  Result result;
  try {
    const std::unique_ptr<Control> control = private_control();
    control->request = request_of(detail::as_abi(options));
    control->request.cores = std::max(1U, std::thread::hardware_concurrency());
    const machines::InitialSystem system = machines::make_system(set_up);
    search_machines(*control, system);
    result = result_of(*control, options.out, system);
  } catch (const std::exception& error) {
    result.error = error.what();
  }
  return result;
}

int run_machines(int, char**, const SetUp& set_up) {
  if (Control* control = control_of_tool()) work_for_tool(*control, set_up, true);
  return deploy::run_by_hand(set_up);
}

}  // namespace ricercar
