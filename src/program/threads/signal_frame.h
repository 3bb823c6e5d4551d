// Leaves a signal handler of the runtime in a way that lets other code run in its place, on the
// stack of the interrupted task, before the task goes on. Such code may wait, and switch to other
// tasks; a handler on the stack for handlers, which all tasks share, must not.
#pragma once

#include <signal.h>

#include <cstdint>

namespace ricercar::inline threads {

// Called with the signal, its details and the saved registers of the task, which it may change;
// they are loaded when it returns. This is what a signal handler of a program gets, too.
using FrameFunction = void (*)(int, siginfo_t*, void*);

// From a signal handler, which has to return right after it. Returns the address of the saved
// frame: the task is inside of `function` as long as its stack pointer is below.
std::uint64_t continue_in(FrameFunction function, int signal, const siginfo_t& details,
                          void* context);

// From the runtime's handler: lets the program's run, if it has one, on the stack of the task.
// False: it has none, or the fault happened inside of it.
bool pass_to_program(int signal, const siginfo_t& details, void* context);

}  // namespace ricercar::inline threads
