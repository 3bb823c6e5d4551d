// What gdb does when it has come to the last switch before a bug: names every thread's place in the
// user's own code and goes to the one that is about to run.
#pragma once

#include <string>
#include <vector>

namespace ricercar::inline cli {

// Commands for gdb, in order; they run the program up to the switch.
std::vector<std::string> gdb_commands();

}  // namespace ricercar::inline cli
