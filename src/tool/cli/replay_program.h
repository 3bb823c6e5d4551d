// The program that belongs to a recorded schedule.
#pragma once

#include "cli/session.h"
#include "report/model.h"

namespace ricercar::inline cli {

// `instead`: another path than the recorded one, or empty. Throws UsageError if the program is
// gone or is another build than the recorded one.
Program program_of(const Schedule& schedule, const std::string& instead);

// Throws UsageError if the schedule is about another build than this program. `path`: how to call
// it.
void require_build(const Schedule& schedule, const Program& program, const std::string& path);

// A recorded execution, run again without its output, for what can be told of it.
class ReplayedPath {
 public:
  // Throws UsageError if the file cannot be replayed, or does not do the same again.
  explicit ReplayedPath(const std::string& file);

  const Program& program() const { return program_; }
  // With every step.
  const Report& report() const { return report_; }
  const Recording& recording() const { return *replay_.recording(); }

 private:
  Schedule schedule_;
  Program program_;
  FinishedReplay replay_;
  Report report_;
};

}  // namespace ricercar::inline cli
