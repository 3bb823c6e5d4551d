// The watchdog: a timer signal that notices when uncontrolled code does not come back, when the
// time is up, and when the search was asked to stop; and the handlers of the signals that a crash
// raises.
#pragma once

#include "search/control.h"

namespace ricercar::inline worker {

void watchdog_start(Control& control);
void watchdog_stop();
// For a while nothing has to happen.
void watchdog_pause(bool pauses);

// The same for the static constructors of a whole program: ends the search if they do not.
void watch_constructors(const Control& control);
void constructors_ended();

// Once per process.
void install_crash_handlers();

}  // namespace ricercar::inline worker
