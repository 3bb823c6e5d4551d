// A correct program under every strategy that the tool has: no report. Not thread-safe.
#pragma once

#include <string>
#include <vector>

namespace ricercar::test {

struct CorrectProgram {
  std::vector<std::string> options;  // of `ricercar run`
  std::vector<std::string> command;  // the program and its arguments
  std::string folder;                // where it runs, and where the reports of a failure stay
};

// Throws a std::runtime_error that names the strategy and shows what it said.
void expect_no_report_from_any_strategy(const std::string& tool, const CorrectProgram& program);

}  // namespace ricercar::test
