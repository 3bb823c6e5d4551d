// Exits with 0 if a check of the library promises as much as its argument says: a check is complete
// only if the library is instrumented.
#include <ricercar/ricercar.h>

#include <iostream>
#include <string>
#include <thread>

#include "tally.h"

int main(int argument_count, char** arguments) {
  const ricercar::Result result = ricercar::check({.strategy = "dfs"}, [] {
    std::thread other(tally_well);
    tally_well();
    other.join();
  });
  std::cout << result;
  const bool wants_all = argument_count > 1 && std::string(arguments[1]) == "complete";
  const bool names_file = result.coverage.find("journal.c") != std::string::npos;
  return result && result.complete == wants_all && names_file != wants_all ? 0 : 1;
}
