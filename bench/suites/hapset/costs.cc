#include "suites/hapset/costs.h"

#include <algorithm>
#include <vector>

#include "engine/measure.h"
#include "suites/hapset/columns.h"

namespace ricercar::bench {
namespace {

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// The seconds of a step, without what the start of a search takes.
double seconds_of_step(const Searcher& searcher, const SearchRequest& request) {
  constexpr std::uint64_t few = 500;
  constexpr std::uint64_t many = 4500;
  SearchRequest run = request;
  run.limits = {few, 60};
  const SearchResult start = searcher.search(run);
  run.limits = {many, 60};
  const SearchResult end = searcher.search(run);
  return (end.seconds - start.seconds) / static_cast<double>(end.steps - start.steps);
}

// The time of one search for a step to that of another one, side by side, the median of five.
double cost_of(const Searcher& searcher, SearchRequest request, const std::string& strategy,
               const std::string& without) {
  std::vector<double> ratios;
  for (int i = 0; i < 5; ++i) {
    request.strategy = strategy;
    const double with = seconds_of_step(searcher, request);
    request.strategy = without;
    ratios.push_back(with / seconds_of_step(searcher, request));
  }
  return 100 * (median(ratios) - 1);
}

}  // namespace

std::string cost_table(const Searcher& searcher) {
  std::string text =
      "## HaPSet: what learning and guiding cost\n\n" + machine() +
      "\n\nPer cent of the time of an execution at `--points "
      "memory` (bar: at most 30): learning, as `hapset:learn=N` costs more than `random`; learning "
      "and guiding, as `hapset:prune=no` costs more than `bestfirst` on the same space, each the "
      "median of five runs side by side.\n\n| program | learning | learning and guiding "
      "|\n|---|---|---|\n";
  for (const auto& [program, workers] :
       {std::pair("thread_pool", "3"), std::pair("downloader", "4")}) {
    SearchRequest request;
    request.program = program;
    request.arguments = {"fixed", workers};
    request.points = "memory";
    const double learning = cost_of(searcher, request, "hapset:learn=1000000", "random");
    const double guiding =
        cost_of(searcher, request, "hapset:prune=no", "bestfirst:space=dpor,priority=pb");
    text += "| " + std::string(program) + " | " + format("%.0f", learning) + " | " +
            format("%.0f", guiding) + " |\n";
  }
  return text + "\n";
}

}  // namespace ricercar::bench
