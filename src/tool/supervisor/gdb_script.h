// What gdb does when it has come to a switch before a bug: names every thread and its place in the
// user's own code, and goes to the one that is about to hand over; and the commands that it has for
// going from switch to switch.
#pragma once

#include <string>
#include <vector>

#include "search/debugger_stops.h"

namespace ricercar::inline supervisor {

// Commands for gdb, in order; they run the program up to the last switch. gdb inherits the shared
// memory that `stops` lies in.
std::vector<std::string> gdb_commands_for(const DebuggerStops& stops);

// The same for a node, which stops at its turns. Of a node the runtime notices by SIGSEGV which
// memory has changed, and what is left of a real one is a bug that it sees itself.
std::vector<std::string> gdb_commands_for_node();

}  // namespace ricercar::inline supervisor
