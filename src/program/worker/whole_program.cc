#include "worker/whole_program.h"

#include <sys/syscall.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "base/search_heap.h"
#include "disk/undo.h"
#include "disk/watch.h"
#include "search/check_options.h"
#include "threads/descriptor.h"
#include "threads/early_threads.h"
#include "threads/execution.h"
#include "threads/hook.h"
#include "threads/instructions.h"
#include "threads/memory/external_state.h"
#include "threads/memory/heap.h"
#include "threads/memory/not_modelled.h"
#include "threads/memory/snapshot.h"
#include "threads/memory/stream_writes.h"
#include "threads/node_sockets.h"
#include "threads/own_code.h"
#include "threads/process.h"
#include "worker/node_worker.h"
#include "worker/program_end.h"
#include "worker/runtime.h"
#include "worker/watchdog.h"
#include "worker/worker.h"

namespace ricercar::inline worker {
namespace {

using MainFunction = int (*)(int, char**, char**);

struct MainCall {
  MainFunction function = nullptr;
  int argument_count = 0;
  char** arguments = nullptr;
  char** environment = nullptr;
};
MainCall program_main;

void* call_main(void*) {
  const MainCall& call = program_main;
  program_state.early_threads.start();
  exit_program(call.function(call.argument_count, call.arguments, call.environment));
}

void restart() {
  if (changes_log != nullptr && !is_node()) undo_all(*changes_log);
  external_state_restore();  // may have to make memory writable again that the snapshot fills
  snapshot_restore();
  exit_handlers_begin_execution();
}

// The other nodes and the executions to come would find what is left, so the search of a cluster
// ends before the file is changed.
void note_lost_change(const char* what, const char* path) {
  if (!is_node() || path == nullptr) return not_modelled(what);
  const std::string message =
      "the program changes '" + std::string(path) +
      "', which could not be put back for the next execution: it cannot be read, the disk is "
      "full, or the changes of one execution need more than the 2 GB that there are for them. The "
      "file is as it was. Give the node a folder with less in it.";
  stop_search_now(message.c_str());
}

// So that they can be undone before the next execution, whoever runs that.
void begin_to_keep_changes(Control& control) {
  constexpr std::size_t most_bytes = std::size_t{1} << 30;  // what is not used takes no memory
  on_lost_change = note_lost_change;
  on_new_file = forget_file;
  if (is_node()) return;
  allow_own_network();
  if (!control.disk.has_memory()) {
    void* memory = search_reserve(most_bytes);
    if (memory == nullptr) return;
    control.disk.use(static_cast<unsigned char*>(memory), most_bytes);
  }
  keep_changes(control.disk);
}

// A worker that took over another one's search relies on the strategy's functions being where they
// were.
void check_addresses(Control& control) {
  const auto here = reinterpret_cast<std::uint64_t>(&check_addresses);
  if (control.runtime_address == 0) control.runtime_address = here;
  if (control.runtime_address != here) {
    stop_search_now(
        "the program was loaded at another address than before: address-space randomisation cannot "
        "be turned off here");
  }
}

// What the C library allocates for a thread comes from the program's malloc, if it has one, and
// must be there when the snapshot is taken.
void make_lenders_early(Control& control) {
  constexpr std::uint32_t enough_for_most = 16;
  if (!program_has_own_malloc()) return;
  if (control.note[0] == 0) {
    add_note(
        control,
        "the program brings its own malloc: use of freed memory is not seen, and if that malloc "
        "is not compiled with `ricercar`, a block that goes from one thread to another looks "
        "like a data race");
  }
  lenders_use_program_malloc();
  execution.carriers.prepare_lenders(enough_for_most);
  lenders_made();
}

void note_random_instructions(Control& control) {
  if (std::strstr(control.note, "rdrand") != nullptr) return;
  const std::uint64_t place = find_random_instruction();
  if (place == 0) return;
  add_note(control, "the program asks the processor for random numbers (rdrand or rdseed, at " +
                        place_of(place + 1) +
                        "), which nobody can control: executions that depend on them do not come "
                        "again; those of std::random_device do");
}

void note_system_calls() {
  const std::uint64_t place = find_system_call();
  if (place == 0) return;
  not_modelled("makes system calls by instructions of its own, which are not seen", place + 1);
}

// One process runs many executions only if memory is put back. Where it runs one (a replay, a fork)
// a snapshot would cost time, and a debugger would stop at every first write to a page that is
// watched.
int control_main(int argument_count, char** arguments, char** environment) {
  Control& control = *attached_control();
  program_main.argument_count = argument_count;
  program_main.arguments = arguments;
  program_main.environment = environment;
  program_state.early_threads.end();
  constructors_ended();
  control.is_constructing = false;
  check_addresses(control);
  install_crash_handlers();
  exit_handlers_freeze();
  make_lenders_early(control);
  heap_freeze_base();
  watch_stream_writes();
  external_state_take();
  if (control.request.mode != Mode::replay) {
    note_random_instructions(control);
    note_system_calls();
    const bool forks = control.forks || control.request.force_fork;
    forks ? snapshot_take_shared() : snapshot_take();
  }
  begin_to_keep_changes(control);
  tracking = true;
  const Subject program{call_main, nullptr, restart, true};
  if (control.request.mode == Mode::node) run_node(control, program);
  bool done = true;
  if (control.request.mode == Mode::replay) {
    run_replay(control, program);
  } else {
    done = run_search(control, program);
  }
  system_call(SYS_exit_group, done ? worker_done : worker_restart);
  return 0;
}

}  // namespace

bool is_whole_program() {
  const Control* control = attached_control();
  return control != nullptr && control->request.check_number == 0;
}

}  // namespace ricercar::inline worker

namespace {

// Arguments for ricercar::check are none of the program's: its framework might not know them. What
// is left is said in the first places. Returns how many are left.
int without_own_arguments(int count, char** arguments) {
  char** end = std::remove_if(arguments + std::min(count, 1), arguments + count,
                              [](const char* word) { return ricercar::is_check_argument(word); });
  *end = nullptr;
  return static_cast<int>(end - arguments);
}

}  // namespace

// Where the C library starts a program: main is put behind the search.
RICERCAR_HOOK int __libc_start_main(ricercar::MainFunction main, int argument_count,
                                    char** arguments, void (*initialise)(), void (*finalise)(),
                                    void (*loader_finalise)(), void* stack_end) {
  using Start =
      int (*)(ricercar::MainFunction, int, char**, void (*)(), void (*)(), void (*)(), void*);
  const auto real = reinterpret_cast<Start>(ricercar::next_definition("__libc_start_main"));
  if (ricercar::is_whole_program()) {
    ricercar::program_main.function = main;
    main = ricercar::control_main;
  }
  argument_count = without_own_arguments(argument_count, arguments);
  return real(main, argument_count, arguments, initialise, finalise, loader_finalise, stack_end);
}
