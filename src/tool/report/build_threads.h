// The parts of a report of threads, each from the recording. Not thread-safe.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/recording.h"
#include "report/model.h"
#include "report/names.h"

namespace ricercar::inline report {

// What went wrong, in one sentence.
std::string headline_of(Names& names);

// Which events of a recording a reader should see, as steps of a report. Leaves out what nobody
// else touches, what repeats, and the middle of a long trace.
std::vector<ReportStep> choose_steps(Names& names, bool full);
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
