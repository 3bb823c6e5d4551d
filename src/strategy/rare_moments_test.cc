#include "strategy/rare_moments.h"

#include <gtest/gtest.h>

#include <cmath>

namespace ricercar::inline strategy {
namespace {

// Something that could go wrong, of which the kind `restart` would start a node again.
ChoicePoint point_with(const TaskSet& enabled, const Operation* pending, std::uint32_t restart,
                       std::uint32_t kinds = 5) {
  ChoicePoint point = {ChoiceKind::schedule, 0, no_task,
                       OptionList(&enabled, enabled.size(), pending)};
  point.fault = {1, 2, kinds, restart};
  return point;
}

TEST(SoonRestarts, ComeWithin64ChoicesInEveryThirdExecution) {
  TaskSet enabled;
  for (std::uint32_t i = 0; i < 2; ++i) enabled.insert(task_id(i));
  const Operation pending[2] = {};
  constexpr int tries = 9000;
  int soon = 0;
  for (std::uint64_t i = 0; i < tries; ++i) {
    Random random(i);
    SoonRestarts restarts;
    restarts.begin();
    restarts.draw_habits(random);
    for (std::uint64_t choice = 1; choice <= 10; ++choice) {
      const ChoicePoint nobody_is_down = point_with(enabled, pending, SoonRestarts::none);
      ASSERT_FALSE(restarts.is_now(nobody_is_down, choice, random));
    }
    bool has_come = false;
    for (std::uint64_t choice = 11; choice < 11 + 64 && !has_come; ++choice) {
      has_come = restarts.is_now(point_with(enabled, pending, 3), choice, random);
    }
    soon += has_come ? 1 : 0;
    EXPECT_EQ(restarts.taken_kind(), has_come ? 3 : SoonRestarts::none);
    EXPECT_EQ(restarts.taken_kind(), SoonRestarts::none) << "asked once";
  }
  const double expected = tries / 3.0;
  EXPECT_LT(std::abs(soon - expected) / std::sqrt(expected * 2 / 3), 3.3);
}

TEST(SoonRestarts, AreNoAnswerIfNothingElseCouldHappen) {
  TaskSet enabled;
  for (std::uint32_t i = 0; i < 2; ++i) enabled.insert(task_id(i));
  const Operation pending[2] = {};
  int soon = 0;
  for (std::uint64_t i = 0; i < 100; ++i) {
    Random random(i);
    SoonRestarts restarts;
    restarts.begin();
    restarts.draw_habits(random);
    for (std::uint64_t choice = 1; choice <= 64; ++choice) {
      soon += restarts.is_now(point_with(enabled, pending, 0, 1), choice, random) ? 1 : 0;
      EXPECT_EQ(restarts.taken_kind(), SoonRestarts::none);
    }
  }
  EXPECT_GT(soon, 0);
}

}  // namespace
}  // namespace ricercar::inline strategy
