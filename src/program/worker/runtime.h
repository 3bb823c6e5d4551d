// The runtime library in a process: what it does when it is loaded.
#pragma once

#include "search/control.h"

namespace ricercar::inline worker {

// The shared memory of the tool that started this process, or null if it was started by hand.
Control* attached_control();

}  // namespace ricercar::inline worker
