// What the hooks share. A hook is a few lines: if the caller is not a controlled task, the C
// library's own function; otherwise the primitive.
#pragma once

#include <errno.h>

#include "threads/clock.h"
#include "threads/entry.h"
#include "threads/execution.h"
#include "threads/real.h"

// Calls the function behind the hook. Hooks may be called before any constructor of ours has run.
#define RICERCAR_REAL(name)                              \
  (__builtin_expect(ricercar::real_##name != nullptr, 1) \
       ? ricercar::real_##name                           \
       : (ricercar::resolve_real_functions(), ricercar::real_##name))

namespace ricercar::inline threads {

inline std::uint64_t moment(clockid_t clock, const timespec* time) {
  return VirtualClock::from_clock(clock, *time);
}

inline bool is_valid(const timespec* time) {
  return time->tv_nsec >= 0 && time->tv_nsec < 1'000'000'000;
}

}  // namespace ricercar::inline threads
