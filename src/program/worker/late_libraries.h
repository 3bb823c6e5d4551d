// The libraries that a program loads while it runs, for the tool: it looks whether they are
// instrumented. Paths, a line each, in Control::late_libraries.
#pragma once

#include "search/control.h"

namespace ricercar::inline worker {

// What is loaded now belongs to the program's start.
void late_libraries_begin();

// To be called when an execution has ended.
void note_late_libraries(Control& control);

}  // namespace ricercar::inline worker
