// Where two executions part, for the page that shows both.
#include <algorithm>

#include "report/html.h"

namespace ricercar::inline report {
namespace {

bool is_same_row(const ReportStep& x, const ReportStep& y) {
  return x.lane == y.lane && x.what == y.what && x.number == y.number &&
         x.is_outcome == y.is_outcome && x.place.frame.line == y.place.frame.line;
}

// The first step with this number or a later one.
std::size_t index_of_number(const Report& report, std::uint64_t number) {
  const auto found = std::find_if(report.all_steps.begin(), report.all_steps.end(),
                                  [&](const ReportStep& step) { return step.number >= number; });
  return static_cast<std::size_t>(found - report.all_steps.begin());
}

}  // namespace

std::size_t last_chance_in(const Report& failing) {
  const std::uint64_t number = failing.last_chance ? failing.last_chance->number : 0;
  return number == 0 ? failing.all_steps.size() : index_of_number(failing, number);
}

Parting parting_of(const Report& failing, const Report& passing) {
  if (const std::size_t known = last_chance_in(failing); known < failing.all_steps.size()) {
    return {known, index_of_number(passing, failing.last_chance->number)};
  }
  const auto parted =
      std::mismatch(failing.all_steps.begin(), failing.all_steps.end(), passing.all_steps.begin(),
                    passing.all_steps.end(), is_same_row);
  const auto common = static_cast<std::size_t>(parted.first - failing.all_steps.begin());
  return {common, common};
}

}  // namespace ricercar::inline report
