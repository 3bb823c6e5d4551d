// From a found bug to what the user gets: the schedule file, the confirming replay, the report.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "cli/minimise.h"
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
  // The execution is made shorter first; the one that was found is saved beside it.
  std::optional<MinimiseOptions> minimise = {};
  // Asked about a data race that a replay has shown; may be empty.
  std::function<std::optional<PastRace>()> look_past_race = {};
};

// Saves it as OUT/bug-LABEL.json and .txt, and as OUT/bug-LABEL-original.json if that is another
// execution with the same failure, or as OUT/unconfirmed-LABEL if a replay does not show
// it. Never throws because of a full disk: the bug counts, whether it can be saved or not.
BugReport report_bug(const Program& program, const Schedule& schedule, const ProgramInput& input,
                     const BugReportOptions& options);

// What a data race leads to: a short search that goes on past it. Which of two equal verdicts is
// more useful? "Two threads access the same memory", or "and then it crashes here".
// `request` is that of the search which has found the race, with what this one may use: at most
// `max_executions`, and `max_seconds` (0: no limit). `options` are those of the race's own report.
// Nothing: it was interrupted, or came to no result.
std::optional<PastRace> look_past_race(const Program& program, Request request,
                                       const ProgramInput& input, const Suppressions& suppressions,
                                       BugReportOptions options);

// `full`: with every step. `detailed`: with Report::detail.
Report report_of(const FinishedReplay& replay, const Schedule& schedule,
                 const std::string& schedule_path, bool full, bool detailed = false);

}  // namespace ricercar::inline cli
