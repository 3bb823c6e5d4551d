// From the schedule of a failure to the shortest one that is found with the same failure: a search
// among the variants of its execution (search/minimiser.cc), in a process of its own.
#pragma once

#include <cstdint>
#include <optional>

#include "cli/session.h"
#include "search/minimise_call.h"

namespace ricercar::inline cli {

// How much may be tried. A budget in steps means the same on every machine, so the result is the
// same; the time is there for programs that are slower than any budget knows.
struct MinimiseOptions {
  std::uint64_t budget = usual_minimise_budget;
  double max_seconds = usual_minimise_seconds;
  std::uint32_t ignored_kinds = 0;  // as in Request
};

struct ShorterSchedule {
  Schedule schedule;  // see shorter_schedule
  double seconds = 0;
  bool out_of_time = false;
  bool interrupted = false;
  bool is_shorter = false;  // otherwise the schedule is what it was
};

// Nothing: such a failure is left as it is, or it did not come again. Throws UsageError if the
// program cannot be run.
std::optional<ShorterSchedule> minimise(const Program& program, const Schedule& schedule,
                                        const ProgramInput& input, const MinimiseOptions& options);

}  // namespace ricercar::inline cli
