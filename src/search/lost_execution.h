// An execution whose process ended in the middle of it: a signal that no handler can catch, a
// system call of the program's own, the supervisor. What it had done is in Control::open.
#pragma once

#include "model/outcome.h"
#include "search/control.h"

namespace ricercar::inline search {

// How a process ended, from what waitpid says.
ProcessEnd end_of_process(int wait_status);

// The verdict over the execution that ended with its process.
Outcome outcome_of(const ProcessEnd& end, double hang_seconds);

// "SIGKILL (Killed)"
std::string signal_words(int signal);

}  // namespace ricercar::inline search
