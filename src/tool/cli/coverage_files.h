// Files of learned sets and their reports, as `ricercar run` and `ricercar hapset` name them.
#pragma once

#include <optional>
#include <string>

#include "report/coverage_sets.h"

namespace ricercar::inline cli {

struct CoverageFiles {
  std::string sets;    // --hapset; empty: not asked for
  std::string report;  // --coverage; likewise

  bool are_asked_for() const { return !sets.empty() || !report.empty(); }
};

// Before the search: throws UsageError if the strategy learns no pairs, if the ending of the report
// says no format, or if there is no folder to write to.
void check_coverage_files(const CoverageFiles& files, const std::string& strategy);

// What a search of the program with this path goes on from; nothing if there is no such file yet.
// Throws UsageError if it cannot be read or is about another program.
std::optional<CoverageSets> load_sets(const std::string& path, const std::string& program);

// Writes what was asked for. What cannot be written is said on standard error, and the result is
// false: a bug that was found counts all the same.
bool save_coverage(const CoverageFiles& files, const CoverageSets& sets);

// A report in the format that the ending of its file stands for: .txt, .json, .html or .svg. Throws
// UsageError for another one.
std::string coverage_report(const CoverageSets& sets, const std::string& path);

// One sentence about source files that are not below the working folder; empty if there are none.
std::string missing_sources(const CoverageSets& sets);

}  // namespace ricercar::inline cli
