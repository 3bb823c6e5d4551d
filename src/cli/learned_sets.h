// Learned sets between the tool and the shared memory of a search.
#pragma once

#include <optional>
#include <string>

#include "report/coverage_sets.h"
#include "search/control.h"

namespace ricercar {

// Before the search starts: what it goes on from. Throws UsageError if the strategy of the request
// cannot use it.
void give_sets(Control& control, const CoverageSets& sets);

// After the search: everything that was learned, with what was given; nothing if the strategy does
// not learn. `program` is the path of the executable.
std::optional<CoverageSets> take_sets(const Control& control, const std::string& program);

}  // namespace ricercar
