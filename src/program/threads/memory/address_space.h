// Mappings that the C library makes for itself (locales, conversion tables) pass no hook, and after
// a restore it has forgotten them and maps again. This notices when the process grows with each
// execution, long before the kernel refuses to map more.
#pragma once

#include "threads/memory/private_file.h"

namespace ricercar::inline threads {

struct AddressSpace {
  PrivateFile memory_sizes{"/proc/self/statm"};
  long last_size = 0;  // in pages
  unsigned grown_windows = 0;
};

void address_space_take();

// After a restore, once for each `address_space_window` executions: whether the process has grown
// with each of them.
bool address_space_leaks();

inline constexpr unsigned address_space_window = 1024;

}  // namespace ricercar::inline threads
