// How soon each strategy finds the bugs of tests/programs and of the suites of thread programs: the
// evidence for the default strategy. Executions do not depend on the machine; seconds do.
//
//   strategies_bench TOOL tests/programs SUITES PROGRAMS_OF_SUITES FOLDER BENCHMARKS.md
//
// Programs that need options of their own are left out. What it makes goes to FOLDER, and a chart
// goes beside BENCHMARKS.md. From the environment: SEEDS (20 without) and THREADS, how many
// programs are measured at a time (2 without).
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "dara/chart.h"
#include "engine/measure.h"
#include "suites/bug_subjects.h"
#include "support/process.h"

namespace {

namespace fs = std::filesystem;
using namespace ricercar::bench;
using ricercar::test::Command;
using ricercar::test::Finished;

constexpr int limit = 2000;
constexpr int not_found = limit + 1;
constexpr double longest_search = 20;  // seconds of processor time: longer ones are not found
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

int from_environment(const char* name, int otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr ? std::atoi(value) : otherwise;
}
const int seeds = from_environment("SEEDS", 20);
const int threads = from_environment("THREADS", 2);

// Executions and seconds to the bug, one number for each seed, ascending; by strategy.
struct Result {
  std::string program;
  std::vector<std::vector<int>> executions;
  std::vector<std::vector<double>> seconds;

  bool always_at_once() const {
    return std::all_of(executions.begin(), executions.end(),
                       [](const std::vector<int>& counts) { return counts.back() == 1; });
  }
  bool is_of_suite() const {
    return program.starts_with("gambit") || program.starts_with("hapset");
  }
};

// Executions and seconds to the bug.
using Found = std::pair<int, double>;

// What has been searched before. Several threads may ask at a time.
class Searches {
 public:
  explicit Searches(const fs::path& file) {
    std::ifstream before(file);
    for (std::string line; std::getline(before, line);) {
      const auto search = nlohmann::json::parse(line);
      known_[search["search"]] = {search["executions"], search["seconds"]};
    }
    file_.open(file, std::ios::app);
  }

  template <typename Run>
  Found get(const std::string& search, Run run) {
    {
      const std::lock_guard guard(mutex_);
      if (const auto found = known_.find(search); found != known_.end()) return found->second;
    }
    const Found found = run();
    const std::lock_guard guard(mutex_);
    const nlohmann::json line = {
        {"search", search}, {"executions", found.first}, {"seconds", found.second}};
    file_ << line.dump() << std::endl;
    return found;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, Found> known_;
  std::ofstream file_;
};

class Benchmark {
 public:
  Benchmark(std::string tool, fs::path folder, Searches& searches)
      : tool_(std::move(tool)), folder_(std::move(folder)), searches_(searches) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }

  Result measure(BugSubject subject) {
    Result result{subject.name, {}, {}};
    for (const StrategyUnderTest& strategy : strategies) {
      std::vector<int> counts;
      std::vector<double> times;
      for (int seed = 1; seed <= (strategy.uses_seed ? seeds : 1); ++seed) {
        const std::string& name = strategy.specification;
        const auto [executions, seconds] =
            searches_.get(subject.name + ", " + name + ", " + std::to_string(seed),
                          [&] { return search(subject, name, seed); });
        counts.push_back(executions);
        times.push_back(seconds);
      }
      counts.resize(static_cast<std::size_t>(seeds), counts.front());
      times.resize(static_cast<std::size_t>(seeds), times.front());
      std::sort(counts.begin(), counts.end());
      std::sort(times.begin(), times.end());
      result.executions.push_back(std::move(counts));
      result.seconds.push_back(std::move(times));
    }
    return result;
  }

 private:
  Finished tool(std::vector<std::string> words, std::optional<double> processor_seconds = {}) {
    constexpr double however_busy = 3600;
    words.insert(words.begin(), tool_);
    return ricercar::test::run(Command{.words = std::move(words),
                                       .folder = folder_,
                                       .timeout_seconds = however_busy,
                                       .processor_seconds = processor_seconds});
  }

  void compile(const fs::path& source) {
    const Finished finished = tool(compilation_of(source, "program"));
    if (finished.status != 0) throw std::runtime_error(source.string() + ": " + finished.error);
  }

  Found search(BugSubject& subject, const std::string& strategy, int seed) {
    if (subject.program.empty()) {
      compile(subject.source);
      subject.program = "./program";
    }
    std::vector<std::string> words = {"run",
                                      "--quiet",
                                      "--json",
                                      "summary.json",
                                      "--past-race",
                                      "0",
                                      "--no-minimise",
                                      "--strategy",
                                      strategy,
                                      "--seed",
                                      std::to_string(seed),
                                      "--executions",
                                      std::to_string(limit),
                                      "--",
                                      subject.program};
    words.insert(words.end(), subject.arguments.begin(), subject.arguments.end());
    const Finished finished = tool(std::move(words), longest_search);
    if (finished.status != exit_bug) return {not_found, longest_search};
    std::ifstream file(folder_ / "summary.json");
    const auto summary = nlohmann::json::parse(file);
    return {summary["bugs"][0]["execution"], summary["seconds"]};
  }

  std::string tool_;
  fs::path folder_;
  Searches& searches_;
};

void print(const Result& result) {
  std::printf("%-40s", result.program.c_str());
  for (const std::vector<int>& counts : result.executions) {
    std::printf(" %5d", counts[counts.size() / 2]);
  }
  std::printf("\n");
  std::fflush(stdout);
}

std::vector<Result> measure_all(const std::string& tool, const fs::path& folder,
                                const std::vector<BugSubject>& subjects) {
  fs::create_directories(folder);
  Searches searches(folder / "searches.jsonl");
  std::vector<Result> results(subjects.size());
  std::atomic<std::size_t> next = 0;
  std::mutex output;
  const auto work = [&](const std::string& name) {
    Benchmark benchmark(tool, folder / name, searches);
    for (std::size_t i = next++; i < subjects.size(); i = next++) {
      results[i] = benchmark.measure(subjects[i]);
      const std::lock_guard guard(output);
      print(results[i]);
    }
  };
  std::vector<std::thread> all;
  for (int i = 0; i < threads; ++i) all.emplace_back(work, std::to_string(i));
  for (std::thread& thread : all) thread.join();
  return results;
}

std::string as_text(int executions) {
  return executions == not_found ? "more than " + std::to_string(limit)
                                 : std::to_string(executions);
}

template <typename Number>
Number quantile(const std::vector<Number>& sorted, double share) {
  const auto at = static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1) + 0.5);
  return sorted[at];
}

std::string milliseconds(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, seconds < 0.01 ? "%.1f ms" : "%.0f ms", seconds * 1000);
  return seconds >= longest_search ? "-" : text;
}

std::string row_of(std::size_t strategy, const std::vector<Result>& results) {
  std::vector<int> all;
  std::vector<double> seconds;
  std::size_t always = 0;
  int hardest = 0;
  for (const Result& result : results) {
    const std::vector<int>& counts = result.executions[strategy];
    const std::vector<double>& times = result.seconds[strategy];
    all.insert(all.end(), counts.begin(), counts.end());
    seconds.insert(seconds.end(), times.begin(), times.end());
    if (counts.back() != not_found) ++always;
    hardest = std::max(hardest, quantile(counts, 0.5));
  }
  std::sort(all.begin(), all.end());
  std::sort(seconds.begin(), seconds.end());
  const auto missed = std::count(all.begin(), all.end(), not_found);
  const double found = 100 * (1 - static_cast<double>(missed) / static_cast<double>(all.size()));
  char share[32];
  std::snprintf(share, sizeof share, "%.1f %%", found);
  return "| `" + strategies[strategy].specification + "` | " + std::to_string(always) + " | " +
         share + " | " + as_text(quantile(all, 0.5)) + " | " + as_text(quantile(all, 0.9)) + " | " +
         as_text(hardest) + " | " + milliseconds(quantile(seconds, 0.5)) + " | " +
         milliseconds(quantile(seconds, 0.9)) + " |\n";
}

std::string summary_table(const std::vector<Result>& results) {
  std::string text =
      "| strategy | programs whose bug every seed finds | searches that find it | median | 90th "
      "percentile | median of the hardest program | seconds, median | 90th percentile "
      "|\n|---|---|---|---|---|---|---|---|\n";
  for (std::size_t i = 0; i < strategies.size(); ++i) text += row_of(i, results);
  return text;
}

// The half of the programs that the portfolio's shares were chosen with: the last bit of the
// SHA-256 of the name is 0.
bool was_chosen_with(const std::string& program) {
  std::string name = program;
  std::replace(name.begin(), name.end(), ' ', '-');
  const Finished finished = ricercar::test::run(
      Command{.words = {"/bin/sh", "-c", "printf %s \"$0\" | sha256sum | cut -c64", name}});
  return std::stoi(finished.output, nullptr, 16) % 2 == 0;
}

bool is_close_to_best(const Result& result) {
  int best = not_found;
  for (std::size_t i = 0; i < single_strategies; ++i) {
    best = std::min(best, quantile(result.executions[i], 0.5));
  }
  return quantile(result.executions.back(), 0.5) <= 2 * best;
}

// How close the last strategy comes to the best single one, program by program.
std::string sentence_about_best(const std::vector<Result>& results) {
  std::size_t close[2] = {}, all[2] = {};
  for (const Result& result : results) {
    const std::size_t half = was_chosen_with(result.program) ? 0 : 1;
    ++all[half];
    close[half] += is_close_to_best(result) ? 1 : 0;
  }
  const auto of = [&](std::size_t half) {
    return std::to_string(close[half]) + " of " + std::to_string(all[half]);
  };
  return "\n`" + strategies.back().specification +
         "` needs at most twice as many executions as the strategy that is the best one for a "
         "program, by medians (bar: on 90 % of the programs), on " +
         of(0) + " programs of the half that its shares were chosen with, and on " + of(1) +
         " of the other half. The half of a program: the last bit of the SHA-256 of its name, with "
         "`-` for a blank, is 0 (`printf %s NAME | sha256sum`). When an execution counts as large, "
         "and that `dpor` comes first in small ones, was decided with all programs in view.\n";
}

// Against the default of before: programs whose bug it finds, by medians and 90th percentiles.
std::string sentence_about_mixed(const std::vector<Result>& results) {
  const std::size_t after = strategies.size() - 1, before = after - 1;
  std::size_t lost = 0, better = 0, worse = 0;
  for (const Result& result : results) {
    const auto found = [&](std::size_t strategy) {
      const std::vector<int>& counts = result.executions[strategy];
      return std::count_if(counts.begin(), counts.end(), [](int n) { return n != not_found; });
    };
    lost += found(before) > 0 && found(after) < found(before) ? 1 : 0;
    const int now = quantile(result.executions[after], 0.5);
    const int then = quantile(result.executions[before], 0.5);
    better += now < then ? 1 : 0;
    worse += now > then ? 1 : 0;
  }
  return "\nAgainst `mixed`, the default of before: `portfolio` needs fewer executions on " +
         std::to_string(better) + " programs and more on " + std::to_string(worse) +
         ", by medians; on " + std::to_string(lost) +
         " programs `mixed` finds the bug with more seeds.\n";
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
                           {"random", "pct:depth=3", "surw", "pos", "rff", "portfolio"})});
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

template <typename Keep>
std::vector<Result> part_of(const std::vector<Result>& results, Keep keep) {
  std::vector<Result> part;
  std::copy_if(results.begin(), results.end(), std::back_inserter(part), keep);
  return part;
}

std::string section(const std::vector<Result>& results, const std::vector<Result>& hidden) {
  const auto of_suite = [](const Result& result) { return result.is_of_suite(); };
  const auto of_tests = [](const Result& result) { return !result.is_of_suite(); };
  const std::vector<Result> tests = part_of(hidden, of_tests), suites = part_of(hidden, of_suite);
  return "## Strategies\n\n" + machine() +
         "\n\nExecutions and seconds until the bug is found, in the " +
         std::to_string(part_of(results, of_tests).size()) +
         " programs of tests/programs/bug that need no options, and for the " +
         std::to_string(part_of(results, of_suite).size()) +
         " bugs of the suites gambit and hapset. In " +
         std::to_string(results.size() - hidden.size()) +
         " programs every strategy finds the bug in its first execution; the figures are for the "
         "others, with " +
         std::to_string(seeds) +
         " seeds each (`dfs`, `pb`, `dpor` and `hapset` use none), at most " +
         std::to_string(limit) + " executions and " + std::to_string(int(longest_search)) +
         " seconds of processor time. Executions do not depend on the machine; seconds were "
         "measured while it had other things to do. They are those of the search, without the "
         "start of the tool.\n\n" +
         std::to_string(tests.size()) + " programs of tests/programs:\n\n" + summary_table(tests) +
         "\n" + std::to_string(suites.size()) + " bugs of the suites:\n\n" + summary_table(suites) +
         sentence_about_best(hidden) + sentence_about_mixed(hidden) +
         "\n![bugs found over executions](strategies.svg)\n"
         "\nThe programs that are hardest for one of the strategies, with the median for "
         "each:\n\n" +
         program_table(tests) + "\nThe same of the suites:\n\n" + program_table(suites);
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 7) {
    std::fprintf(stderr,
                 "usage: strategies_bench TOOL tests/programs SUITES PROGRAMS_OF_SUITES FOLDER "
                 "BENCHMARKS.md\n");
    return 2;
  }
  try {
    std::vector<BugSubject> subjects = ordinary_bug_programs(fs::absolute(arguments[2]));
    const std::vector<BugSubject> suites =
        bugs_of_thread_suites(fs::absolute(arguments[3]), fs::absolute(arguments[4]));
    subjects.insert(subjects.end(), suites.begin(), suites.end());
    const std::vector<Result> results =
        measure_all(arguments[1], fs::absolute(arguments[5]), subjects);
    const std::vector<Result> hidden =
        part_of(results, [](const Result& result) { return !result.always_at_once(); });
    const std::string text = section(results, hidden);
    std::printf("\n%s", text.c_str());
    write_section(arguments[6], "strategies", text);
    draw_curves(fs::path(arguments[6]).parent_path() / "strategies.svg", hidden);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "strategies_bench: %s\n", error.what());
    return 1;
  }
  return 0;
}
