#include "suites/hapset/results.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace ricercar::bench {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t at_a_time = 2;
constexpr std::uint64_t no_limit = 1'000'000'000;

std::string key_of(const Results::Wanted& wanted, int seed) {
  return wanted.subject.name + " " + wanted.search.strategy + " " + wanted.points + " " +
         std::to_string(wanted.seconds) + " " + std::to_string(seed);
}

SearchRequest request_of(const Results::Wanted& wanted, int seed) {
  SearchRequest request;
  request.program = wanted.subject.program;
  request.arguments = wanted.subject.arguments;
  request.strategy = wanted.search.strategy;
  request.seed = seed;
  request.limits = {no_limit, wanted.seconds};
  request.cores = 1;
  request.points = wanted.points;
  request.options = wanted.subject.options;
  return request;
}

// One line: what tables show of a result, and behind a tab its key.
std::string line_of(const std::string& key, const SearchResult& result) {
  std::ostringstream line;
  line << (result.found() ? result.bug : "none") << ' ' << result.executions << ' '
       << result.seconds << ' ' << result.steps << ' ' << result.complete << ' '
       << result.first_part << '\t' << key;
  return line.str();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

}  // namespace

Results::Results(std::string tool, std::string programs, const fs::path& folder, bool keeps)
    : tool_(std::move(tool)), programs_(std::move(programs)), folder_(fs::absolute(folder)) {
  if (!keeps) fs::remove_all(folder_);
  fs::create_directories(folder_);
  std::ifstream known(folder_ / "results");
  for (std::string line; std::getline(known, line);) note(line);
}

void Results::note(const std::string& line) {
  SearchResult result;
  std::istringstream(line) >> result.bug >> result.executions >> result.seconds >> result.steps >>
      result.complete >> result.first_part;
  if (result.bug == "none") result.bug.clear();
  results_[line.substr(line.find('\t') + 1)] = result;
}

void Results::run(const std::vector<Wanted>& wanted) {
  std::vector<Job> jobs;
  for (const Wanted& each : wanted) {
    for (int seed = 1; seed <= each.search.seeds; ++seed) {
      const std::string key = key_of(each, seed);
      const bool is_listed =
          std::any_of(jobs.begin(), jobs.end(), [&](const Job& job) { return job.key == key; });
      if (!results_.contains(key) && !is_listed) jobs.push_back({key, request_of(each, seed)});
    }
  }
  struct Running {
    std::string key;
    std::size_t place;
  };
  std::map<pid_t, Running> running;
  std::vector<std::size_t> free_places;
  for (std::size_t i = 0; i < at_a_time; ++i) free_places.push_back(i);
  std::size_t next = 0;
  while (next < jobs.size() || !running.empty()) {
    if (next < jobs.size() && !free_places.empty()) {
      const std::size_t place = free_places.back();
      free_places.pop_back();
      const pid_t child = fork();
      if (child == 0) start(jobs[next], place);
      running[child] = {jobs[next++].key, place};
      continue;
    }
    int status = 0;
    const auto ended = running.extract(wait(&status));
    if (status != 0) throw std::runtime_error("no result for " + ended.mapped().key);
    finish(ended.mapped().key, ended.mapped().place);
    free_places.push_back(ended.mapped().place);
  }
}

// In the child.
void Results::start(const Job& job, std::size_t place) {
  const std::string number = std::to_string(place);
  try {
    const Searcher searcher(tool_, programs_, folder_ / ("work-" + number));
    const SearchResult result = searcher.search(job.request);
    std::ofstream(folder_ / ("result-" + number)) << line_of(job.key, result) << '\n';
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", job.key.c_str(), error.what());
    _exit(1);
  }
  _exit(0);
}

void Results::finish(const std::string& key, std::size_t place) {
  std::ifstream file(folder_ / ("result-" + std::to_string(place)));
  std::string line;
  if (!std::getline(file, line)) throw std::runtime_error("no result for " + key);
  std::ofstream(folder_ / "results", std::ios::app) << line << '\n';
  note(line);
  std::printf("%s\n", line.c_str());
  std::fflush(stdout);
}

Measured Results::of(const Wanted& wanted) const {
  Measured measured;
  measured.seeds = wanted.search.seeds;
  std::vector<double> runs;
  std::vector<double> seconds;
  for (int seed = 1; seed <= measured.seeds; ++seed) {
    const SearchResult& result = results_.at(key_of(wanted, seed));
    runs.push_back(static_cast<double>(result.executions));
    seconds.push_back(result.seconds);
    measured.complete |= result.complete;
    if (result.bug == wanted.subject.kind) ++measured.found;
    if (result.found() && result.bug != wanted.subject.kind) measured.other_bug = result.bug;
    if (seed > 1) continue;
    measured.first_part = result.first_part;
    measured.steps = static_cast<double>(result.steps) / std::max(1.0, runs.back());
  }
  measured.runs = median(runs);
  measured.seconds = median(seconds);
  return measured;
}

}  // namespace ricercar::bench
