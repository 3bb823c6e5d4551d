// What the benchmarks of this suite share: one search with the tool, and what came of it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace ricercar::bench {

struct SearchLimits {
  std::uint64_t executions = 0;
  double seconds = 0;
};

struct SearchRequest {
  std::string unit_test;
  std::string argument;  // the bug, or `fixed`
  std::string strategy;
  int seed = 1;
  SearchLimits limits;
};

struct SearchResult {
  std::string bug;  // the kind; empty: none was found
  std::uint64_t executions = 0;
  double seconds = 0;
  std::uint64_t steps = 0;
  bool complete = false;
  std::string coverage;

  bool found() const { return !bug.empty(); }
};

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
