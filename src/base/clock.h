// The time that has passed, for figures shown to people. It never decides anything.
#pragma once

#include <time.h>

#include "base/system_call.h"

namespace ricercar::inline base {

inline double now_seconds() {
  timespec time{};
  system_call(SYS_clock_gettime, CLOCK_MONOTONIC, as_argument(&time));
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace ricercar::inline base
