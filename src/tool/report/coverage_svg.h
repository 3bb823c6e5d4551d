// The curve of convergence as a picture: pairs seen over executions, light or dark as the reader
// prefers. Safe to call from any thread.
#pragma once

#include <string>

#include "report/coverage_sets.h"

namespace ricercar::inline report {

// A complete file, which also stands within HTML.
std::string coverage_svg(const CoverageSets& sets);

}  // namespace ricercar::inline report
