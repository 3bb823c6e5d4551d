// Learned sets as one page that needs nothing else: the source, with the pairs of statements beside
// its lines. No scripts, no files, light or dark as the reader prefers.
#pragma once

#include <cstddef>
#include <string>

#include "report/coverage_sets.h"
#include "report/source_files.h"

namespace ricercar::inline report {

struct CoverageHtmlOptions {
  std::size_t limit = 500;  // of pairs that were seen, the rarest, and of those that were not
};

// The lines of statements are shown where `sources` has them.
std::string coverage_html(const CoverageSets& sets, SourceFiles& sources,
                          const CoverageHtmlOptions& options = {});

}  // namespace ricercar::inline report
