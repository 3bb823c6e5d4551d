// What a program does that the model leaves out. The search names it in its summary, and does not
// call itself complete. A call that is not modelled gets a hook that says so (see
// hooks/not_modelled.cc), unless it is ordered with all that other threads do.
#pragma once

#include <cstdint>

namespace ricercar::inline threads {

// `what` completes "the program ...". Said once for each `what`, with the first place; 0: no place
// is known. Implemented by the search.
void not_modelled(const char* what, std::uint64_t site = 0);

// The program is about to do what only one of several processes may do that search it at the same
// time. Does not return if there are several. Implemented by the search.
void must_be_alone();
// The same about what the descriptor leads to: there may be a copy for each of them.
void must_be_alone_at(int number);

}  // namespace ricercar::inline threads
