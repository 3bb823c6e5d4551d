// Hand-made sets for tests: a queue with one pair never seen, and sets of any size.
#pragma once

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "report/coverage_sets.h"

namespace ricercar::inline report {

inline CoverageSets example_sets() {
  CoverageSets sets;
  sets.program = "queue_test";
  sets.executions = 40;
  sets.statements = {{"queue.cc:41", {"main.cc:12", "main.cc:30"}},
                     {"queue.cc:60", {}},
                     {"queue.cc:62", {"main.cc:14"}},
                     {"push+0x1c", {}}};
  sets.pairs = {{1, 0, false, 120, 1}, {0, 1, true, 37, 2}, {2, 0, false, 1, 9},
                {0, 2, true, 0, 0},    {3, 1, true, 1, 4},  {1, 3, false, 2000, 1},
                {3, 2, true, 0, 0},    {2, 2, false, 40, 1}};
  sets.added.assign(40, 0);
  sets.added[0] = 3;
  sets.added[1] = 1;
  sets.added[3] = 1;
  sets.added[8] = 1;
  return sets;
}

// One execution saw each pair; all statements are in one file.
inline CoverageSets sets_of_size(std::uint32_t statements, std::uint32_t pairs) {
  CoverageSets sets;
  sets.program = "large";
  sets.executions = pairs;
  for (std::uint32_t i = 0; i < statements; ++i) {
    sets.statements.push_back({"large.cc:" + std::to_string(i + 1), {"main.cc:1", "main.cc:2"}});
  }
  for (std::uint32_t i = 0; i < pairs; ++i) {
    sets.pairs.push_back({i % statements, i / statements, i % 3 == 0, i + 1, i + 1});
  }
  sets.added.assign(pairs, 1);
  return sets;
}

// A pair as texts, so that sets with different numbers can be compared.
struct PairText {
  CoverageStatement later;
  CoverageStatement earlier;
  bool later_is_local = false;
  std::uint64_t count = 0;

  bool operator==(const PairText&) const = default;
  bool operator<(const PairText& other) const {
    return std::tie(later, earlier, later_is_local, count) <
           std::tie(other.later, other.earlier, other.later_is_local, other.count);
  }
};

inline std::vector<PairText> content_of(const CoverageSets& sets) {
  std::vector<PairText> result;
  for (const CoveragePair& pair : sets.pairs) {
    result.push_back({sets.statements[pair.later], sets.statements[pair.earlier],
                      pair.later_is_local, pair.count});
  }
  std::sort(result.begin(), result.end());
  return result;
}

}  // namespace ricercar::inline report
