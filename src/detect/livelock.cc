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

bool goes_round_from(Trace trace, std::uint64_t step, std::uint64_t period) {
  if (step < period) return false;
  for (std::uint64_t i = trace.size(); i-- > step;) {
    if (!same(trace[i], trace[i - period])) return false;
  }
  return true;
}

std::uint64_t find_repetition(Trace trace) {
  const std::uint64_t longest = std::min(max_period, trace.size() / min_repetitions);
  for (std::uint64_t period = 1; period <= longest; ++period) {
    const std::uint64_t rounds = (min_repetitions - 1) * period;
    if (goes_round_from(trace, trace.size() - rounds, period)) return period;
  }
  return 0;
}

std::uint64_t first_round(Trace trace, std::uint64_t period) {
  std::uint64_t step = trace.size() - period;
  while (step > 0 && same(trace[step - 1], trace[step - 1 + period])) --step;
  return step;
}

}  // namespace ricercar::inline detect
