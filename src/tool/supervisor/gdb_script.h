// What gdb does when it has come to the last switch before a bug: names every thread's place in the
// user's own code and goes to the one that is about to run.
#pragma once

#include <string>
#include <vector>

namespace ricercar::inline supervisor {

// Commands for gdb, in order; they run the program up to the switch.
// Of a node the runtime notices by SIGSEGV which memory has changed, and what is left of a real one
// is a bug that it sees itself.
std::vector<std::string> gdb_commands(bool is_node);

}  // namespace ricercar::inline supervisor
