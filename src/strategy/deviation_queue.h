// A first-in first-out queue of executions, each as its deviations from the default decisions: a
// few bytes for one that deviates a few times, however long it is.
#pragma once

#include <cstdint>
#include <vector>

#include "strategy/number_queue.h"

namespace ricercar::inline strategy {

// A decision other than the default: at which choice point, and which option.
struct Deviation {
  std::uint32_t depth;
  std::uint32_t chosen;
};

// The choice points from start() to before `end` of the execution with these deviations, which has
// the default decision at each of them. There is at least one.
struct DeviationItem {
  std::vector<Deviation> deviations;  // by ascending depth
  std::uint32_t end = 0;
  std::uint32_t options = 0;  // the number of options of the last of the points

  std::uint32_t start() const { return deviations.empty() ? 0 : deviations.back().depth + 1; }
};

class DeviationQueue {
 public:
  void push(const DeviationItem& item) {
    numbers_.push(static_cast<std::uint32_t>(item.deviations.size()));
    std::uint32_t depth = 0;
    for (const Deviation& deviation : item.deviations) {
      numbers_.push(deviation.depth - depth);
      numbers_.push(deviation.chosen);
      depth = deviation.depth;
    }
    numbers_.push(item.end - item.start());
    numbers_.push(item.options);
  }

  // Reads into `item` so that its memory is used again.
  void pop(DeviationItem& item) {
    item.deviations.resize(numbers_.pop());
    std::uint32_t depth = 0;
    for (Deviation& deviation : item.deviations) {
      deviation.depth = depth += numbers_.pop();
      deviation.chosen = numbers_.pop();
    }
    item.end = item.start() + numbers_.pop();
    item.options = numbers_.pop();
  }

  std::uint64_t bytes() const { return numbers_.bytes(); }
  void clear() { numbers_.clear(); }

 private:
  NumberQueue numbers_;
};

}  // namespace ricercar::inline strategy
