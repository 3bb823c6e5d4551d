// From a found bug to what the user gets: the schedule file, the confirming replay, the report.
#pragma once

#include <functional>
#include <optional>
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

// Where the report of a bug goes, and how it is made.
struct BugReportOptions {
  std::string out;         // the folder
  std::string label;       // as in bug-LABEL.json
  double max_seconds = 0;  // for the replay; 0: no limit
  bool full = false;       // with every step
  ReporterOptions text = {};
  // Asked about a data race that a replay has shown; may be empty.
  std::function<std::optional<PastRace>()> look_past_race = {};
};

// Saves it as OUT/bug-LABEL.json and .txt, or as OUT/unconfirmed-LABEL if a replay does not show
// it. Never throws because of a full disk: the bug counts, whether it can be saved or not.
BugReport report_bug(const Program& program, const Schedule& schedule, const ProgramInput& input,
                     const BugReportOptions& options);

// `full`: with every step.
Report report_of(const FinishedReplay& replay, const Schedule& schedule,
                 const std::string& schedule_path, bool full);

}  // namespace ricercar::inline cli
