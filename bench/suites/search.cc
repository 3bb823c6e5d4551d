#include "suites/search.h"

#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "support/process.h"

namespace ricercar::bench {

namespace fs = std::filesystem;

std::vector<std::string> lines_of(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty() && line[0] != '#') lines.push_back(line);
  }
  return lines;
}

Searcher::Searcher(std::string tool, fs::path programs, fs::path work)
    : tool_(std::move(tool)), programs_(fs::absolute(programs)), work_(fs::absolute(work)) {
  fs::remove_all(work_);
  fs::create_directories(work_);
}

SearchResult Searcher::search(const SearchRequest& request) const {
  test::Command command;
  command.words = {tool_,
                   "run",
                   "--quiet",
                   "--json",
                   "summary.json",
                   "--strategy",
                   request.strategy,
                   "--seed",
                   std::to_string(request.seed),
                   "--no-minimise",
                   "--past-race",
                   "0",
                   "--executions",
                   std::to_string(request.limits.executions)};
  const auto add = [&](const std::vector<std::string>& words) {
    command.words.insert(command.words.end(), words.begin(), words.end());
  };
  if (request.limits.is_processor_time) {
    command.processor_seconds = request.limits.seconds;
  } else {
    add({"--time", std::to_string(request.limits.seconds)});
  }
  if (request.cores != 0) add({"--cores", std::to_string(request.cores)});
  if (!request.points.empty()) add({"--points", request.points});
  if (request.steps != 0) add({"--steps", std::to_string(request.steps)});
  add(request.options);
  add({request.is_cluster ? "--nodes" : "--", programs_ / request.program});
  add(request.arguments);
  command.folder = work_;
  // However busy the machine is.
  command.timeout_seconds =
      (request.limits.is_processor_time ? 100 : 10) * request.limits.seconds + 60;
  fs::remove(work_ / "summary.json");
  const test::Finished finished = test::run(command);
  constexpr int exit_bug = 1;
  constexpr int exit_no_verdict = 2;     // if there is a summary: no execution came to its end
  constexpr int exit_interrupted = 130;  // its processor time was over
  const bool has_verdict = finished.status == 0 || finished.status == exit_bug;
  const bool has_ended = finished.status == exit_no_verdict || finished.status == exit_interrupted;
  const bool has_none = has_ended && fs::exists(work_ / "summary.json");
  if (!has_verdict && !has_none) throw std::runtime_error(test::describe(command, finished));
  std::ifstream file(work_ / "summary.json");
  const auto json = nlohmann::json::parse(file);
  SearchResult result;
  result.executions = json["executions"];
  result.seconds = json["seconds"];
  result.steps = json["steps"];
  result.most_steps = json["most_steps"];
  result.most_tasks = json["most_tasks"];
  result.complete = json["complete"];
  result.coverage = json["coverage"];
  result.first_part = json.value("first_part", std::uint64_t{0});
  result.transitions = json.value("transitions", std::uint64_t{0});
  for (const auto& stratum : json.value("strata", nlohmann::json::array())) {
    result.states = stratum["states"];
    result.strata.push_back(
        {stratum.value("delays", stratum.value("preemptions", std::uint64_t{0})),
         stratum["new_states"], stratum["frontier"], stratum["samples"], stratum["seconds"]});
  }
  if (!json["bugs"].empty()) {
    result.bug = json["bugs"][0]["kind"];
    result.executions = json["bugs"][0]["execution"];
    result.bug_steps = json["bugs"][0]["steps"];
  }
  return result;
}

}  // namespace ricercar::bench
