// What `ricercar run` can be asked for.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>

#include "cli/coverage_files.h"
#include "model/options.h"

namespace ricercar::inline report {
struct RunSummary;
}

namespace ricercar::inline cli {

// The options of the search, and what the tool does around it.
struct RunOptions : SearchOptions, CoverageFiles {
  bool has_points = false;  // false: the strategy knows where choice points are best
  std::string out = "ricercar-out";
  std::string json;
  std::string junit;
  std::string sarif;
  bool github = false;
  std::string corpus;  // a folder with schedules to replay first; empty: none
  std::string html;    // a folder for the pages of bugs; empty: none
  std::string fail_on;
  std::string ignore;
  std::string suppressions;
  std::string nodes;              // the file of a cluster; empty: a program is searched
  std::string seed_schedule;      // a recorded execution to begin with; empty: none
  std::string checkpoint;         // where the search is kept; empty: nowhere
  std::string resume;             // where a search was kept that goes on; empty: a new one
  std::string pool;               // where others take part in the search; empty: nowhere
  std::uint64_t past_race = 300;  // executions to see what a data race leads to
  bool minimises = true;          // bugs: see cli/minimise.h
  bool quiet = false;
  bool full = false;

  bool is_kept() const { return !checkpoint.empty() || !resume.empty(); }
};

// Parsing writes into `options`, which must outlive the command. Throws UsageError for words that
// mean nothing.
void declare_run_options(CLI::App& command, RunOptions& options);
// Throws UsageError for a strategy that does not exist.
void require_strategy(const std::string& specification);
// What the file of a cluster says about the search holds where the command line says nothing.
// Throws UsageError with line and column.
void take_search_fields(CLI::App& command, const RunOptions& options);

// Writes the summary as JSON and in the formats of those who gather results (run_files.cc), as far
// as they are asked for. False: a file could not be written, which it says; a bug that was found
// counts all the same. Annotations go to `people`.
bool write_run_files(const RunOptions& options, const RunSummary& summary, std::FILE* people);

}  // namespace ricercar::inline cli
