// What best-first search explores: all executions, those with so many preemptions, or what is left
// of them by partial-order reduction.
#pragma once

#include <charconv>
#include <cstdint>
#include <string>

#include "base/error.h"
#include "strategy/decision_points.h"

namespace ricercar::inline strategy {

struct SearchSpace {
  bool reduces = false;
  // ... by persistent sets (Flanagan, Godefroid, Dynamic Partial-Order Reduction for Model Checking
  // Software, POPL 2005); otherwise by source sets.
  bool is_persistent = false;
  bool is_bounded = false;
  std::uint64_t bound = ~std::uint64_t{0};  // of preemptions

  std::string promise() const {
    if (reduces) return "every Mazurkiewicz trace";
    if (!is_bounded) return "every execution";
    return "every execution with at most " + preemptions_text(bound);
  }

  // The part of the space that an execution is, if at every point each decision leads to equally
  // much: the probability of the execution, for an estimate as Knuth's (Mathematics of Computation
  // 29, 1975). The space of the reduction has no such shape.
  template <typename Level>
  double share_of(const DecisionPoints<Level>& points) const {
    double share = 1;
    for (const DecisionPoint& point : points) {
      const bool is_free = point.running == DecisionPoint::nobody || point.preemptions < bound;
      if (is_free) share /= point.options;
    }
    return share;
  }
};

inline SearchSpace search_space(const std::string& text) {
  if (text == "dpor") return {.reduces = true};
  if (text == "persistent") return {.reduces = true, .is_persistent = true};
  if (text == "all") return {};
  SearchSpace space{.is_bounded = true};
  const char* end = text.data() + text.size();
  if (text.starts_with("pb=")) {
    const auto result = std::from_chars(text.data() + 3, end, space.bound);
    if (result.ec == std::errc() && result.ptr == end) return space;
  }
  throw UsageError("there is no space '" + text +
                   "': space=dpor, space=persistent, space=pb=N and space=all are");
}

}  // namespace ricercar::inline strategy
