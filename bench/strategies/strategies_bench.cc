// How soon each strategy finds the bugs of tests/programs: the evidence for the default strategy.
// Counts executions, not time, so the figures do not depend on the machine.
//
//   strategies_bench TOOL tests/programs FOLDER BENCHMARKS.md
//
// Programs that need options of their own are left out. What it makes goes to FOLDER, and a chart
// goes beside BENCHMARKS.md. SEEDS from the environment; 20 without.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "dara/chart.h"
#include "engine/measure.h"
#include "support/process.h"

namespace {

namespace fs = std::filesystem;
using namespace ricercar::bench;
using ricercar::test::Command;
using ricercar::test::Finished;

constexpr int limit = 2000;
constexpr int not_found = limit + 1;
constexpr int exit_bug = 1;
constexpr std::size_t longest_list = 30;  // programs in the second table

struct StrategyUnderTest {
  std::string specification;
  bool uses_seed;
};

const std::vector<StrategyUnderTest> strategies = {
    {"dfs", false},   {"pb:bound=2", false}, {"dpor", false},     {"hapset", false},
    {"random", true}, {"pct:depth=3", true}, {"pos", true},       {"surw", true},
    {"rff", true},    {"mixed", true},       {"portfolio", true},
};
// The last two are made of the others.
const std::size_t single_strategies = strategies.size() - 2;

const int seeds = std::getenv("SEEDS") != nullptr ? std::atoi(std::getenv("SEEDS")) : 20;

// Executions to the bug, one number for each seed, ascending; by strategy.
struct Result {
  std::string program;
  std::vector<std::vector<int>> executions;

  bool always_at_once() const {
    return std::all_of(executions.begin(), executions.end(),
                       [](const std::vector<int>& counts) { return counts.back() == 1; });
  }
};

// A program is left out if a comment line says that it needs something.
bool is_ordinary(const fs::path& source) {
  std::ifstream file(source);
  for (std::string line; std::getline(file, line) && line.starts_with("//");) {
    for (const char* key : {"// options:", "// only:", "// libraries:"}) {
      if (line.starts_with(key)) return false;
    }
  }
  return true;
}

std::vector<std::string> arguments_of(const fs::path& source) {
  const std::string key = "// arguments:";
  std::ifstream file(source);
  std::vector<std::string> words;
  for (std::string line; std::getline(file, line) && line.starts_with("//");) {
    if (!line.starts_with(key)) continue;
    std::istringstream rest(line.substr(key.size()));
    for (std::string word; rest >> word;) words.push_back(word);
  }
  return words;
}

std::vector<fs::path> find_programs(const fs::path& folder) {
  std::vector<fs::path> programs;
  for (const auto& entry : fs::recursive_directory_iterator(folder / "bug")) {
    const fs::path& path = entry.path();
    if (path.extension() != ".cc" && path.extension() != ".c") continue;
    if (is_ordinary(path)) programs.push_back(path);
  }
  std::sort(programs.begin(), programs.end());
  return programs;
}

class Benchmark {
 public:
  Benchmark(std::string tool, fs::path folder)
      : tool_(std::move(tool)), folder_(std::move(folder)) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }

  Result measure(const fs::path& source) {
    compile(source);
    arguments_ = arguments_of(source);
    Result result{source.parent_path().filename() / source.stem(), {}};
    for (const StrategyUnderTest& strategy : strategies) {
      std::vector<int> counts;
      for (int seed = 1; seed <= (strategy.uses_seed ? seeds : 1); ++seed) {
        counts.push_back(executions_to_bug(strategy.specification, seed));
      }
      counts.resize(static_cast<std::size_t>(seeds), counts.front());
      std::sort(counts.begin(), counts.end());
      result.executions.push_back(std::move(counts));
    }
    return result;
  }

 private:
  Finished tool(std::vector<std::string> words) {
    words.insert(words.begin(), tool_);
    return ricercar::test::run(Command{.words = std::move(words), .folder = folder_});
  }

  void compile(const fs::path& source) {
    const bool is_c = source.extension() == ".c";
    const Finished finished = tool({is_c ? "cc" : "c++", is_c ? "-std=gnu11" : "-std=c++20", "-g",
                                    "-O1", "-pthread", source, "-o", "program"});
    if (finished.status != 0) throw std::runtime_error(source.string() + ": " + finished.error);
  }

  int executions_to_bug(const std::string& strategy, int seed) {
    std::vector<std::string> words = {"run",          "--quiet",
                                      "--json",       "summary.json",
                                      "--past-race",  "0",
                                      "--strategy",   strategy,
                                      "--seed",       std::to_string(seed),
                                      "--executions", std::to_string(limit),
                                      "--",           "./program"};
    words.insert(words.end(), arguments_.begin(), arguments_.end());
    const Finished finished = tool(std::move(words));
    if (finished.status != exit_bug) return not_found;
    std::ifstream file(folder_ / "summary.json");
    return nlohmann::json::parse(file)["bugs"][0]["execution"];
  }

  std::string tool_;
  fs::path folder_;
  std::vector<std::string> arguments_;  // of the program under test
};

std::string as_text(int executions) {
  return executions == not_found ? "more than " + std::to_string(limit)
                                 : std::to_string(executions);
}

int quantile(const std::vector<int>& sorted, double share) {
  const auto at = static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1) + 0.5);
  return sorted[at];
}

std::string row_of(std::size_t strategy, const std::vector<Result>& results) {
  std::vector<int> all;
  std::size_t always = 0;
  int hardest = 0;
  for (const Result& result : results) {
    const std::vector<int>& counts = result.executions[strategy];
    all.insert(all.end(), counts.begin(), counts.end());
    if (counts.back() != not_found) ++always;
    hardest = std::max(hardest, quantile(counts, 0.5));
  }
  std::sort(all.begin(), all.end());
  const auto missed = std::count(all.begin(), all.end(), not_found);
  const double found = 100 * (1 - static_cast<double>(missed) / static_cast<double>(all.size()));
  char share[32];
  std::snprintf(share, sizeof share, "%.1f %%", found);
  return "| `" + strategies[strategy].specification + "` | " + std::to_string(always) + " | " +
         share + " | " + as_text(quantile(all, 0.5)) + " | " + as_text(quantile(all, 0.9)) + " | " +
         as_text(hardest) + " |\n";
}

std::string summary_table(const std::vector<Result>& results) {
  std::string text =
      "| strategy | programs whose bug every seed finds | searches that find it | median | 90th "
      "percentile | median of the hardest program |\n|---|---|---|---|---|---|\n";
  for (std::size_t i = 0; i < strategies.size(); ++i) text += row_of(i, results);
  return text;
}

// How close the last strategy comes to the best single one, program by program.
std::string sentence_about_best(const std::vector<Result>& results) {
  std::size_t close = 0;
  for (const Result& result : results) {
    int best = not_found;
    for (std::size_t i = 0; i < single_strategies; ++i) {
      best = std::min(best, quantile(result.executions[i], 0.5));
    }
    if (quantile(result.executions.back(), 0.5) <= 2 * best) ++close;
  }
  return "\n`" + strategies.back().specification +
         "` needs at most twice as many executions as the strategy that is the best one for a "
         "program, by "
         "medians, on " +
         std::to_string(close) + " of the " + std::to_string(results.size()) +
         " programs. Its shares were chosen by trying many of them on these programs, so its "
         "figures "
         "are fitted to them in part.\n";
}

// How many of the searches have found their bug after so many executions.
ChartLine curve_of(std::size_t strategy, const std::vector<Result>& results) {
  ChartLine line{strategies[strategy].specification, {}};
  double all = 0;
  std::vector<int> found;
  for (const Result& result : results) {
    const std::vector<int>& counts = result.executions[strategy];
    all += static_cast<double>(counts.size());
    found.insert(found.end(), counts.begin(), counts.end());
  }
  for (double at = 1; at <= limit; at = std::max(at + 1, std::floor(at * 1.15))) {
    const auto count = std::count_if(found.begin(), found.end(),
                                     [at](int executions) { return executions <= at; });
    line.points.push_back({at, 100 * static_cast<double>(count) / all});
  }
  return line;
}

void draw_curves(const fs::path& path, const std::vector<Result>& results) {
  const auto chart = [&](const std::string& title, std::initializer_list<const char*> names) {
    Chart drawn{title, "executions", {}, true};
    for (const char* name : names) {
      const auto found = std::find_if(
          strategies.begin(), strategies.end(),
          [name](const StrategyUnderTest& strategy) { return strategy.specification == name; });
      drawn.lines.push_back(
          curve_of(static_cast<std::size_t>(found - strategies.begin()), results));
    }
    return drawn;
  };
  draw_charts(path, {chart("bugs found, %: those that cover, and portfolios",
                           {"pb:bound=2", "dpor", "hapset", "mixed", "portfolio"}),
                     chart("bugs found, %: those that sample",
                           {"random", "pct:depth=3", "surw", "pos", "portfolio"})});
}

// The programs on which the strategies differ most, by their medians.
std::string program_table(std::vector<Result> results) {
  const auto hardness = [](const Result& result) {
    int most = 0;
    for (const std::vector<int>& counts : result.executions) {
      most = std::max(most, quantile(counts, 0.5));
    }
    return most;
  };
  std::stable_sort(results.begin(), results.end(),
                   [&](const Result& a, const Result& b) { return hardness(a) > hardness(b); });
  results.resize(std::min(results.size(), longest_list));
  std::string text = "| program |";
  std::string line = "|---|";
  for (const StrategyUnderTest& strategy : strategies) {
    text += " `" + strategy.specification + "` |";
    line += "---|";
  }
  text += "\n" + line + "\n";
  for (const Result& result : results) {
    text += "| " + result.program + " |";
    for (const std::vector<int>& counts : result.executions) {
      text += " " + as_text(quantile(counts, 0.5)) + " |";
    }
    text += "\n";
  }
  return text;
}

std::vector<Result> hidden_bugs(const std::vector<Result>& results) {
  std::vector<Result> hidden;
  std::copy_if(results.begin(), results.end(), std::back_inserter(hidden),
               [](const Result& result) { return !result.always_at_once(); });
  return hidden;
}

std::string section(const std::vector<Result>& results) {
  const std::vector<Result> hidden = hidden_bugs(results);
  const std::string count = std::to_string(hidden.size());
  return "## Strategies\n\nExecutions until the bug is found, in the " +
         std::to_string(results.size()) +
         " programs of tests/programs/bug that need no options. In " +
         std::to_string(results.size() - hidden.size()) +
         " of them every strategy finds the bug in its first execution; the figures are for the "
         "other " +
         count + ", with " + std::to_string(seeds) +
         " seeds each (`dfs`, `pb`, `dpor` and `hapset` use none) and at most " +
         std::to_string(limit) + " executions.\n\n" + summary_table(hidden) +
         sentence_about_best(hidden) + "\n![bugs found over executions](strategies.svg)\n" +
         "\nThe programs that are hardest for one of the strategies, with the median for "
         "each:\n\n" +
         program_table(hidden);
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 5) {
    std::fprintf(stderr, "usage: strategies_bench TOOL tests/programs FOLDER BENCHMARKS.md\n");
    return 2;
  }
  try {
    Benchmark benchmark(arguments[1], fs::absolute(arguments[3]));
    std::vector<Result> results;
    for (const fs::path& source : find_programs(fs::absolute(arguments[2]))) {
      results.push_back(benchmark.measure(source));
      std::printf("%-40s", results.back().program.c_str());
      for (const std::vector<int>& counts : results.back().executions) {
        std::printf(" %5d", quantile(counts, 0.5));
      }
      std::printf("\n");
      std::fflush(stdout);
    }
    const std::string text = section(results);
    std::printf("\n%s", text.c_str());
    write_section(arguments[4], "strategies", text);
    draw_curves(fs::path(arguments[4]).parent_path() / "strategies.svg", hidden_bugs(results));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "strategies_bench: %s\n", error.what());
    return 1;
  }
  return 0;
}
