// What a search that learns has seen: which statement came right after which on the same object, in
// another thread (HaPSet; C. Wang, M. Said, A. Gupta, Coverage Guided Systematic Concurrency
// Testing, ICSE 2011). Plain data that outlives the program and its builds, as far as files and
// lines do.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

namespace ricercar::inline report {

struct CoverageStatement {
  // "queue.cc:41", as reports write files; without debug information "push+0x1c".
  std::string place;
  std::vector<std::string> calls;  // the places it was called from, innermost first

  bool operator==(const CoverageStatement&) const = default;
  bool operator<(const CoverageStatement& other) const {
    return std::tie(place, calls) < std::tie(other.place, other.calls);
  }
};

// On some object the statement `later` came right after `earlier`, which another thread executed.
struct CoveragePair {
  std::uint32_t later = 0;  // indices into CoverageSets::statements
  std::uint32_t earlier = 0;
  // The thread of `later` has the smaller number: later is the local one, earlier the remote one.
  // Otherwise it is the other way round.
  bool later_is_local = false;
  // 0: never seen, but it looks possible, because the two were seen the other way round without
  // anything that forces it.
  std::uint64_t count = 0;
  // The execution that saw it first, counted from 1 over the history of the sets; 0: none has.
  std::uint64_t first_execution = 0;

  bool operator==(const CoveragePair&) const = default;
};

struct CoverageSets {
  std::string program;        // the file name of the program, without folders
  std::uint32_t context = 5;  // calls in a statement
  std::uint64_t executions = 0;
  std::vector<CoverageStatement> statements;
  std::vector<CoveragePair> pairs;
  // How many pairs each execution saw as the first one, in order. Where there are fewer entries
  // than executions, neighbours were summed up: see coverage_curve.h.
  std::vector<std::uint64_t> added;

  bool operator==(const CoverageSets&) const = default;
};

}  // namespace ricercar::inline report
