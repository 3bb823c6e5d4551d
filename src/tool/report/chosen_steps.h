// Which events of a recording a reader should see, as steps of a report. Leaves out what nobody
// else touches, what repeats, and the middle of a long trace.
#pragma once

#include <vector>

#include "report/model.h"
#include "report/names.h"

namespace ricercar::inline report {

std::vector<ReportStep> choose_steps(Names& names, bool full);

std::uint64_t count_preemptions(const Recording& recording);

}  // namespace ricercar::inline report
