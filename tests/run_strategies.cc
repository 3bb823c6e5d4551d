// Runs a correct program under its share of the strategies; each has to end without a report.
//
//   run_strategies TOOL PROGRAM [ARGUMENTS]
#include <cstdio>
#include <exception>
#include <filesystem>

#include "support/strategies.h"

int main(int argument_count, char** arguments) {
  using namespace ricercar::test;
  if (argument_count < 3) {
    std::fprintf(stderr, "usage: run_strategies TOOL PROGRAM [ARGUMENTS]\n");
    return 2;
  }
  try {
    const std::string name = std::filesystem::path(arguments[2]).filename();
    const CorrectProgram program{name, {}, {arguments + 2, arguments + argument_count}, "."};
    expect_no_report_from_its_strategies(arguments[1], program);
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "%s\n", failure.what());
    return 1;
  }
  return 0;
}
