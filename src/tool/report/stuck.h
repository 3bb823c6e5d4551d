// Who waits for whom at the end of an execution.
#pragma once

#include <vector>

#include "report/names.h"

namespace ricercar::inline report {

struct Waiting {
  const RecordedTask* task = nullptr;
  std::vector<TaskId> for_tasks;           // who would have to go on first; empty: unknown
  std::vector<const RecordedHold*> holds;  // what it holds meanwhile
};

// The blocked tasks; those that wait for each other in a circle come first, in its order.
std::vector<Waiting> find_waiting(const Recording& recording);

}  // namespace ricercar::inline report
