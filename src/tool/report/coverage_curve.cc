#include "report/coverage_curve.h"

#include <algorithm>

#include "base/check.h"

namespace ricercar::inline report {

std::uint64_t executions_per_entry(const CoverageSets& sets) {
  std::uint64_t width = 1;
  if (sets.added.empty()) return width;
  while ((sets.executions - 1) / width >= sets.added.size() && width <= sets.executions) width *= 2;
  return width;
}

void sum_neighbours(std::vector<std::uint64_t>& added, std::size_t limit) {
  RICERCAR_CHECK(limit > 0);
  while (added.size() > limit) {
    for (std::size_t i = 0; i < added.size(); i += 2) {
      added[i / 2] = added[i] + (i + 1 < added.size() ? added[i + 1] : 0);
    }
    added.resize((added.size() + 1) / 2);
  }
}

CoverageCurve::CoverageCurve(const CoverageSets& sets)
    : executions_(sets.executions), width_(executions_per_entry(sets)), sums_{0} {
  for (const std::uint64_t added : sets.added) sums_.push_back(sums_.back() + added);
}

std::uint64_t CoverageCurve::pairs_after(std::uint64_t executions) const {
  if (executions >= executions_) return sums_.back();
  return sums_[std::min<std::uint64_t>(executions / width_, sums_.size() - 1)];
}

}  // namespace ricercar::inline report
