// Livelock: the end of a long trace that repeats the same steps over and over.
#pragma once

#include <cstdint>

#include "model/trace.h"

namespace ricercar::inline detect {

// The period of the repetition at the end of the trace: the same tasks doing the same operations on
// the same objects with the same values, at least `min_repetitions` times. 0: there is none.
std::uint64_t find_repetition(Trace trace);

// Whether the trace goes on from this step as it did one period before; false if that is before its
// beginning.
bool goes_round_from(Trace trace, std::uint64_t step, std::uint64_t period);

// Of a trace that ends with rounds: the earliest step from which on it goes round.
std::uint64_t first_round(Trace trace, std::uint64_t period);

}  // namespace ricercar::inline detect
