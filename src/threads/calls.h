// The stack of calls of each task, for strategies that ask where steps were called from. The
// compiler announces when a function is entered and left; inlined calls are not announced, they are
// found in the debug information of the places (see strategy/hapset/statements.h).
//
// A frame that is left in another way (an exception that no landing pad announces, longjmp) is
// noticed by its place on the stack: a frame that begins at or below the one of a later call is
// gone.
#pragma once

#include <cstdint>

#include "model/call_contexts.h"

namespace ricercar {

// Null: nobody asks.
extern CallContexts* call_contexts;

// `caller`: the return address of the function that is entered. `frame`: an address on the stack
// between its frame and those of what it will call.
void enter_call(std::uint64_t caller, std::uint64_t frame);
void leave_call(std::uint64_t frame);

}  // namespace ricercar
