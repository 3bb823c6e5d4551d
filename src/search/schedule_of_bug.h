// The schedule of a bug that a search has found, without what was run: who knows that adds it.
#pragma once

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
  schedule.decisions.assign(bug.decisions.begin(), bug.decisions.end());
  schedule.checks.assign(bug.checks.begin(), bug.checks.end());
  schedule.operations.assign(bug.operations.begin(), bug.operations.end());
  schedule.accesses.assign(bug.accesses.begin(), bug.accesses.end());
  schedule.key_points = bug.key_points;
  schedule.passed = bug.passed;
  schedule.plain_accesses = bug.plain_accesses;
  return schedule;
}

}  // namespace ricercar::inline search
