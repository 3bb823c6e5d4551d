// A stand-in for a program under control, for the tests of the supervisor: it does to the shared
// memory what its first argument says.
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "base/search_heap.h"
#include "search/control.h"

namespace {

using namespace ricercar;

Control* attach() {
  const char* variable = std::getenv(control_variable);
  if (variable == nullptr) return nullptr;
  void* wanted = reinterpret_cast<void*>(control_address);
  void* got = mmap(wanted, control_size, PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_FIXED_NOREPLACE | MAP_NORESERVE, std::atoi(variable), 0);
  return got == wanted ? static_cast<Control*>(got) : nullptr;
}

int finish(Control& control) {
  control.complete = true;
  control.status = Status::finished;
  return worker_done;
}

void die(int signal) {
  ::raise(signal);
  ::pause();
}

// Dies in every execution but the last one; the search goes on in the shared memory.
int die_often(Control& control, int limit) {
  control.execution_open = true;
  ++control.executions;
  if (control.executions < static_cast<std::uint64_t>(limit)) die(SIGSEGV);
  return finish(control);
}

// The first one does what `act` does in the middle of an execution; the second one ends.
template <typename Act>
int once_inside(Control& control, Act act) {
  if (control.execution_open) return finish(control);
  control.execution_open = true;
  act();
  return 1;
}

// Later than the supervisor would wait if it counted from the start.
int stop_itself(Control& control) {
  ::usleep(1000000);
  control.stop = true;
  ::usleep(300000);
  control.status = Status::stopped;
  return worker_done;
}

int run_until_stopped(Control& control) {
  while (!control.stop) {
    ++control.executions;
    ::usleep(1000);
  }
  control.status = Status::stopped;
  return worker_done;
}

// As a strategy does that has very much to work out.
void think_for_ever(Control& control) {
  search_heap_attach(reinterpret_cast<void*>(control.heap_start),
                     control_address + control_size - control.heap_start, false);
  const SharedAllocation busy;
  control.executions = 3;
  ::pause();
}

int count_input(Control& control) {
  char buffer[1000];
  for (ssize_t got = 0; (got = ::read(0, buffer, sizeof buffer)) > 0;) {
    control.steps += static_cast<std::uint64_t>(got);
  }
  // Twice the same input, by two workers.
  return ++control.executions < 2 ? worker_restart : finish(control);
}

int flood(Control& control) {
  for (int i = 0; i < 100000; ++i) std::printf("line %d of the program's output\n", i);
  return finish(control);
}

int note_addresses(Control& control) {
  int local = 0;
  control.steps = reinterpret_cast<std::uint64_t>(&local);
  control.runtime_address = reinterpret_cast<std::uint64_t>(&std::printf);
  control.executions = static_cast<std::uint64_t>(::open("/dev/null", O_RDONLY));
  return finish(control);
}

int run(Control& control, std::string_view what, int number) {
  control.is_constructing = true;
  if (what == "construct-for-ever") ::pause();
  control.is_constructing = false;
  control.status = Status::running;
  if (what == "finish") return finish(control);
  if (what == "die-often") return die_often(control, number);
  if (what == "die-always") die(SIGKILL);
  if (what == "leave") return number;
  if (what == "hang-once") return once_inside(control, [] { ::pause(); });
  if (what == "die-inside") return once_inside(control, [number] { die(number); });
  if (what == "stop-itself") return stop_itself(control);
  if (what == "run-until-stopped") return run_until_stopped(control);
  if (what == "run-for-ever") ::pause();
  if (what == "think-for-ever") think_for_ever(control);
  if (what == "count-input") return count_input(control);
  if (what == "flood") return flood(control);
  if (what == "note-addresses") return note_addresses(control);
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 1;
  if (std::string_view(argv[1]) == "never-start") return 7;
  Control* control = attach();
  if (control == nullptr) return 1;
  return run(*control, argv[1], argc > 2 ? std::atoi(argv[2]) : 0);
}
