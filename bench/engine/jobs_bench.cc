// How much faster two processes search than one (--jobs 2): executions per second of wall time,
// with everything that the tool does. Both cores of the machine should be free. Usage: jobs_bench
// TOOL PROGRAM BENCHMARKS.md
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "measure.h"

namespace {

using namespace ricercar::bench;

struct Search {
  std::string tool;
  std::string program;
  std::string strategy;
};

double executions_per_second(const Search& search, int jobs) {
  const std::string summary = "/tmp/ricercar_jobs_bench.json";
  const std::string command = search.tool + " run --quiet --out /tmp --executions 400000 --jobs " +
                              std::to_string(jobs) + " --strategy " + search.strategy + " --json " +
                              summary + " " + search.program + " 2 2 1 3";
  const double start = seconds_now();
  if (std::system((command + " >/dev/null 2>&1").c_str()) != 0) {
    std::cerr << "failed: " << command << "\n";
    std::exit(1);
  }
  const double seconds = seconds_now() - start;
  std::ifstream file(summary);
  return nlohmann::json::parse(file)["executions"].get<double>() / seconds;
}

Row row_of(const Search& search, double bar) {
  constexpr int rounds = 5;
  // The best of several: as measure.h has it, of the times.
  const auto best = [&](int jobs) {
    return 1 / best_of(rounds, [&] { return 1 / executions_per_second(search, jobs); });
  };
  const double one = best(1), two = best(2), ratio = two / one;
  char figure[128], wanted[32];
  std::snprintf(figure, sizeof figure, "%.2f times (%.0f and %.0f executions a second)", ratio, one,
                two);
  std::snprintf(wanted, sizeof wanted, "at least %.1f times", bar);
  return {"`" + search.strategy + "`", figure, wanted, ratio >= bar};
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 4) {
    std::cerr << "usage: jobs_bench TOOL PROGRAM BENCHMARKS.md\n";
    return 2;
  }
  std::vector<Row> rows;
  const auto add = [&](const std::string& strategy, double bar) {
    rows.push_back(row_of({arguments[1], arguments[2], strategy}, bar));
    std::cout << rows.back().what << ": " << rows.back().figure << "\n";
  };
  for (const char* sampler : {"random", "pos", "pct:depth=3", "surw", "rff"}) add(sampler, 1.9);
  for (const char* exhaustive :
       {"dfs", "pb:bound=3", "pb:bound=3,iterative=no", "dpor", "bpor:bound=3"})
    add(exhaustive, 1.7);
  write_section(arguments[3], "jobs",
                "## Two processes instead of one\n\nA bounded buffer with four threads, 400,000 "
                "executions or all of them, `--jobs 2` against `--jobs 1`.\n\n" +
                    machine() + "\n\n" + table(rows) + "\n");
  return 0;
}
