// The speed of the search of machines: transitions and states a second on two-phase commit on one
// core, bytes for each state in the cache, and states a second next to spin's on the same protocol
// (commit.cc and commit.pml) in the same run. Seconds are those of the processor, of all processes
// that a search consists of: the machine may have something else to do.
//
//   speed_bench TOOL PROGRAMS MODEL FOLDER BENCHMARKS.md
//
// PROGRAMS has two_phase_commit and commit, MODEL is commit.pml. What it makes goes to FOLDER.
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine/measure.h"
#include "suites/search.h"
#include "support/process.h"

namespace {

using namespace ricercar::bench;
namespace fs = std::filesystem;

constexpr int rounds = 3;  // the best of so many
constexpr int participants = 7;
constexpr int commit_rounds = 2;

std::string millions(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f million", value / 1e6);
  return text;
}

// Of the processes that have ended.
double processor_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_CHILDREN, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

SearchResult timed_search(const Searcher& searcher, const SearchRequest& request) {
  const double start = processor_seconds();
  SearchResult result = searcher.search(request);
  result.seconds = processor_seconds() - start;
  return result;
}

// The one with the most steps a second.
SearchResult best_search(const Searcher& searcher, const SearchRequest& request) {
  SearchResult best = timed_search(searcher, request);
  for (int i = 1; i < rounds; ++i) {
    const SearchResult again = timed_search(searcher, request);
    const auto steps = [](const SearchResult& result) { return static_cast<double>(result.steps); };
    if (steps(again) * best.seconds > steps(best) * again.seconds) best = again;
  }
  if (best.found()) throw std::runtime_error("a bug in the correct version: " + best.bug);
  return best;
}

void run(const std::string& folder, const std::vector<std::string>& words,
         std::string* output = nullptr) {
  ricercar::test::Command command;
  command.words = words;
  command.folder = folder;
  command.timeout_seconds = 600;
  const ricercar::test::Finished finished = ricercar::test::run(command);
  if (finished.status != 0) throw std::runtime_error(ricercar::test::describe(command, finished));
  if (output != nullptr) *output = finished.output;
}

double number_before(const std::string& text, const std::string& words) {
  const std::size_t end = text.find(words);
  if (end == std::string::npos)
    throw std::runtime_error("spin said something unexpected:\n" + text);
  const std::size_t line = text.rfind('\n', end) + 1;
  return std::stod(text.substr(line, end - line));
}

struct SpinResult {
  double states = 0;
  double seconds = 0;
};

// Exhaustive and without partial-order reduction, which leaves states out.
SpinResult run_spin(const fs::path& model, const fs::path& folder) {
  fs::create_directories(folder);
  run(folder, {"/usr/bin/env", "spin", "-a", "-DN=" + std::to_string(participants),
               "-DROUNDS=" + std::to_string(commit_rounds), fs::absolute(model)});
  run(folder, {"/usr/bin/env", "cc", "-O2", "-DSAFETY", "-DNOREDUCE", "-w", "-o", "pan", "pan.c"});
  SpinResult best;
  for (int i = 0; i < rounds; ++i) {
    std::string output;
    const double start = processor_seconds();
    run(folder, {"./pan", "-m1000000", "-w24"}, &output);
    const double seconds = processor_seconds() - start;
    if (i == 0 || seconds < best.seconds) best.seconds = seconds;
    best.states = number_before(output, " states, stored");
  }
  return best;
}

std::vector<Row> measure(const Searcher& searcher, const fs::path& model, const fs::path& folder) {
  SearchRequest request{"two_phase_commit", {}, "random", 1, {20000, 120}};
  request.cores = 1;
  const SearchResult walk = best_search(searcher, request);
  const double transitions = static_cast<double>(walk.transitions) / walk.seconds;

  // One stratum: depth first, as spin does it.
  request.strategy = "ses:explorer=rr,step=100000";
  request.limits = {1000000000, 10};
  const SearchResult states = best_search(searcher, request);
  const double distinct = static_cast<double>(states.states) / states.seconds;

  request.program = "commit";
  request.arguments = {std::to_string(participants), std::to_string(commit_rounds)};
  request.limits.seconds = 120;
  const SearchResult whole = best_search(searcher, request);
  const double ours = static_cast<double>(whole.states) / whole.seconds;
  const SpinResult spin = run_spin(model, folder / "spin");
  const double theirs = spin.states / spin.seconds;
  char ratio[64];
  std::snprintf(ratio, sizeof ratio, "%.2f", ours / theirs);
  return {
      {"two-phase commit, one core, random walks (no state is cached; handlers that are known do "
       "not run again): transitions a second",
       millions(transitions), "1 million", transitions >= 1e6},
      {"two-phase commit, one core, ses in one stratum: distinct states a second, of " +
           std::to_string(states.states),
       millions(distinct), "0.3 million", distinct >= 3e5},
      {"commit, one core, ses in one stratum, every state: distinct states a second, of " +
           std::to_string(whole.states) + " (transitions: " + std::to_string(whole.transitions) +
           ")",
       millions(ours), "0.3 million", ours >= 3e5},
      {"the same protocol in spin, exhaustive, without reduction: states a second, of " +
           std::to_string(static_cast<std::uint64_t>(spin.states)),
       millions(theirs), "", true},
      {"ours by spin's", ratio, "0.33", 3 * ours >= theirs},
  };
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 6) {
    std::fprintf(stderr, "usage: speed_bench TOOL PROGRAMS MODEL FOLDER BENCHMARKS.md\n");
    return 2;
  }
  try {
    const Searcher searcher(arguments[1], arguments[2], fs::path(arguments[4]) / "searches");
    const std::string text =
        "The best of three, each on one core, by the time of the processor.\n\n" +
        table(measure(searcher, arguments[3], arguments[4])) + "\n" + machine() + "\n";
    std::printf("%s", text.c_str());
    write_section(arguments[5], "machines", text);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
