#include "threads/process.h"

#include <dlfcn.h>
#include <link.h>
#include <sys/syscall.h>

#include <cstdio>
#include <string>

#include "threads/execution.h"
#include "threads/memory/own_process.h"
#include "threads/real.h"

namespace ricercar {
namespace {

constexpr pid_t first_id = seen_process_id;

}  // namespace

std::string place_of(std::uint64_t site) {
  Dl_info module = {};
  void* found = nullptr;
  if (dladdr1(reinterpret_cast<void*>(site), &module, &found, RTLD_DL_LINKMAP) == 0 ||
      module.dli_fname == nullptr) {
    return "an unknown place";
  }
  char offset[32];
  std::snprintf(offset, sizeof offset, "(+0x%lx)",
                static_cast<unsigned long>(site - 1 - static_cast<const link_map*>(found)->l_addr));
  return module.dli_fname + std::string(offset);
}

pid_t process_id() { return first_id; }

pid_t task_thread_id() { return first_id + static_cast<pid_t>(index(execution.self().id)); }

long send_signal_to_self(int signal) {
  return system_call(SYS_tgkill, system_call(SYS_getpid), system_call(SYS_gettid), signal);
}

void unsupported(const char* call, std::uint64_t site) {
  const std::string message =
      std::string("the program calls ") + call + " at " + place_of(site) +
      ": a program under control must stay one process. Test its threads in a program that does "
      "not make this call.";
  stop_search_now(message.c_str());
}

}  // namespace ricercar
