// The list of bugs that a search has found, in the shared heap. Not thread-safe.
#pragma once

#include <cstdint>
#include <span>

#include "model/outcome.h"
#include "model/trace.h"
#include "search/control.h"

namespace ricercar {

RecordedOutcome as_record(const Outcome& outcome);

// `accesses`: the plain accesses that were points, if only some are (threads/sharing.h).
void add_found_bug(Control& control, const Outcome& outcome, Trace trace,
                   std::span<const std::uint32_t> accesses = {});

// With --keep-going the same bug is reported once: the same kind at the same place.
bool is_known_bug(const Control& control, const Outcome& outcome);

}  // namespace ricercar
