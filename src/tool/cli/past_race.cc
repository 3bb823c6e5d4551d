#include <algorithm>

#include "cli/bug_report.h"
#include "cli/uninstrumented.h"

namespace ricercar::inline cli {

std::optional<PastRace> look_past_race(const Program& program, Request request,
                                       const ProgramInput& input, const Suppressions& suppressions,
                                       BugReportOptions options) {
  request.races = false;
  request.points = std::max(request.points, Points::racy);
  request.keep_going = false;
  // A thread that nobody joins does not come from the race.
  request.ignored_kinds |= 1U << static_cast<unsigned>(OutcomeKind::leak);
  Search search(program, request, input, nullptr, suppressions);
  SearchResult result = search.run({});
  RunSummary& summary = result.summary;
  add_uninstrumented(summary, program, result);
  add_not_modelled(summary, result);
  if (summary.interrupted || summary.executions == 0) return std::nullopt;
  PastRace past;
  past.executions = summary.executions;
  past.is_complete = summary.complete;
  if (result.bugs.empty()) return past;
  options.label += "-past-race";
  options.look_past_race = nullptr;
  const BugReport report = report_bug(program, result.bugs.front(), input, options);
  // What does not come again is no answer.
  if (!report.summary.confirmed) return std::nullopt;
  past.kind = report.summary.kind;
  past.headline = report.summary.message;
  past.execution = report.summary.execution;
  past.schedule = report.summary.schedule;
  return past;
}

}  // namespace ricercar::inline cli
