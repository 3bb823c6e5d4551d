#include "nodes/time_stamp_trap.h"

#include <signal.h>
#include <sys/prctl.h>
#include <ucontext.h>

#include <cstdint>

namespace ricercar::inline nodes {
namespace {

volatile bool is_trapped = false;
struct sigaction other_action = {};  // of whoever handled the signal before

void trap(bool traps) {
  is_trapped = traps;
  ::prctl(PR_SET_TSC, traps ? PR_TSC_SIGSEGV : PR_TSC_ENABLE, 0, 0, 0);
}

bool reads_time_stamp(const unsigned char* code) {
  if (code[0] != 0x0f) return false;
  return code[1] == 0x31 || (code[1] == 0x01 && code[2] == 0xf9);  // rdtsc, rdtscp
}

// What has faulted is made again: without the trap, or for the other handler.
void on_fault(int number, siginfo_t* details, void* context) {
  const auto place =
      static_cast<std::uint64_t>(static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
  // An address that no memory can have comes as the same signal.
  const bool may_be_trap = is_trapped && details->si_code == SI_KERNEL && place >> 47 == 0;
  if (may_be_trap && reads_time_stamp(reinterpret_cast<const unsigned char*>(place))) {
    return trap(false);
  }
  ::sigaction(number, &other_action, nullptr);
}

bool handle_faults() {
  struct sigaction action = {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  return ::sigaction(SIGSEGV, &action, &other_action) == 0;
}

}  // namespace

TimeStampTrap::TimeStampTrap(bool traps) : before_(is_trapped) {
  static const bool can_be_trapped = handle_faults();
  trap(traps && can_be_trapped);
}

TimeStampTrap::~TimeStampTrap() { trap(before_); }

}  // namespace ricercar::inline nodes
