// From a found bug to what the user gets: the schedule file, the confirming replay, the report.
#pragma once

#include <string>

#include "cli/session.h"
#include "report/reporters.h"
#include "report/summary.h"

namespace ricercar::inline cli {

struct BugReport {
  BugSummary summary;
  std::string text;          // for the terminal, as `options` say
  std::string problems;      // what could not be saved, one line each
  bool interrupted = false;  // the user did not want to wait for the replay
};

// Saves `number` as OUT/bug-<number>.json and .txt, or as OUT/unconfirmed-<number> if a replay does
// not show it. Never throws because of a full disk: the bug
// counts, whether it can be saved or not.
BugReport report_bug(const Program& program, const Schedule& schedule, const ProgramInput& input,
                     const std::string& out, std::size_t number, double max_seconds, bool full,
                     const ReporterOptions& options);

// `full`: with every step.
Report report_of(const FinishedReplay& replay, const Schedule& schedule,
                 const std::string& schedule_path, bool full);

}  // namespace ricercar::inline cli
