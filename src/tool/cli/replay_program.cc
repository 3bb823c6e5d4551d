#include "cli/replay_program.h"

#include <fmt/format.h>

#include "base/error.h"
#include "report/executable.h"

namespace ricercar::inline cli {

Program program_of(const Schedule& schedule, const std::string& instead) {
  const std::string path = instead.empty() ? schedule.program : instead;
  const Program program =
      path.ends_with(".toml") ? find_cluster(path) : find_program(path, schedule.arguments);
  const std::string found = build_of(program);
  if (found != schedule.build_id) {
    throw UsageError(fmt::format(
        "the schedule was recorded with another build of '{}'\n  recorded: {}\n  now:      {}\n"
        "Its decisions mean nothing there: run the search again, or give the old build with "
        "--program FILE",
        path, schedule.build_id, found));
  }
  return program;
}

}  // namespace ricercar::inline cli
