// What the benchmarks of the suites share: one search with the tool, and what came of it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace ricercar::bench {

struct SearchLimits {
  std::uint64_t executions = 0;
  double seconds = 0;
  bool is_processor_time = false;  // of all its processes together
};

struct SearchRequest {
  std::string program;
  std::vector<std::string> arguments;
  std::string strategy;
  int seed = 1;
  SearchLimits limits;
  int cores = 0;            // 0: all of them
  std::string points = {};  // where threads may be switched; empty: the tool's default
  bool is_cluster = false;  // `program` is the file of a cluster of nodes
  std::uint64_t steps = 0;  // of one execution at most; 0: the tool's default
  std::vector<std::string> options = {};  // more of them; they come last
};

struct StratumFigures {
  std::uint64_t cost = 0;  // delays or preemptions
  std::uint64_t new_states = 0;
  std::uint64_t frontier = 0;
  std::uint64_t samples = 0;
  double seconds = 0;
};

struct SearchResult {
  std::string bug;  // the kind; empty: none was found
  std::uint64_t executions = 0;
  double seconds = 0;
  std::uint64_t steps = 0;
  bool complete = false;
  std::uint64_t first_part = 0;  // executions until the first of two parts had ended
  std::string coverage;
  std::uint64_t bug_steps = 0;    // of the execution that shows the bug
  std::uint64_t states = 0;       // that a search with strata has seen
  std::uint64_t transitions = 0;  // of machines
  std::uint64_t most_steps = 0;   // of one execution
  std::uint32_t most_tasks = 0;   // likewise
  std::vector<StratumFigures> strata;

  bool found() const { return !bug.empty(); }
};

// The lines of a suite's list, without comments and empty ones.
std::vector<std::string> lines_of(const std::string& path);

// Runs the tool on the programs of one folder; what it leaves behind goes to another one.
class Searcher {
 public:
  Searcher(std::string tool, std::filesystem::path programs, std::filesystem::path work);
  SearchResult search(const SearchRequest& request) const;

 private:
  std::string tool_;
  std::filesystem::path programs_;
  std::filesystem::path work_;
};

}  // namespace ricercar::bench
