// Mappings that the C library makes for itself (locales, conversion tables) pass no hook, and after
// a restore it has forgotten them and maps again. This notices when the process grows with each
// execution, long before the kernel refuses to map more.
#pragma once

namespace ricercar::inline threads {

void address_space_take();

// After a restore, once for each `address_space_window` executions: whether the process has grown
// with each of them.
bool address_space_leaks();

inline constexpr unsigned address_space_window = 1024;

}  // namespace ricercar::inline threads
