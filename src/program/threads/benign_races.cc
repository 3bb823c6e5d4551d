#include "threads/benign_races.h"

#include <algorithm>
#include <vector>

#include "threads/execution.h"

namespace ricercar::inline threads {
namespace {

struct Range {
  std::uint64_t from;
  std::uint64_t to;
};

struct Annotations {
  std::vector<Range> ranges;
  std::size_t lasting = 0;  // the first ranges hold for all executions
  bool are_reports_enabled = true;
  bool stay_enabled = true;  // outside of executions
};

Annotations& annotations() {
  static Annotations result;
  return result;
}

}  // namespace

void benign_races_begin_execution() {
  Annotations& all = annotations();
  all.ranges.resize(all.lasting);
  all.are_reports_enabled = all.stay_enabled;
}

void add_benign_race(std::uint64_t address, std::uint64_t size) {
  Annotations& all = annotations();
  const bool lasts = !controlled();
  if (lasts) all.ranges.resize(all.lasting);
  const Range range{address, address + std::max<std::uint64_t>(size, 1)};
  const auto is_same = [&](const Range& known) {
    return known.from == range.from && known.to == range.to;
  };
  if (std::none_of(all.ranges.begin(), all.ranges.end(), is_same)) all.ranges.push_back(range);
  if (lasts) all.lasting = all.ranges.size();
}

void enable_race_reports(bool are_enabled) {
  annotations().are_reports_enabled = are_enabled;
  if (!controlled()) annotations().stay_enabled = are_enabled;
}

bool is_benign_race(std::uint64_t address, std::uint64_t size) {
  const Annotations& all = annotations();
  return !all.are_reports_enabled ||
         std::any_of(all.ranges.begin(), all.ranges.end(), [&](const Range& range) {
           return address < range.to && range.from < address + size;
         });
}

}  // namespace ricercar::inline threads
