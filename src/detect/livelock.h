// Livelock: the end of a long trace that repeats the same steps over and over.
#pragma once

#include <cstdint>

#include "model/trace.h"

namespace ricercar::inline detect {

// The period of the repetition at the end of the trace: the same tasks doing the same operations on
// the same objects with the same values, at least `min_repetitions` times. 0: there is none.
std::uint64_t find_repetition(Trace trace);

// Whether the trace ends with `times` rounds of this period.
bool ends_with_rounds(Trace trace, std::uint64_t period, std::uint64_t times);

}  // namespace ricercar::inline detect
