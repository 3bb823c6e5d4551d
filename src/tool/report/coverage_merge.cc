#include "report/coverage_merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "base/error.h"
#include "report/coverage_curve.h"

namespace ricercar::inline report {
namespace {

void require_alike(const CoverageSets& a, const CoverageSets& b, const MergeOptions& options) {
  if (a.program != b.program && !options.force) {
    throw UsageError(
        fmt::format("the sets are of two programs, '{}' and '{}'; if that is what you want, merge "
                    "them with --force",
                    a.program, b.program));
  }
  if (a.context != b.context) {
    throw UsageError(fmt::format(
        "the sets of '{}' tell statements apart by {} calls and those of '{}' by {}, so they have "
        "nothing in common; learn both with the same context=N",
        a.program, a.context, b.program, b.context));
  }
}

// Numbers statements by their texts.
class Numbering {
 public:
  explicit Numbering(std::vector<CoverageStatement>& statements) : statements_(statements) {}

  // The new number of each of `statements`.
  std::vector<std::uint32_t> add(const std::vector<CoverageStatement>& statements) {
    std::vector<std::uint32_t> numbers;
    numbers.reserve(statements.size());
    for (const CoverageStatement& statement : statements) numbers.push_back(number(statement));
    return numbers;
  }

 private:
  std::uint32_t number(const CoverageStatement& statement) {
    const auto next = static_cast<std::uint32_t>(statements_.size());
    const auto [found, is_new] = known_.try_emplace(statement, next);
    if (is_new) statements_.push_back(statement);
    return found->second;
  }

  std::vector<CoverageStatement>& statements_;
  std::map<CoverageStatement, std::uint32_t> known_;
};

auto key_of(const CoveragePair& pair) {
  return std::tie(pair.later, pair.earlier, pair.later_is_local);
}

void add_pairs(std::vector<CoveragePair>& pairs, const CoverageSets& sets,
               const std::vector<std::uint32_t>& numbers, std::uint64_t executions_before) {
  for (CoveragePair pair : sets.pairs) {
    pair.later = numbers.at(pair.later);
    pair.earlier = numbers.at(pair.earlier);
    if (pair.count > 0) pair.first_execution += executions_before;
    pairs.push_back(pair);
  }
}

// The result may have a longer curve than is stored, but not as long as executions can be counted.
constexpr std::uint64_t curve_limit = std::uint64_t{1} << 24;

std::uint64_t width_of_both(const CoverageSets& a, const CoverageSets& b) {
  std::uint64_t width = std::max(executions_per_entry(a), executions_per_entry(b));
  while ((a.executions + b.executions) / width > curve_limit) width *= 2;
  return width;
}

// The curve of a result whose entries stand for `width` executions each.
class Curve {
 public:
  Curve(std::uint64_t executions, std::uint64_t width)
      : width_(width), added_((executions + width - 1) / width) {}

  void append(const CoverageSets& sets, std::uint64_t executions_before) {
    const std::uint64_t width = executions_per_entry(sets);
    for (std::size_t i = 0; i < sets.added.size(); ++i) {
      if (sets.added[i] > 0) entry(executions_before + i * width) += sets.added[i];
    }
  }
  // What `execution`, counted from 1, saw was not new.
  void take_back(std::uint64_t execution) {
    const std::uint64_t index = (execution - 1) / width_;
    if (index < added_.size() && added_[index] > 0) --added_[index];
  }
  std::vector<std::uint64_t> take() { return std::move(added_); }

 private:
  std::uint64_t& entry(std::uint64_t executions_before) {
    const std::uint64_t index = executions_before / width_;
    if (index >= added_.size()) added_.resize(index + 1);
    return added_[index];
  }

  std::uint64_t width_;
  std::vector<std::uint64_t> added_;
};

// Makes one pair of each run of equal ones in the sorted list.
void unite(std::vector<CoveragePair>& pairs, Curve& curve) {
  std::size_t size = 0;
  for (const CoveragePair& pair : pairs) {
    if (size == 0 || key_of(pairs[size - 1]) != key_of(pair)) {
      pairs[size++] = pair;
      continue;
    }
    CoveragePair& united = pairs[size - 1];
    if (united.count == 0) united.first_execution = pair.first_execution;
    if (united.count > 0 && pair.count > 0) curve.take_back(pair.first_execution);
    united.count += pair.count;
  }
  pairs.resize(size);
}

}  // namespace

CoverageSets merge(const CoverageSets& a, const CoverageSets& b, const MergeOptions& options) {
  require_alike(a, b, options);
  CoverageSets result;
  result.program = a.program;
  result.context = a.context;
  result.executions = a.executions + b.executions;
  Numbering numbering(result.statements);
  result.pairs.reserve(a.pairs.size() + b.pairs.size());
  add_pairs(result.pairs, a, numbering.add(a.statements), 0);
  add_pairs(result.pairs, b, numbering.add(b.statements), a.executions);
  std::sort(result.pairs.begin(), result.pairs.end(),
            [](const CoveragePair& left, const CoveragePair& right) {
              return std::tuple_cat(key_of(left), std::tie(left.first_execution)) <
                     std::tuple_cat(key_of(right), std::tie(right.first_execution));
            });
  Curve curve(result.executions, width_of_both(a, b));
  curve.append(a, 0);
  curve.append(b, a.executions);
  unite(result.pairs, curve);
  result.added = curve.take();
  return result;
}

}  // namespace ricercar::inline report
