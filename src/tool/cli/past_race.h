// What a data race leads to: a short search that goes on past it. Which of two equal verdicts is
// more useful? "Two threads access the same memory", or "and then it crashes here".
#pragma once

#include <optional>

#include "cli/bug_report.h"
#include "cli/session.h"

namespace ricercar::inline cli {

// `request` is that of the search which has found the race, with what this one may use: at most
// `max_executions`, and `max_seconds` (0: no limit). `options` are those of the race's own report.
// Nothing: it was interrupted, or came to no result.
std::optional<PastRace> look_past_race(const Program& program, Request request,
                                       const ProgramInput& input, const Suppressions& suppressions,
                                       BugReportOptions options);

}  // namespace ricercar::inline cli
