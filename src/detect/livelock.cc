#include "detect/livelock.h"

#include <algorithm>

namespace ricercar::inline detect {
namespace {

constexpr std::uint64_t min_repetitions = 16;
constexpr std::uint64_t max_period = 1 << 14;

bool same(const Step& a, const Step& b) {
  return a.task == b.task && a.kind == b.kind && a.site == b.site && a.object == b.object &&
         a.value == b.value;
}

}  // namespace

bool ends_with_rounds(Trace trace, std::uint64_t period, std::uint64_t times) {
  const std::uint64_t end = trace.size();
  const std::uint64_t length = period * times;
  if (length > end) return false;
  for (std::uint64_t i = 1; i <= length - period; ++i) {
    if (!same(trace[end - i], trace[end - i - period])) return false;
  }
  return true;
}

std::uint64_t find_repetition(Trace trace) {
  const std::uint64_t longest = std::min(max_period, trace.size() / min_repetitions);
  for (std::uint64_t period = 1; period <= longest; ++period) {
    if (ends_with_rounds(trace, period, min_repetitions)) return period;
  }
  return 0;
}

}  // namespace ricercar::inline detect
