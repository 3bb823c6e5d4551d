// The places that a report is about, for tools and tests: where both accesses of a race are, where
// each thread of a deadlock waits, where an assertion failed.
#pragma once

#include <vector>

#include "report/model.h"
#include "report/names.h"

namespace ricercar::inline report {

// The place where the bug showed comes first.
std::vector<BugPlace> bug_places(Names& names, bool full);

}  // namespace ricercar::inline report
