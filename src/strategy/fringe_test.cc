#include "strategy/fringe.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <random>
#include <vector>

namespace ricercar::inline strategy {
namespace {

namespace fs = std::filesystem;

class FringeTest : public testing::Test {
 protected:
  void SetUp() override { fs::remove(file_); }
  void TearDown() override { fs::remove(file_); }
  const std::string file_ = testing::TempDir() + "fringe_test.tmp";
};

TEST_F(FringeTest, GivesTheBestFirstAndAmongEqualsTheNewest) {
  Fringe fringe(0, file_);
  fringe.push(2, {20, 0, 0});
  fringe.push(1, {10, 0, 0});
  fringe.push(1, {11, 0, 0});
  EXPECT_EQ(fringe.pop().node, 11U);
  fringe.push(0, {1, 0, 0});
  EXPECT_EQ(fringe.pop().node, 1U);
  EXPECT_EQ(fringe.pop().node, 10U);
  EXPECT_EQ(fringe.pop().node, 20U);
  EXPECT_TRUE(fringe.empty());
}

// A million pushes and pops in random order, once in memory and once mostly on disk.
TEST_F(FringeTest, GivesTheSameOrderWhetherItFitsOrNot) {
  Fringe large(0, file_);
  Fringe small(1 << 16, file_);
  std::mt19937_64 random(7);
  std::uint64_t most_on_disk = 0;
  for (std::uint32_t i = 0; i < 1000000; ++i) {
    if (!large.empty() && random() % 5 < (i < 500000 ? 1 : 4)) {
      const Fringe::Item expected = large.pop();
      const Fringe::Item found = small.pop();
      ASSERT_EQ(found.node, expected.node);
      ASSERT_EQ(found.depth, expected.depth);
      ASSERT_EQ(found.choice, expected.choice);
    } else {
      const std::uint64_t priority = random() % 50;
      const Fringe::Item item{i, i * 3, static_cast<std::uint16_t>(i)};
      large.push(priority, item);
      small.push(priority, item);
    }
    most_on_disk = std::max(most_on_disk, small.size_on_disk());
  }
  EXPECT_EQ(small.size(), large.size());
  EXPECT_EQ(large.size_on_disk(), 0U);
  EXPECT_GT(most_on_disk, 100000U);
}

TEST_F(FringeTest, SaysWhyItCannotUseItsFile) {
  Fringe fringe(100, "/nowhere/at/all.tmp");
  try {
    for (std::uint32_t i = 0; i < 100; ++i) fringe.push(0, {i, 0, 0});
    FAIL() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("/nowhere/at/all.tmp: No such file"),
              std::string::npos)
        << error.what();
    EXPECT_NE(std::string(error.what()).find("--memory"), std::string::npos);
  }
}

TEST_F(FringeTest, SaysThatTheDiskIsFull) {
  Fringe fringe(100, "/dev/full");
  EXPECT_THROW(for (std::uint32_t i = 0; i < 100; ++i) fringe.push(0, {i, 0, 0}),
               std::runtime_error);
}

}  // namespace
}  // namespace ricercar::inline strategy
