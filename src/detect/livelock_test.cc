#include "detect/livelock.h"

#include <gtest/gtest.h>

#include <vector>

namespace ricercar::inline detect {
namespace {

// Steps of one task each on another object.
std::vector<Step> steps_on(const std::vector<std::uint64_t>& objects) {
  std::vector<Step> steps;
  for (const std::uint64_t object : objects) {
    Step step{};
    step.object = object;
    steps.push_back(step);
  }
  return steps;
}

TEST(Livelock, IsARepetitionOfAtLeastSixteenRounds) {
  std::vector<std::uint64_t> objects = {7, 8};
  for (int round = 0; round < 15; ++round) objects.insert(objects.end(), {1, 2, 3});
  EXPECT_EQ(find_repetition(steps_on(objects)), 0U);
  objects.insert(objects.end(), {1, 2, 3});
  EXPECT_EQ(find_repetition(steps_on(objects)), 3U);
  objects.push_back(4);
  EXPECT_EQ(find_repetition(steps_on(objects)), 0U);
}

TEST(Livelock, GoesRoundFromAStepOnIfEachOneIsAsItWasOnePeriodBefore) {
  const std::vector<Step> steps = steps_on({9, 1, 2, 1, 2, 1, 2});
  EXPECT_TRUE(goes_round_from(steps, 3, 2));
  EXPECT_FALSE(goes_round_from(steps, 2, 2)) << "the step of one period before is another one";
  EXPECT_FALSE(goes_round_from(steps, 1, 2)) << "there is none";
  EXPECT_TRUE(goes_round_from(steps, 7, 2)) << "nothing is left to compare";
}

// The last step before the round may be the same as the last one of the round.
TEST(Livelock, BeginsAtTheEarliestStepFromWhichOnItGoesRound) {
  EXPECT_EQ(first_round(steps_on({9, 1, 2, 1, 2, 1, 2}), 2), 1U);
  EXPECT_EQ(first_round(steps_on({9, 2, 1, 2, 1, 2}), 2), 1U);
  EXPECT_EQ(first_round(steps_on({1, 2, 1, 2}), 2), 0U);
  EXPECT_EQ(first_round(steps_on({5, 1, 2}), 2), 1U);
}

}  // namespace
}  // namespace ricercar::inline detect
