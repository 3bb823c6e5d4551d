// An execution that a person decides: decisions to begin with, and after them a default, in which
// each thread goes on until it waits. Every look at it is one replay. Not thread-safe.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cli/session.h"
#include "report/model.h"

namespace ricercar::inline cli {

class Exploration {
 public:
  Exploration(const Program& program, const ScheduleOptions& options, std::string out);

  // Runs the program once; what the page shows ("ricercar.page/1" and `live`). Throws UsageError if
  // it does not follow the decisions any more.
  nlohmann::ordered_json page(const std::string& token);
  // Another option at the decision of this number; those after it are the default's. Throws
  // UsageError for what does not exist.
  void decide(std::size_t number, std::size_t option);
  // To what was before the last change. False: there is nothing before.
  bool back();
  // Searches what can follow the first `number` decisions. What it has found, or that it has not,
  // in words; a bug becomes the execution that is shown.
  std::string search(std::size_t number, const std::string& strategy);
  // Writes the schedule of the execution; the file.
  std::string save();

  // Strategies that need not see the decisions before theirs.
  static const std::vector<std::string>& strategies();

 private:
  // What was decided at a point: the decision, and the one of each option.
  struct Point {
    std::uint16_t decision = 0;
    std::uint8_t check = 0;
    std::vector<std::uint16_t> options;
  };

  Report run();
  void take_points(const Recording& recording);
  std::vector<std::uint16_t> decisions_before(std::size_t number) const;
  void change(Schedule to);

  const Program& program_;
  const ProgramInput input_;
  std::string out_;
  Schedule schedule_;  // the decisions that were made, and how the execution with them has ended
  std::vector<Point> points_;
  std::vector<Schedule> history_;
  std::size_t last_changed_ = 0;  // the number of a decision
  std::uint64_t searches_ = 0;
  std::uint64_t saved_ = 0;
};

}  // namespace ricercar::inline cli
