// The strategy of `ricercar record`: each task goes on until it waits, then the next one in turn
// does, and nothing goes wrong on purpose.
#pragma once

#include "strategy/strategy.h"

namespace ricercar::inline nodes {

class OrdinaryExecution final : public Strategy {
 public:
  bool begin() override { return true; }

  std::size_t choose(const ChoicePoint& point) override {
    if (point.kind == ChoiceKind::value) return 0;
    if (point.running != no_task) return point.options.position(point.running);
    std::size_t chosen = first_after(point, last_);
    if (chosen == none) chosen = first_after(point, -1);
    last_ = index(point.options.task(static_cast<std::uint32_t>(chosen)));
    return chosen;
  }

  void end(Trace, const Outcome&) override {}
  Coverage coverage() const override { return {false, "one execution"}; }

 private:
  static constexpr std::size_t none = ~std::size_t{0};

  static std::size_t first_after(const ChoicePoint& point, std::int64_t last) {
    for (std::uint32_t i = 0; i < point.options.size(); ++i) {
      const bool is_fault = i == point.fault.option;
      if (!is_fault && std::int64_t{index(point.options.task(i))} > last) return i;
    }
    return none;
  }

  std::int64_t last_ = -1;
};

}  // namespace ricercar::inline nodes
