// Which addresses belong to the runtime library itself.
#pragma once

#include <link.h>

#include <cstdint>

#include "model/address_range.h"

namespace ricercar::inline threads {

// Where the segments of a loaded object are.
AddressRange range_of(const dl_phdr_info& object);

const AddressRange& own_range();
inline bool is_own_code(std::uint64_t address) { return own_range().contains(address); }

// Whether the address is in the C++ library, which counts references with atomics that nobody sees.
bool is_cxx_library(std::uint64_t address);

// Whether the executable defines `malloc`, so that its own serves the whole process.
bool program_has_own_malloc();

// The innermost return address on this stack that is in the executable, or 0: where the program
// called a library that ended up here.
std::uint64_t place_in_executable();

// Whether the address is in the library that unwinds stacks. What it does under a thrown exception
// (locks, a one-time initialisation) is not the program's doing.
bool is_unwinder(std::uint64_t address);

}  // namespace ricercar::inline threads
