// A program of machines that was started without the tool: it runs on threads.
#pragma once

#include <ricercar/machine.h>

namespace ricercar::deploy {

// Runs until nothing is left to do, or something fails, and says what on standard error. Returns
// the exit status: 0 without a failure, 1 with one, 2 if the program uses machines in a wrong way.
int run_by_hand(const SetUp& set_up);

}  // namespace ricercar::deploy
