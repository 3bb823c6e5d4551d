#include "strategy/sleep_set.h"

#include <gtest/gtest.h>

namespace ricercar::inline strategy {
namespace {

Footprint touching(std::uint64_t object, bool writes) {
  Footprint footprint;
  footprint.add(Touch{object, 4, writes});
  return footprint;
}

TEST(FootprintTable, GivesEqualFootprintsOneNumber) {
  FootprintTable table;
  const FootprintTable::Number read = table.number_of(touching(100, false));
  const FootprintTable::Number write = table.number_of(touching(100, true));
  EXPECT_NE(read, write);
  EXPECT_NE(write, table.number_of(touching(104, true)));
  EXPECT_NE(write, table.number_of(Footprint{}));
  EXPECT_EQ(table.number_of(touching(100, false)), read);
  EXPECT_EQ(table.number_of(touching(100, true)), write);
  EXPECT_EQ(table[write], touching(100, true));
  EXPECT_TRUE(table[write].depends_on(table[read]));
  EXPECT_FALSE(table[read].depends_on(table[read]));
}

TEST(FootprintTable, TakesWhatItHasNoRoomForAsEverything) {
  FootprintTable table;
  EXPECT_EQ(table.number_of(Footprint::all()), FootprintTable::everything);
  for (std::uint64_t i = 1; i < FootprintTable::nothing_done; ++i) {
    EXPECT_EQ(table.number_of(touching(8 * i, true)), i);
  }
  EXPECT_EQ(table.number_of(touching(8, false)), FootprintTable::everything);
  EXPECT_EQ(table.number_of(touching(80, true)), 10U) << "what is known stays known";
  EXPECT_TRUE(table[FootprintTable::everything].depends_on(touching(8, false)));
}

TEST(SleepSet, WakesWhoIsDependedOnAndWhoRuns) {
  SleepSet sleep;
  sleep.add({1, touching(100, false)});
  sleep.add({2, touching(100, true)});
  sleep.add({3, touching(200, true)});
  sleep.wake(4, touching(100, false));
  EXPECT_TRUE(sleep.contains(1));
  EXPECT_FALSE(sleep.contains(2));
  sleep.wake(3, touching(300, true));
  EXPECT_FALSE(sleep.contains(3));
  sleep.wake(4, touching(100, true));
  EXPECT_TRUE(sleep.empty());
}

}  // namespace
}  // namespace ricercar::inline strategy
