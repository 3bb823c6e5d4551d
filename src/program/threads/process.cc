#include "threads/process.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <string>

#include "threads/execution.h"
#include "threads/memory/own_process.h"
#include "threads/memory/signal_state.h"
#include "threads/real.h"

namespace ricercar::inline threads {
namespace {

constexpr pid_t first_id = seen_process_id;

}  // namespace

std::string signal_name(int signal) {
  const char* name = ::sigabbrev_np(signal);
  return name != nullptr ? std::string("SIG") + name : "signal " + std::to_string(signal);
}

void fail_of_signal(int signal, std::uint64_t site) {
  Outcome outcome;
  outcome.kind = OutcomeKind::crash;
  outcome.message = "killed by " + signal_name(signal);
  if (const char* words = ::sigdescr_np(signal)) outcome.message += std::string(", ") + words;
  if (signal != SIGKILL) outcome.message += ", for which the program has no handler";
  outcome.number = signal;
  outcome.site = site;
  execution.fail(std::move(outcome));
}

namespace {

// The name that the loader has for the program is its first argument, which the program may change.
std::string file_of(const Dl_info& module, const link_map& map) {
  char path[PATH_MAX];
  const bool is_program = map.l_name == nullptr || map.l_name[0] == 0;
  const ssize_t length = is_program ? ::readlink("/proc/self/exe", path, sizeof path) : -1;
  return length > 0 ? std::string(path, static_cast<std::size_t>(length)) : module.dli_fname;
}

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
  return file_of(module, *static_cast<const link_map*>(found)) + offset;
}

pid_t process_id() { return first_id; }

pid_t task_thread_id() { return first_id + static_cast<pid_t>(index(execution.self().id)); }

// The runtime keeps these signals for itself, so the handler is called by hand.
bool calls_own_handler(int signal) {
  if (!is_own_signal(signal)) return false;
  const struct sigaction action = program_action_of(signal);
  if ((action.sa_flags & SA_RESETHAND) != 0) program_action_of(signal).sa_handler = SIG_DFL;
  siginfo_t details{};
  details.si_signo = signal;
  details.si_code = SI_TKILL;
  if ((action.sa_flags & SA_SIGINFO) != 0) {
    action.sa_sigaction(signal, &details, nullptr);
  } else if (action.sa_handler == SIG_DFL) {
    return false;
  } else if (action.sa_handler != SIG_IGN) {
    action.sa_handler(signal);
  }
  return true;
}

long send_signal_to_self(int signal, std::uint64_t site) {
  if (is_stopping(signal)) {
    execution.fail(OutcomeKind::hang,
                   "the program stops its process with " + signal_name(signal) +
                       ", and nobody would let it go on",
                   site);
  }
  if (signal == SIGKILL) fail_of_signal(signal, site);
  if (calls_own_handler(signal)) return 0;
  return system_call(SYS_tgkill, system_call(SYS_getpid), system_call(SYS_gettid), signal);
}

void unsupported(const char* call, std::uint64_t site) {
  const char* instead =
      is_node() ? "Many servers have an option that keeps them in the foreground; what another "
                  "process does can be a node of its own."
                : "Test its threads in a program that does not make this call.";
  const std::string message = std::string("the program calls ") + call + " at " + place_of(site) +
                              ": a program under control must stay one process. " + instead;
  stop_search_now(message.c_str());
}

void refuse_filters(long call, long first, std::uint64_t site) {
  const bool is_filter = call == SYS_seccomp || (call == SYS_prctl && first == PR_SET_SECCOMP);
  if (!is_filter) return;
  const std::string message = "the program filters its system calls (seccomp) at " +
                              place_of(site) +
                              ": the filter would stop Ricercar, which is in the same process. "
                              "Leave it out of the test.";
  stop_search_now(message.c_str());
}

}  // namespace ricercar::inline threads
