// The places that a report is about, for tools and tests: where both accesses of a race are, where
// each thread of a deadlock waits, where an assertion failed.
#pragma once

#include <string>
#include <vector>

#include "report/names.h"

namespace ricercar {

struct BugPlace {
  // waits, reads, writes, frees, destroys, spins, creates (a thread that leaks), or fails; after:
  // where the thread was seen last, if nobody knows where it failed.
  std::string role;
  TaskId task;
  Place place;
};

// Only what is known; the place where the bug showed comes first.
std::vector<BugPlace> bug_places(Names& names);

}  // namespace ricercar
