// Runs a correct program under every strategy; each has to end without a report.
//
//   run_every_strategy TOOL PROGRAM [ARGUMENTS]
#include <cstdio>
#include <exception>

#include "support/every_strategy.h"

int main(int argument_count, char** arguments) {
  using namespace ricercar::test;
  if (argument_count < 3) {
    std::fprintf(stderr, "usage: run_every_strategy TOOL PROGRAM [ARGUMENTS]\n");
    return 2;
  }
  try {
    const CorrectProgram program{{}, {arguments + 2, arguments + argument_count}, "."};
    expect_no_report_from_any_strategy(arguments[1], program);
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "%s\n", failure.what());
    return 1;
  }
  return 0;
}
