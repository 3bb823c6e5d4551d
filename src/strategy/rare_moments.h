// When a sampled execution takes options of which there is only a budget: what lets something go
// wrong, and time limits that pass early. Options like all others would be taken within the first
// few choices, and nothing would ever happen later. So they have their moments instead:
//
// - in every other execution each choice is as likely a moment as any other;
// - in the rest each kind of step is as likely as any other to be the one before: what is done
//   seldom counts as much as what is done all the time (signs of life, polling), and most windows
//   in which something may go wrong are behind what is done seldom;
// - every other time the next moment comes after a distance whose order of magnitude is drawn:
//   often soon, because what belongs together (a crash and the restart, two elections) does.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <unordered_map>

#include "base/random.h"
#include "model/choice.h"

namespace ricercar::inline strategy {

// Neither a fault nor early.
inline bool is_common(const ChoicePoint& point, TaskId task, std::uint32_t option) {
  return option != point.fault.option &&
         (point.early.tasks == nullptr || !point.early.tasks->contains(task));
}

// One of the common options.
inline std::uint32_t any_common(const ChoicePoint& point, Random& random) {
  std::uint32_t drawn = 0, seen = 0;
  point.options.for_each([&](const Option& option, std::uint32_t i) {
    if (is_common(point, option.task, i) && random.below(++seen) == 0) drawn = i;
  });
  return drawn;
}

// How the moments of one budget come.
class Moments {
 public:
  void begin() { next_ = 0; }

  // `share`: of what is still to come, this choice included, that belongs to this choice.
  bool is_now(std::uint64_t choice, std::uint64_t to_come, double share, std::uint32_t left,
              Random& random) {
    constexpr std::uint32_t all = 1 << 24;
    const bool is_planned = next_ != 0;
    const double chance = left * share / (1 + left * share);
    const bool is_here = is_planned ? choice >= next_ : random.below(all) < chance * all;
    if (is_here) plan(choice, to_come, random);
    return is_here;
  }

 private:
  void plan(std::uint64_t choice, std::uint64_t to_come, Random& random) {
    next_ = 0;
    if (random.below(2) == 0) return;
    const auto magnitudes = static_cast<std::uint32_t>(std::bit_width(to_come));
    const std::uint32_t distance = 1u << std::min(random.below(magnitudes + 1), 30u);
    next_ = choice + distance + random.below(distance);
  }

  std::uint64_t next_ = 0;  // the choice that was planned; 0: none
};

class RareMoments {
 public:
  static constexpr std::uint32_t none = FaultOption::none;

  void begin() {
    choice_ = 0;
    weight_ = 0;
    faults_.begin();
    early_.begin();
    has_begun_ = false;
  }
  // How many choices there are, and what they weigh, follows the executions so far.
  void end() {
    const std::uint64_t length = std::max<std::uint64_t>(choice_, 1);
    expected_ = length >= expected_ ? length : expected_ - (expected_ - length + 15) / 16;
    if (!is_used_) return;
    ++executions_;
    expected_weight_ += weight_ >= expected_weight_ ? weight_ - expected_weight_
                                                    : (weight_ - expected_weight_) / 16;
  }

  // The option whose moment has come, or none. To be asked at every schedule point.
  std::uint32_t drawn(const ChoicePoint& point, Random& random) {
    ++choice_;
    const bool has_fault = point.fault.option != none;
    const bool has_early = point.early.tasks != nullptr;
    if (!has_fault && !has_early && !is_used_) [[likely]]
      return none;
    is_used_ = true;
    const double own = weight_of(point.trace);
    weight_ += own;
    if (!has_fault && !has_early) return none;
    if (!has_begun_) prefers_seldom_ = random.below(2) == 0;
    has_begun_ = true;
    const double share = prefers_seldom_ ? own / (std::max(expected_weight_ - weight_, 0.0) + own)
                                         : 1.0 / static_cast<double>(to_come() + 1);
    if (has_fault && faults_.is_now(choice_, to_come(), share, point.fault.left, random)) {
      return point.fault.option;
    }
    if (has_early && early_.is_now(choice_, to_come(), share, point.early.left, random)) {
      return any_early(point, random);
    }
    return none;
  }

 private:
  std::uint64_t to_come() const { return expected_ > choice_ ? expected_ - choice_ : 0; }

  // All choices behind one kind of step weigh 1 in an average execution.
  double weight_of(Trace trace) {
    const Step last = trace.empty() ? Step{} : trace.back();
    std::uint64_t& times = times_[mix64(last.site + static_cast<std::uint64_t>(last.kind))];
    ++times;
    return std::min(1.0, static_cast<double>(executions_ + 1) / static_cast<double>(times));
  }

  static std::uint32_t any_early(const ChoicePoint& point, Random& random) {
    std::uint32_t drawn = none, seen = 0;
    point.options.for_each([&](const Option& option, std::uint32_t i) {
      if (point.early.tasks->contains(option.task) && random.below(++seen) == 0) drawn = i;
    });
    return drawn;
  }

  std::uint64_t choice_ = 0;     // so many of this execution so far
  std::uint64_t expected_ = 50;  // so many in all
  bool is_used_ = false;         // some choice had rare options
  bool has_begun_ = false;       // likewise, of this execution
  bool prefers_seldom_ = false;  // this execution
  double weight_ = 0;            // of its choices so far
  double expected_weight_ = 1;   // of all of them
  std::uint64_t executions_ = 0;
  std::unordered_map<std::uint64_t, std::uint64_t> times_;  // by kind of step, in all executions
  Moments faults_, early_;
};

}  // namespace ricercar::inline strategy
