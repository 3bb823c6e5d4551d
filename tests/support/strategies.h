// A correct program under a third of the strategies that the tool has: no report. Which third it is
// depends on the program's name alone, so each strategy meets a third of all programs. With
// RICERCAR_EVERY_STRATEGY in the environment each program meets all of them. Not thread-safe.
#pragma once

#include <string>
#include <vector>

namespace ricercar::test {

struct CorrectProgram {
  std::string name;
  std::vector<std::string> options;  // of `ricercar run`
  std::vector<std::string> command;  // the program and its arguments
  std::string folder;                // where it runs, and where the reports of a failure stay
};

// Throws a std::runtime_error that names the strategy and shows what it said.
void expect_no_report_from_its_strategies(const std::string& tool, const CorrectProgram& program);

}  // namespace ricercar::test
