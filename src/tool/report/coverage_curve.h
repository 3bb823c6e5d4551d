// How the number of pairs grew from execution to execution. Safe to call from any thread.
#pragma once

#include <cstddef>

#include "report/coverage_sets.h"

namespace ricercar::inline report {

// The most entries of CoverageSets::added that are stored.
inline constexpr std::size_t stored_curve_limit = 100000;

// How many executions an entry of `added` stands for: the smallest power of two with which the
// entries reach to the last execution. The last entry may stand for fewer.
std::uint64_t executions_per_entry(const CoverageSets& sets);

// Adds up neighbours, two by two, until there are at most `limit` entries.
void sum_neighbours(std::vector<std::uint64_t>& added, std::size_t limit);

class CoverageCurve {
 public:
  explicit CoverageCurve(const CoverageSets& sets);

  std::uint64_t executions() const { return executions_; }
  // How many pairs the first so many executions have seen.
  std::uint64_t pairs_after(std::uint64_t executions) const;

 private:
  std::uint64_t executions_;
  std::uint64_t width_;
  std::vector<std::uint64_t> sums_;  // of the first 0, 1, 2, ... entries
};

}  // namespace ricercar::inline report
