#include "base/distinct.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace ricercar::inline base {
namespace {

TEST(DistinctCounter, IsCloseToTheTruth) {
  for (const std::uint64_t count : {0, 1, 10, 1000, 20000, 300000}) {
    DistinctCounter counter;
    for (std::uint64_t i = 1; i <= count; ++i) counter.add(mix64(i));
    const auto truth = static_cast<double>(count);
    EXPECT_NEAR(static_cast<double>(counter.estimate()), truth, 0.05 * truth) << count;
  }
}

TEST(DistinctCounter, CountsANumberOnce) {
  DistinctCounter counter;
  for (int round = 0; round < 100; ++round) {
    for (std::uint64_t i = 1; i <= 50; ++i) counter.add(mix64(i));
  }
  EXPECT_NEAR(static_cast<double>(counter.estimate()), 50, 1);
}

}  // namespace
}  // namespace ricercar::inline base
