// How a program ends: exit and its handlers, failed assertions, abort, uncaught exceptions.
#pragma once

namespace ricercar {

// Handlers registered so far belong to every execution; later ones to the execution that registers
// them.
void exit_handlers_freeze();
void exit_handlers_begin_execution();

// What happens when main returns: exit handlers and destructors run as part of the execution.
[[noreturn]] void exit_program(int status);

}  // namespace ricercar
