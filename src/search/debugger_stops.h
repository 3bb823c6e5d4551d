// Where a replay under gdb stops: gdb writes and reads this in the shared memory, by its bytes
// (tool/supervisor/gdb_script.cc), while the program stands still.
#pragma once

#include <cstdint>

namespace ricercar::inline search {

struct DebuggerStops {
  static constexpr std::uint64_t nowhere = 0;
  static constexpr std::uint64_t last = ~std::uint64_t{0};  // the last switch before the bug

  std::uint64_t wanted = nowhere;  // or the number of a switch, from 1
  std::uint64_t passed = 0;  // switches between threads so far, with the one at which it stands
};

}  // namespace ricercar::inline search
