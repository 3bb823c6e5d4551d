// Learned sets as text for people. Formats and decides nothing; safe to call from any thread.
#pragma once

#include <cstddef>
#include <string>

#include "report/coverage_sets.h"

namespace ricercar::inline report {

struct CoverageTextOptions {
  std::size_t width = 100;
  bool colours = false;
  bool blocks = false;     // draw the curve with block characters
  std::size_t limit = 10;  // of each list of pairs
};

std::string coverage_text(const CoverageSets& sets, const CoverageTextOptions& options);

}  // namespace ricercar::inline report
