// Learned sets as a file: text in lines, "ricercar.hapset/1", with a check sum at its end.
#pragma once

#include <string>

#include "report/coverage_sets.h"

namespace ricercar::inline report {

// Replaces the file in one step. A curve that is too long is stored with sums of neighbours. Throws
// UsageError if the file cannot be written.
void write_coverage(const std::string& path, const CoverageSets& sets);

// Throws UsageError with what is wrong with the file and what to do.
CoverageSets read_coverage(const std::string& path);

}  // namespace ricercar::inline report
