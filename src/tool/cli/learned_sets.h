// Learned sets between the tool and the shared memory of a search.
#pragma once

#include <optional>

#include "cli/place_names.h"
#include "report/coverage_sets.h"
#include "search/control.h"

namespace ricercar::inline cli {

// Before the search starts: what it goes on from. Throws UsageError if the sets know another number
// of calls than the strategy of the request.
void give_sets(Request& request, PlaceNames& places, const CoverageSets& sets);

// After the search: everything that was learned; nothing if the strategy does not learn. `known`:
// what was given, or null.
std::optional<CoverageSets> take_sets(const Control& control, const PlaceNames& places,
                                      const CoverageSets* known);

}  // namespace ricercar::inline cli
