// From the schedule of a failure to the shortest one that is found with the same failure: a search
// among the variants of its execution (search/minimiser.h), in a process of its own.
#pragma once

#include <cstdint>
#include <optional>

#include "cli/session.h"

namespace ricercar::inline cli {

// How much may be tried. A budget in steps means the same on every machine, so the result is the
// same; the time is there for programs that are slower than any budget knows.
struct MinimiseOptions {
  // At the end of a run: well below a second for an ordinary program.
  static constexpr std::uint64_t usual_budget = 2000000;
  static constexpr double usual_seconds = 5;

  std::uint64_t budget = usual_budget;
  double max_seconds = usual_seconds;
  std::uint32_t ignored_kinds = 0;  // as in Request
};

// Why such a failure is left as it is; empty: it can be made shorter.
std::string why_not_minimised(const Schedule& schedule);

struct ShorterSchedule {
  Schedule schedule;  // Schedule::minimised says what was done, but not where the original is
  double seconds = 0;
  bool out_of_time = false;
  bool interrupted = false;
  bool is_shorter = false;  // otherwise the schedule is what it was
};

// Nothing: the failure did not come again. Throws UsageError if the program cannot be run.
std::optional<ShorterSchedule> minimise(const Program& program, const Schedule& schedule,
                                        const ProgramInput& input, const MinimiseOptions& options);

}  // namespace ricercar::inline cli
