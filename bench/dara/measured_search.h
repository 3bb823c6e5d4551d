// A search of a cluster inside of this process, with a clock at every decision. It is what the
// coordinator of `ricercar run --nodes` does, without limits and reports. Not thread-safe, and one
// at a time: the nodes' memory has a fixed address.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace ricercar::bench {

struct MeasuredPath {
  std::string bug;  // the kind; empty: none
  std::uint64_t steps = 0;
  double seconds = 0;      // with the restart before it
  std::size_t states = 0;  // distinct ones, of all paths so far
};

struct MeasuredSearch {
  std::vector<MeasuredPath> paths;
  std::vector<double> decisions;  // seconds that each one took, in ascending order

  double seconds_of_a_path() const;  // the median
  // Of paths that do much the same: one of ten is faster. On a shared machine the rest is noise.
  double seconds_of_a_fast_path() const;
  double steps_of_a_path() const;  // the average
  // Decisions: the share of them is not slower than that.
  double decision_at(double share) const;

 private:
  double seconds_at(double share) const;
};

struct MeasuredRequest {
  std::filesystem::path cluster;  // the file
  std::string strategy = "random";
  std::uint64_t paths = 50;
  std::uint64_t steps = 5000;         // of a path at most
  bool counts_states = false;         // blocks are noted, whatever the strategy wants
  std::filesystem::path output = {};  // a folder for what the nodes write; empty: it is lost
};

// Throws std::runtime_error if a node cannot go on.
MeasuredSearch measure_search(const MeasuredRequest& request);

}  // namespace ricercar::bench
