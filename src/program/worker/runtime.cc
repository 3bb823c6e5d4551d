#include "worker/runtime.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/check.h"
#include "base/search_heap.h"
#include "threads/early_threads.h"
#include "threads/fiber.h"
#include "threads/real.h"
#include "worker/node_worker.h"
#include "worker/watchdog.h"
#include "worker/whole_program.h"
#include "worker/worker.h"

namespace ricercar::inline worker {
namespace {

constexpr const char* reexecuted_variable = "RICERCAR_REEXECUTED";

Control* control_of_tool = nullptr;
bool looked_for_control = false;

// Read from the kernel: the C library's environment may not be there yet.
const char* early_environment(const char* name) {
  static char block[1 << 17];
  static long length = -1;
  if (length < 0) {
    const long file = system_call(SYS_open, reinterpret_cast<long>("/proc/self/environ"), O_RDONLY);
    length = 0;
    while (file >= 0 && length < static_cast<long>(sizeof block) - 1) {
      const long got = system_call(SYS_read, file, reinterpret_cast<long>(block + length),
                                   static_cast<long>(sizeof block) - 1 - length);
      if (got <= 0) break;
      length += got;
    }
    if (file >= 0) system_call(SYS_close, file);
  }
  const std::size_t name_length = __builtin_strlen(name);
  for (const char* at = block; at < block + length; at += __builtin_strlen(at) + 1) {
    if (__builtin_strncmp(at, name, name_length) == 0 && at[name_length] == '=') {
      return at + name_length + 1;
    }
  }
  return nullptr;
}

Control* map_control(int descriptor) {
  const long got = system_call(SYS_mmap, static_cast<long>(control_address),
                               static_cast<long>(control_size), PROT_READ | PROT_WRITE,
                               MAP_SHARED | MAP_FIXED_NOREPLACE | MAP_NORESERVE, descriptor, 0);
  if (static_cast<std::uint64_t>(got) != control_address) return nullptr;
  auto* control = reinterpret_cast<Control*>(control_address);
  if (control->magic != control_magic) return nullptr;
  system_call(SYS_close, descriptor);  // the program must not find it among its own
  return control;
}

// Addresses must not differ between runs, so a process that the tool did not start is started again
// without address-space randomisation.
void without_randomisation(char** arguments) {
  const int now = personality(0xffffffff);
  if (now == -1 || (now & ADDR_NO_RANDOMIZE) != 0) return;
  if (getenv(reexecuted_variable) != nullptr || control_of_tool != nullptr) return;
  if (personality(static_cast<unsigned long>(now) | ADDR_NO_RANDOMIZE) == -1) return;
  setenv(reexecuted_variable, "1", 1);
  system_call(SYS_execve, reinterpret_cast<long>("/proc/self/exe"),
              reinterpret_cast<long>(arguments), reinterpret_cast<long>(environ));
  personality(static_cast<unsigned long>(now));
}

// Before every other constructor. The C library passes the arguments of main.
__attribute__((constructor(101))) void runtime_loaded(int, char** arguments, char**) {
  resolve_real_functions();
  announce_threads();
  if (Control* control = attached_control()) {
    const std::uint64_t heap = control->heap_start;
    internal_bug_hook = [](const char* text) {
      strncpy(control_of_tool->fault, text, sizeof control_of_tool->fault - 1);
    };
    search_heap_attach(reinterpret_cast<void*>(heap), control_address + control_size - heap, false);
  } else {
    without_randomisation(arguments);
  }
  unsetenv(reexecuted_variable);
  fibers_initialise();
  join_cluster();
  if (is_whole_program()) {
    program_state.early_threads.begin(control_of_tool->request.backend);
    control_of_tool->is_constructing = true;
    watch_constructors(*control_of_tool);
  }
}

}  // namespace

Control* attached_control() {
  if (!looked_for_control) {
    looked_for_control = true;
    const char* descriptor = early_environment(control_variable);
    if (descriptor != nullptr) control_of_tool = map_control(atoi(descriptor));
  }
  return control_of_tool;
}

}  // namespace ricercar::inline worker
