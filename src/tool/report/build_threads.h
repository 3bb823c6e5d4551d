// The parts of a report of threads, each from the recording. Not thread-safe.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "model/recording.h"
#include "report/model.h"
#include "report/names.h"

namespace ricercar::inline report {

// What happens between two steps.
inline bool is_plain(const Step& step) {
  return step.kind == OperationKind::read || step.kind == OperationKind::write ||
         step.kind == OperationKind::release;
}

// What went wrong, in one sentence.
std::string headline_of(Names& names);

struct StepOptions {
  bool full = false;
  bool is_told_once = false;         // a round that comes again and again (Report::followed_steps)
  std::set<std::size_t> named = {};  // events that must be seen, because something else names them
};

// Which events of a recording a reader should see, by their indexes. Leaves out what nobody else
// touches, what happens before there is another thread, and counters of references.
std::vector<std::size_t> choose_events(Names& names, const StepOptions& options);

// The same as steps of a report: one row for what a line does without anybody in between. Leaves
// out what repeats, and the middle of a long trace.
std::vector<ReportStep> choose_steps(Names& names, const StepOptions& options);

// One row of several, which are steps and accesses of one line. `named`: which of them must be told
// in full.
ReportStep merged(std::vector<ReportStep> parts, const std::vector<bool>& named);
std::uint64_t count_preemptions(const Recording& recording);

// The places that a report is about, for tools and tests: where both accesses of a race are, where
// each thread of a deadlock waits, where an assertion failed. The place where the bug showed comes
// first.
std::vector<BugPlace> bug_places(Names& names, bool full);

// The locks that a thread held at the earlier access of a data race, from what it has locked and
// unlocked until then. None if that access is not in the recording, or not all
// that came before it.
std::optional<std::vector<RecordedHold>> locks_of_earlier_access(const Recording& recording);

}  // namespace ricercar::inline report
