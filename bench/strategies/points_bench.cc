// What choice points cost, and what they show, in every program of tests/programs/bug/data-race:
// steps of an execution, and executions until the race has a consequence.
//
//   points_bench TOOL tests FOLDER BENCHMARKS.md
//
// What it makes goes to FOLDER.
#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine/measure.h"
#include "suites/hapset/bug_programs.h"
#include "suites/search.h"

namespace {

namespace fs = std::filesystem;
using namespace ricercar::bench;

constexpr SearchLimits sample{200, 20};
constexpr SearchLimits limits{2000, 10};
const std::vector<std::string> points = {"memory", "shared", "racy"};

struct Cell {
  double steps = 0;  // of an execution, on average
  std::string end;   // of the search for a consequence
  bool has_consequence = false;
};

class Benchmark {
 public:
  Benchmark(const std::string& tool, const fs::path& folder)
      : searcher_(tool, folder, folder / "work") {}

  Cell measure(const Subject& subject, const std::string& where) const {
    Cell cell;
    const SearchResult drawn = search(subject, where, "random", sample, {"--keep-going"});
    cell.steps = static_cast<double>(drawn.steps) / static_cast<double>(drawn.executions);
    const SearchResult result = search(subject, where, "", limits, {});
    cell.has_consequence = result.found();
    const std::string executions = std::to_string(result.executions);
    cell.end = result.found()    ? result.bug + ", " + executions
               : result.complete ? "none in all " + executions
                                 : "- after " + executions;
    return cell;
  }

 private:
  SearchResult search(const Subject& subject, const std::string& where, const std::string& strategy,
                      const SearchLimits& within, std::vector<std::string> options) const {
    options.insert(options.end(), subject.options.begin(), subject.options.end());
    options.emplace_back("--no-races");
    SearchRequest request{subject.program, subject.arguments, strategy, 1, within};
    request.points = where;
    request.options = options;
    return searcher_.search(request);
  }

  Searcher searcher_;
};

std::string row_of(const std::string& name, const std::vector<Cell>& cells) {
  std::string text = "| " + name + " |";
  for (const Cell& cell : cells) {
    char steps[32];
    std::snprintf(steps, sizeof steps, " %.1f |", cell.steps);
    text += steps;
  }
  for (const Cell& cell : cells) text += " " + cell.end + " |";
  return text + "\n";
}

std::string section(const std::vector<std::string>& names,
                    const std::vector<std::vector<Cell>>& rows) {
  std::string text =
      "## Choice points\n\n" + machine() +
      "\n\nEvery program of tests/programs/bug/data-race, with `--no-races`: steps of an "
      "execution, "
      "the average of " +
      std::to_string(sample.executions) +
      " random ones, and what the default strategy finds behind the race, seed 1, in at most " +
      std::to_string(limits.executions) + " executions and " + std::to_string(int(limits.seconds)) +
      " seconds: the kind of bug and in which execution; `none in all`: nothing is left.\n\n"
      "| program |";
  std::string line = "\n|---|";
  for (const char* what : {"steps", "found"}) {
    for (const std::string& where : points) {
      text += std::string(" ") + what + ", `" + where + "` |";
      line += "---|";
    }
  }
  text += line + "\n";
  std::vector<std::size_t> found(points.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    text += row_of(names[i], rows[i]);
    for (std::size_t k = 0; k < points.size(); ++k) found[k] += rows[i][k].has_consequence ? 1 : 0;
  }
  text += "| **with a consequence** | | | |";
  for (const std::size_t count : found) text += " " + std::to_string(count) + " |";
  return text + "\n\n";
}

void run(char** arguments) {
  const fs::path folder = fs::absolute(arguments[3]);
  const std::vector<Subject> subjects =
      compile_bug_programs(arguments[1], arguments[2], folder, "data-race");
  const Benchmark benchmark(arguments[1], folder);
  std::vector<std::string> names;
  std::vector<std::vector<Cell>> rows;
  for (const Subject& subject : subjects) {
    names.push_back(subject.name.substr(std::string("data-race/").size()));
    std::vector<Cell>& row = rows.emplace_back();
    for (const std::string& where : points) row.push_back(benchmark.measure(subject, where));
    std::printf("%s", row_of(names.back(), row).c_str());
    std::fflush(stdout);
  }
  write_section(arguments[4], "points", section(names, rows));
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 5) {
    std::fprintf(stderr, "usage: points_bench TOOL tests FOLDER BENCHMARKS.md\n");
    return 2;
  }
  try {
    run(arguments);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "points_bench: %s\n", error.what());
    return 1;
  }
  return 0;
}
