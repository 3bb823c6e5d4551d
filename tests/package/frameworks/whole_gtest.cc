#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include "counter.h"

// An ordinary test.
TEST(Count, Badly) { EXPECT_EQ(count_badly(), 2) << "one is lost"; }
TEST(Count, Well) { EXPECT_EQ(count_well(), 2); }
// A failure that is expected is none.
TEST(Count, ExpectsAFailure) { EXPECT_NONFATAL_FAILURE(EXPECT_EQ(1, 2), "1"); }
TEST(Count, DISABLED_Never) { FAIL(); }
