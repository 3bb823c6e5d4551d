// Files of a node, where the rest of the cluster matters to them: a crash may come before a change
// lasts.
#pragma once

#include <cstdint>

namespace ricercar::inline threads {

// Before a call that makes changes last, as fsync().
void point_before_sync(const char* call, std::uint64_t site);
// Before a call that writes: if what it writes lasts at once (O_SYNC).
void point_before_write(const char* call, int number, std::uint64_t site);

}  // namespace ricercar::inline threads
