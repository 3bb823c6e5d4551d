#include "base/census.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace ricercar::inline base {
namespace {

TEST(Census, CountsWhatCameOnce) {
  Census census;
  for (const std::uint64_t number : {1, 2, 1, 3, 4, 4, 4}) census.add(mix64(number));
  EXPECT_EQ(census.draws(), 7u);
  EXPECT_EQ(census.distinct(), 4u);
  EXPECT_DOUBLE_EQ(census.chance_of_new(), 2.0 / 7);  // 2 and 3
}

TEST(Census, KnowsNothingAtFirstAndThatAllCameAgain) {
  Census census;
  EXPECT_EQ(census.chance_of_new(), 1);
  for (int i = 0; i < 2; ++i) census.add(mix64(5));
  EXPECT_EQ(census.chance_of_new(), 0);
}

// Of 200,000 numbers, each as likely as the others, so many have not come yet after some draws.
TEST(Census, IsCloseToTheTruthWithFarMoreThanItKeeps) {
  constexpr std::uint32_t numbers = 200000;
  for (const std::uint32_t draws : {20000u, 100000u, 400000u}) {
    Random random(draws);
    Census census;
    std::vector<bool> came(numbers);
    std::uint32_t distinct = 0;
    for (std::uint32_t i = 0; i < draws; ++i) {
      const std::uint32_t number = random.below(numbers);
      census.add(mix64(number + 1));
      if (!came[number]) came[number] = true, ++distinct;
    }
    const double truth = 1 - static_cast<double>(distinct) / numbers;
    EXPECT_NEAR(census.chance_of_new(), truth, 0.02) << draws;
    EXPECT_NEAR(static_cast<double>(census.distinct()), distinct, 0.03 * distinct) << draws;
  }
}

}  // namespace
}  // namespace ricercar::inline base
