// The counters that compilers add to programs whose lines are counted (--coverage and its
// relatives). Threads add to them without synchronisation, and that is meant.
#pragma once

#include <cstdint>

namespace ricercar::inline threads {

// Whether the address is in such a counter. Reads the symbols of the loaded object that it is in,
// once for each object: without symbols nobody knows.
bool is_profile_counter(std::uint64_t address);

}  // namespace ricercar::inline threads
