// Two files of learned sets become one. Safe to call from any thread.
#pragma once

#include "report/coverage_sets.h"

namespace ricercar::inline report {

struct MergeOptions {
  bool force = false;  // the sets may be of two programs; the result is about the first one
};

// The executions of `b` come after those of `a`. Statements are the same if their texts are; counts
// add up. A pair that both have seen stays in the curve only where `a` saw it. Throws UsageError if
// the sets are of different programs or tell statements apart by different numbers of calls.
CoverageSets merge(const CoverageSets& a, const CoverageSets& b, const MergeOptions& options = {});

}  // namespace ricercar::inline report
