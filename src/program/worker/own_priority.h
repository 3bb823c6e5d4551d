// Priority functions that the program under test has registered (include/ricercar/priority.h).
#pragma once

#include <cstdint>
#include <vector>

#include "strategy/priority_context.h"

namespace ricercar::inline worker {

std::vector<OwnPriority> own_priorities();

// The name of the function that runs now, for the message if it crashes or hangs; nullptr: none
// does.
const char* running_own_priority();
std::uint64_t own_priority_calls();  // so far

}  // namespace ricercar::inline worker
