// From a found bug to what the user gets: the schedule file, the confirming replay, the report.
#pragma once

#include <string>

#include "cli/session.h"
#include "report/summary.h"
#include "report/text.h"

namespace ricercar {

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
                     const std::string& out, std::size_t number, double max_seconds,
                     const TextOptions& options);

// The report of a replay that has a recording.
std::string replay_text(const FinishedReplay& replay, const Schedule& schedule,
                        const std::string& schedule_path, const TextOptions& options);

}  // namespace ricercar
