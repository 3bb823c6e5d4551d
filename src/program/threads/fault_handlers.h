// The program's own handlers for faults (SIGSEGV, SIGFPE, ...), which are the runtime's signals.
#pragma once

#include <signal.h>

namespace ricercar::inline threads {

// From the runtime's handler: lets the program's run, if it has one, on the stack of the task.
// False: it has none, or the fault happened inside of it.
bool pass_to_program(int signal, const siginfo_t& details, void* context);

}  // namespace ricercar::inline threads
