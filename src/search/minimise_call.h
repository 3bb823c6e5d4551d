// A search for a shorter execution, from the schedule of a failure and back to one: what the tool
// and ricercar::check have in common. Plain functions; safe to use from any thread.
#pragma once

#include <cstdint>
#include <string>

#include "model/schedule.h"
#include "search/control.h"

namespace ricercar::inline search {

// At the end of a search: well below a second for an ordinary program.
inline constexpr std::uint64_t usual_minimise_budget = 5000000;
inline constexpr double usual_minimise_seconds = 5;
inline constexpr std::uint64_t usual_last_chance_budget = 2000000;
inline constexpr double usual_last_chance_seconds = 3;

// Why such a failure is left as it is; empty: it can be made shorter.
std::string why_not_minimised(const Schedule& schedule);

// All but the lists of the schedule, which are not shared yet. The budget is in steps, as in
// VariantRequest.
Request request_to_minimise(const Schedule& schedule, std::uint64_t budget, double max_seconds);

// Likewise, for the last moment at which the failure could be avoided and an execution that passes.
Request request_for_last_chance(const Schedule& schedule, std::uint64_t budget, double max_seconds);

// What the search has found.
struct ShortestFound {
  Schedule schedule;
  ExecutionSize before;
  ExecutionSize now;
  std::uint64_t executions = 0;

  bool is_shorter() const { return now < before; }
};

// The same with all that a schedule says; if it is not shorter, the one that there was.
// Schedule::minimised says what was done, but not where the original is.
Schedule shorter_schedule(const Schedule& schedule, ShortestFound found);

}  // namespace ricercar::inline search
