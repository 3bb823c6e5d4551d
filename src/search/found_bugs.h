// The list of bugs that a search has found, in the shared heap. Not thread-safe.
#pragma once

#include <cstdint>
#include <span>

#include "model/outcome.h"
#include "model/trace.h"
#include "search/control.h"

namespace ricercar::inline search {

RecordedOutcome as_record(const Outcome& outcome);

// What went wrong in an execution.
struct Finding {
  Outcome outcome;
  Trace trace;                              // up to there
  std::span<const std::uint32_t> accesses;  // see RecordedExecution
  ExecutionFacts facts = {};
  bool ends_search = true;  // unless the search is to go on after a bug
};

void add_found_bug(Control& control, const Finding& finding);
void append_found_bug(Control& control, const FoundBug& found);
// Instead of all that was found so far.
void replace_found_bugs(Control& control, const Finding& finding);

// With --keep-going the same bug is reported once: the same kind at the same place.
bool is_known_bug(const Control& control, const Outcome& outcome);
bool is_known_bug(const Control& control, const RecordedOutcome& outcome);
bool is_same_finding(const RecordedOutcome& one, const RecordedOutcome& other);
// A race between these two places has been reported.
bool is_known_race(const Control& control, std::uint64_t site, std::uint64_t other_site);

inline bool is_ignored(const Request& request, OutcomeKind kind) {
  return (request.ignored_kinds >> static_cast<unsigned>(kind) & 1) != 0;
}
// Counts a finding that is not to fail the search. `suppression`: see IgnoredFinding.
void add_ignored(Control& control, const Outcome& outcome, std::uint32_t suppression = 0);
// Counts one more of a race that is on the list because of its kind; false: it is not there.
bool count_ignored_race(Control& control, std::uint64_t site, std::uint64_t other_site);

}  // namespace ricercar::inline search
