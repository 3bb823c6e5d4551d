// Preemptions as a cost: the task that ran goes on, and letting another one run in its place costs
// one. Everything else is free.
#pragma once

#include "strategy/decision_stack.h"
#include "strategy/delaying/guide.h"

namespace ricercar::inline strategy {

class PreemptionGuide final : public Guide {
 public:
  std::unique_ptr<Guide> copy() const override { return std::make_unique<PreemptionGuide>(*this); }
  void enter(const State& state) override { running_ = state.running; }
  void resume() override {}
  // The default option first, the others in their order.
  std::uint32_t option(const ChoicePoint& point, std::uint32_t alternative) override {
    const std::uint32_t first = default_option(point);
    if (alternative == 0) return first;
    return alternative <= first ? alternative - 1 : alternative;
  }
  std::uint64_t cost(const ChoicePoint& point, std::uint32_t alternative) const override {
    return alternative != 0 && can_preempt(point) ? 1 : 0;
  }
  // Whom it costs to leave. With it in the cache no state is taken for one that was cheaper.
  std::uint64_t identity() const override { return 1 + std::uint64_t{index(running_)}; }
  std::size_t bytes() const override { return sizeof(*this); }

 private:
  TaskId running_ = no_task;
};

}  // namespace ricercar::inline strategy
