// Who listens when the compiler announces that a function is entered or left: inlined calls are
// not announced.
//
// One of them is the stack of calls of each task, for strategies that ask where steps were called
// from; inlined calls are found in the debug information of the places (see
// strategy/hapset/statements.h). A frame that is left in another way (an exception that no landing
// pad announces, longjmp) is noticed by its place on the stack: a frame that begins at or below the
// one of a later call is gone.
#pragma once

#include <cstdint>

#include "model/call_contexts.h"
#include "threads/frame_rules.h"

namespace ricercar::inline threads {

class Recorder;

enum class CallListener : std::uint8_t { contexts = 1, named_functions = 2, recorder = 4 };

// A set of them. Looked at in every call: nearly always there is none.
extern std::uint8_t call_listeners;
void listen_to_calls(CallListener listener, bool wanted);

// Null: nobody asks.
extern CallContexts* call_contexts;
void set_call_contexts(CallContexts* contexts);
// Is told even while the execution notes nothing.
void set_call_recorder(Recorder* recorder);

// `frame` is that of the function that is entered; `caller` is its return address.
void enter_call(const MachineFrame& frame, std::uint64_t caller);
// `frame`: the stack pointer of the function that is left.
void leave_call(std::uint64_t frame);

}  // namespace ricercar::inline threads
