// The schedule of a bug that a search has found, without what was run: who knows that adds it.
#pragma once

#include <vector>

#include "model/schedule.h"
#include "search/control.h"

namespace ricercar::inline search {

inline Schedule schedule_of_bug(const FoundBug& bug, const Request& request) {
  Schedule schedule;
  static_cast<ScheduleOptions&>(schedule) = request;
  schedule.kind = info(bug.outcome.kind).name;
  schedule.message = bug.outcome.message;
  schedule.execution = bug.execution;
  schedule.steps = bug.steps;
  schedule.trace_hash = bug.trace_hash;
  schedule.assign(bug, [](const auto& list) { return std::vector(list.begin(), list.end()); });
  return schedule;
}

}  // namespace ricercar::inline search
