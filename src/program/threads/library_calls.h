// System calls that a library makes by itself, without the C library: libgomp waits on futexes so.
// The instructions are replaced by ones that fault, and the faults are answered as the calls of the
// same meaning are.
#pragma once

#include <signal.h>

namespace ricercar::inline threads {

// In all libraries that are known to need it and are loaded now.
void replace_library_calls();

// From the handler of SIGILL: whether the fault was such an instruction. The call is made, on the
// stack of the task, when the handler returns.
bool answer_library_call(int signal, const siginfo_t& details, void* context);

}  // namespace ricercar::inline threads
