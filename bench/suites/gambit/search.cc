#include "suites/gambit/search.h"

#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "support/process.h"

namespace ricercar::bench {

namespace fs = std::filesystem;

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
                   "--executions",
                   std::to_string(request.limits.executions),
                   "--time",
                   std::to_string(request.limits.seconds),
                   "--",
                   programs_ / request.unit_test,
                   request.argument};
  command.folder = work_;
  command.timeout_seconds = 10 * request.limits.seconds + 60;
  fs::remove(work_ / "summary.json");
  const test::Finished finished = test::run(command);
  constexpr int exit_bug = 1;
  if (finished.status != 0 && finished.status != exit_bug) {
    throw std::runtime_error(test::describe(command, finished));
  }
  std::ifstream file(work_ / "summary.json");
  const auto json = nlohmann::json::parse(file);
  SearchResult result{
      {}, json["executions"], json["seconds"], json["steps"], json["complete"], json["coverage"]};
  if (!json["bugs"].empty()) {
    result.bug = json["bugs"][0]["kind"];
    result.executions = json["bugs"][0]["execution"];
  }
  return result;
}

}  // namespace ricercar::bench
