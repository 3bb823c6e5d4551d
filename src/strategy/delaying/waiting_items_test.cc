#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <set>
#include <stdexcept>

#include "base/kept.h"
#include "strategy/delaying/frontier.h"
#include "strategy/toy_world.h"

namespace ricercar::inline strategy {
namespace {

using toy::Execution;
using toy::independent;
using toy::Operation;
using toy::Program;

using States = std::set<std::vector<std::uint64_t>>;

States visited(const Program& program, Strategy& strategy, bool keeps) {
  States all;
  for (const Execution& execution :
       toy::explore(program, strategy, toy::no_limit, toy::no_limit, keeps)) {
    all.insert(execution.states.begin(), execution.states.end());
  }
  return all;
}

TEST(Frontier, IsTheSameIfMostOfItIsOnDisk) {
  const std::string file = testing::TempDir() + "/frontier_test";
  const Program with_values(3, {{}, {Operation::choose, 5}, {}});
  for (const Program& program : {independent({4, 4, 4, 4}), with_values}) {
    for (const bool keeps : {false, true}) {
      Resources resources;
      resources.memory = 4096;
      resources.file = file;
      const auto on_disk = make_strategy("ses", 1, resources);
      const auto in_memory = make_strategy("ses", 1);
      EXPECT_EQ(visited(program, *on_disk, keeps), toy::reachable(program));
      visited(program, *in_memory, keeps);
      EXPECT_EQ(on_disk->coverage().text, in_memory->coverage().text);
    }
  }
  std::remove(file.c_str());
}

SearchItem item(std::uint32_t number) {
  SearchItem result;
  result.before = {{number, 1}};
  result.last = {number + 1, 2};
  result.options = 3;
  result.is_value = number % 3 == 0;
  result.cost = number;
  return result;
}

TEST(Frontier, IsFirstInFirstOutAcrossTheFile) {
  const std::string file = testing::TempDir() + "/frontier_order_test";
  Frontier frontier(10000, file);
  std::uint32_t pushed = 0;
  std::uint32_t popped = 0;
  for (int round = 0; round < 5; ++round) {
    for (int i = 0; i < 30000; ++i) frontier.push(item(pushed++));
    EXPECT_GT(frontier.size_on_disk(), 1000u);
    EXPECT_LT(frontier.bytes(), 3000000u);
    for (int i = 0; i < (round == 4 ? 50000 : 25000); ++i) {
      const SearchItem next = frontier.pop();
      ASSERT_EQ(next.cost, popped);
      ASSERT_EQ(next.deviations()[1].depth, popped + 1);
      ASSERT_EQ(next.options, 3u);
      ASSERT_EQ(next.is_value, popped % 3 == 0);
      ++popped;
    }
  }
  EXPECT_TRUE(frontier.empty());
  std::remove(file.c_str());
}

TEST(Frontier, IsKeptWithWhatIsInTheFile) {
  const std::string file = testing::TempDir() + "/frontier_kept_test";
  Frontier frontier(10000, file);
  for (std::uint32_t i = 0; i < 90000; ++i) frontier.push(item(i));
  for (std::uint32_t i = 0; i < 20000; ++i) frontier.pop();
  KeptOut out;
  out(frontier);
  Frontier again(10000, file + "_again");
  KeptIn in(out.bytes());
  in(again);
  EXPECT_TRUE(in.is_at_end());
  EXPECT_EQ(again.size(), 70000u);
  again.push(item(90000));
  for (std::uint32_t i = 20000; i <= 90000; ++i) ASSERT_EQ(again.pop().cost, i);
  EXPECT_TRUE(again.empty());
  std::remove(file.c_str());
  std::remove((file + "_again").c_str());
}

TEST(Frontier, RefusesAFileThatWasChanged) {
  const std::string file = testing::TempDir() + "/frontier_damage_test";
  Frontier frontier(1000, file);
  for (std::uint32_t i = 0; i < 30000; ++i) frontier.push(item(i));
  {
    std::fstream damage(file, std::ios::in | std::ios::out | std::ios::binary);
    damage.seekp(1000);
    damage.put('x');
  }
  EXPECT_THROW(
      {
        while (!frontier.empty()) frontier.pop();
      },
      std::runtime_error);
  std::remove(file.c_str());
}

}  // namespace
}  // namespace ricercar::inline strategy
