#include "model/trace_hash.h"

#include <gtest/gtest.h>

#include <vector>

namespace ricercar::inline model {
namespace {

Step step(std::uint32_t task, OperationKind kind, std::uint64_t object, std::uint64_t value = 0) {
  return {0, object, value, task_id(task), kind, 0, 4, 0, 1};
}

std::uint64_t hash(const std::vector<Step>& steps) { return TraceHash().of(steps); }

constexpr auto load = OperationKind::atomic_load;
constexpr auto store = OperationKind::atomic_store;

TEST(TraceHash, DoesNotDependOnTheOrderOfStepsThatCommute) {
  EXPECT_EQ(hash({step(1, store, 0x100), step(2, store, 0x200)}),
            hash({step(2, store, 0x200), step(1, store, 0x100)}));
  EXPECT_EQ(hash({step(1, load, 0x100), step(2, load, 0x100), step(3, store, 0x100)}),
            hash({step(2, load, 0x100), step(1, load, 0x100), step(3, store, 0x100)}));
}

TEST(TraceHash, DependsOnTheOrderOfStepsThatDoNot) {
  EXPECT_NE(hash({step(1, store, 0x100), step(2, load, 0x100)}),
            hash({step(2, load, 0x100), step(1, store, 0x100)}));
  EXPECT_NE(hash({step(1, store, 0x100), step(2, store, 0x102)}),
            hash({step(2, store, 0x102), step(1, store, 0x100)}));
}

TEST(TraceHash, KnowsWhoWasWoken) {
  constexpr auto wait = OperationKind::wait;
  constexpr auto signal = OperationKind::signal;
  const std::vector<Step> waits = {step(1, wait, 0x100, 0x200), step(2, wait, 0x100, 0x200)};
  const auto woken = [&](std::uint64_t waiter) {
    std::vector<Step> steps = waits;
    steps.push_back(step(3, signal, 0x100, waiter));
    steps.push_back(step(1, store, 0x300));
    steps.push_back(step(2, store, 0x400));
    return hash(steps);
  };
  EXPECT_NE(woken(1), woken(2));
}

}  // namespace
}  // namespace ricercar::inline model
