#include <gtest/gtest-spi.h>
#include <ricercar/gtest.h>

#include <memory>

#include "counter.h"

RICERCAR_TEST(Count, Badly) { EXPECT_EQ(count_badly(), 2) << "one is lost"; }
RICERCAR_TEST(Count, Well, .strategy = "dfs") { EXPECT_EQ(count_well(), 2); }

// A failure in another thread, and one that a nested scope explains.
RICERCAR_TEST(Count, InAnotherThread) {
  std::thread other([] { ASSERT_EQ(count_badly(), 2); });
  other.join();
}

struct Counter : testing::Test {
  void SetUp() override { count = std::make_unique<int>(0); }
  void TearDown() override { EXPECT_EQ(*count, 1); }
  std::unique_ptr<int> count;
};
RICERCAR_TEST_F(Counter, IsNewForEachExecution) { ++*count; }

// Two checks of one test, by hand: the second one is expected to fail and does not fail the test.
TEST(ByHand, TwoChecks) {
  EXPECT_TRUE(ricercar::check([] { EXPECT_EQ(count_well(), 2); }));
  const auto result = ricercar::check({.keep_going = true}, [] { EXPECT_EQ(count_badly(), 2); });
  ASSERT_EQ(result.bugs.size(), 1U);  // all of them in the same line
  EXPECT_EQ(result.bugs[0].kind, "assertion");
  EXPECT_NE(result.bugs[0].schedule.find("/with_gtest.ByHand.TwoChecks-2-bug-1.json"),
            std::string::npos);
  EXPECT_FALSE(HasFailure());
}
