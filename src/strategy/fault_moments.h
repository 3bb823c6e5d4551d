// When things go wrong in a sampled execution: at any of its choices with about the same
// probability. An option like all others would be taken within the first few choices, and nothing
// would ever go wrong later.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/random.h"
#include "model/choice.h"

namespace ricercar::inline strategy {

class FaultMoments {
 public:
  void begin() { choice_ = 0; }
  // How many choices there are follows the executions so far.
  void end() {
    const std::uint64_t length = std::max<std::uint64_t>(choice_, 1);
    expected_ = length >= expected_ ? length : expected_ - (expected_ - length + 15) / 16;
  }

  // Whether something goes wrong now. To be asked at every schedule point.
  bool is_now(const ChoicePoint& point, Random& random) {
    ++choice_;
    if (point.fault.option == FaultOption::none) [[likely]]
      return false;
    const std::uint64_t to_come = expected_ > choice_ ? expected_ - choice_ : 0;
    const std::uint64_t out_of = std::min<std::uint64_t>(to_come + 1 + point.fault.left, most);
    return random.below(static_cast<std::uint32_t>(out_of)) < point.fault.left;
  }

 private:
  static constexpr std::uint64_t most = 0xffffffff;

  std::uint64_t choice_ = 0;     // so many of this execution so far
  std::uint64_t expected_ = 50;  // so many in all
};

// One of all options but that one.
inline std::uint32_t any_but(std::uint32_t left_out, std::uint32_t size, Random& random) {
  const std::uint32_t drawn = random.below(size - 1);
  return drawn < left_out ? drawn : drawn + 1;
}

}  // namespace ricercar::inline strategy
