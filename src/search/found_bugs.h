// The list of bugs that a search has found, in the shared heap. Not thread-safe.
#pragma once

#include "model/outcome.h"
#include "model/trace.h"
#include "search/control.h"

namespace ricercar {

RecordedOutcome as_record(const Outcome& outcome);

void add_found_bug(Control& control, const Outcome& outcome, Trace trace);

// With --keep-going the same bug is reported once: the same kind at the same place.
bool is_known_bug(const Control& control, const Outcome& outcome);

}  // namespace ricercar
