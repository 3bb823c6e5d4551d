// Until when a failure could still be avoided, and the execution that is nearest to it and passes:
// a search among the continuations of the failing one (search/last_chance.cc), in a process of its
// own.
#pragma once

#include <optional>

#include "cli/minimise.h"
#include "cli/session.h"

namespace ricercar::inline cli {

struct LastChanceFound {
  LastChanceFile chance;            // without the name of the file
  std::optional<Schedule> passing;  // a replay has shown that it passes
  bool interrupted = false;
};

// `options` are those of minimising; this may use two fifths as much. Nothing: such a failure is
// left as it is, or it did not come again. Throws UsageError if the program cannot be run.
std::optional<LastChanceFound> find_last_chance(const Program& program, const Schedule& failing,
                                                const ProgramInput& input,
                                                const MinimiseOptions& options);

// ricercar-out/bug-1.json -> ricercar-out/bug-1-passing.json
std::string passing_path(const std::string& schedule);

// Saves the passing execution beside the failing one, which then says so. Throws UsageError if that
// cannot be.
void save_passing(const std::string& failing_path, LastChanceFound& found, Schedule& failing);

}  // namespace ricercar::inline cli
