// Learned sets as JSON ("ricercar.coverage/1": fields are added, never renamed). Nothing is left
// out. Safe to call from any thread.
#pragma once

#include <string>

#include "report/coverage_sets.h"

namespace ricercar::inline report {

std::string coverage_json(const CoverageSets& sets);

}  // namespace ricercar::inline report
