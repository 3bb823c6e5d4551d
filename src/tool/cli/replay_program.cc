#include "cli/replay_program.h"

#include <fmt/format.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/bug_report.h"
#include "report/executable.h"

namespace ricercar::inline cli {

void require_build(const Schedule& schedule, const Program& program, const std::string& path) {
  const std::string found = build_of(program);
  if (found == schedule.build_id) return;
  throw UsageError(fmt::format(
      "the schedule was recorded with another build of '{}'\n  recorded: {}\n  now:      {}\n"
      "Its decisions mean nothing there: run the search again, or give the old build with "
      "--program FILE",
      path, schedule.build_id, found));
}

Program program_of(const Schedule& schedule, const std::string& instead) {
  const std::string path = instead.empty() ? schedule.program : instead;
  Program program =
      path.ends_with(".toml") ? find_cluster(path) : find_program(path, schedule.arguments);
  require_build(schedule, program, path);
  return program;
}

ReplayedPath::ReplayedPath(const std::string& file)
    : schedule_(read_schedule(file)),
      program_(program_of(schedule_, "")),
      replay_(program_, schedule_, ProgramInput(STDIN_FILENO), {}),
      report_(report_of(replay_, schedule_, file, true)) {
  if (replay_.recording() == nullptr || replay_.recording()->divergence.diverged) {
    throw UsageError(report_.warning);
  }
}

}  // namespace ricercar::inline cli
