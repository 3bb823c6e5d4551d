#include "threads/benign_races.h"

#include <gtest/gtest.h>

namespace ricercar {
namespace {

TEST(BenignRaces, ARangeHoldsForTheBytesInIt) {
  BenignRaces races;
  races.add(100, 8, false);
  EXPECT_TRUE(races.contains(107, 4));
  EXPECT_TRUE(races.contains(96, 5));
  EXPECT_FALSE(races.contains(96, 4));
  EXPECT_FALSE(races.contains(108, 1));
}

TEST(BenignRaces, AnEmptyRangeIsOneByte) {
  BenignRaces races;
  races.add(100, 0, false);
  EXPECT_TRUE(races.contains(100, 1));
  EXPECT_FALSE(races.contains(101, 1));
}

TEST(BenignRaces, WhatWasSaidInAnExecutionEndsWithIt) {
  BenignRaces races;
  races.add(100, 1, true);
  races.add(200, 1, false);
  races.begin_execution();
  EXPECT_TRUE(races.contains(100, 1));
  EXPECT_FALSE(races.contains(200, 1));
}

TEST(BenignRaces, WhatIsSaidBetweenExecutionsLasts) {
  BenignRaces races;
  races.add(200, 1, false);
  races.add(200, 1, true);
  races.begin_execution();
  EXPECT_TRUE(races.contains(200, 1));
}

TEST(BenignRaces, ReportsThatAreOffComeBackWithTheNextExecution) {
  BenignRaces races;
  races.enable_reports(false, false);
  EXPECT_TRUE(races.contains(1, 1));
  races.begin_execution();
  EXPECT_FALSE(races.contains(1, 1));
  races.enable_reports(false, true);
  races.begin_execution();
  EXPECT_TRUE(races.contains(1, 1));
}

}  // namespace
}  // namespace ricercar
