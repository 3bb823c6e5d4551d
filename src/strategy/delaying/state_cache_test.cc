#include "strategy/delaying/state_cache.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace ricercar::inline strategy {
namespace {

TEST(StateCache, KnowsWhatItWasGiven) {
  StateCache cache(0, StateCache::WhenFull::stop);
  for (std::uint64_t i = 0; i < 100000; ++i) EXPECT_TRUE(cache.insert({i, i * i}));
  for (std::uint64_t i = 0; i < 100000; ++i) EXPECT_FALSE(cache.insert({i, i * i}));
  EXPECT_FALSE(cache.contains({100000, 0}));
  EXPECT_EQ(cache.size(), 100000u);
  EXPECT_LE(cache.bytes(), 16 * cache.size());
  EXPECT_EQ(cache.dropped(), 0u);
}

TEST(StateCache, StaysWithinItsLimit) {
  for (const auto policy : {StateCache::WhenFull::stop, StateCache::WhenFull::replace}) {
    StateCache cache(16000, policy);
    for (std::uint64_t i = 0; i < 50000; ++i) EXPECT_TRUE(cache.insert({i, mix64(i)}));
    EXPECT_LE(cache.bytes(), 16000u);
    EXPECT_GT(cache.dropped(), 40000u);
    const bool keeps_the_first = policy == StateCache::WhenFull::stop;
    EXPECT_EQ(cache.contains({0, mix64(0)}), keeps_the_first);
    EXPECT_EQ(cache.contains({49999, mix64(49999)}), !keeps_the_first);
  }
}

}  // namespace
}  // namespace ricercar::inline strategy
