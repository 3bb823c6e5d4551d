// Random small systems of machines, explored in ways that must agree: every strategy that promises
// all of something reaches the same endings, and the delaying explorers the same states, as a plain
// breadth-first search.
#include <gtest/gtest.h>

#include "machines/explore.h"
#include "machines/random_system.h"

namespace ricercar::test {
namespace {

constexpr std::uint64_t most_executions = 3000;  // larger systems are left out
constexpr std::uint64_t most_states = 2000;

std::string text_of(const std::set<Ending>& endings) {
  std::string text;
  for (const Ending& ending : endings) {
    text += std::string(info(ending.kind).name) + " " + ending.message + " " +
            std::to_string(ending.state.low) + "\n";
  }
  return text;
}

// Compares the endings of a strategy with those of dfs, for systems without some commands.
void compare_endings(const std::string& strategy, std::uint64_t wanted,
                     const std::vector<Command::Kind>& without, std::uint64_t first_seed) {
  std::uint64_t compared = 0;
  std::uint64_t with_bugs = 0;
  std::uint64_t fewer = 0;
  for (std::uint64_t seed = first_seed; compared < wanted; ++seed) {
    const RandomSystem system = make_random_system(seed, without);
    const ricercar::SetUp set_up = set_up_of(system);
    const Explored all = explore(set_up, "dfs", most_executions);
    if (!all.finished || all.executions < 3) continue;
    const Explored found = explore(set_up, strategy, 4 * most_executions);
    ASSERT_TRUE(found.finished) << "seed " << seed << "\n" << system.to_text();
    ASSERT_EQ(text_of(found.endings), text_of(all.endings)) << "seed " << seed << "\n"
                                                            << system.to_text();
    ++compared;
    with_bugs += all.endings.rbegin()->kind != OutcomeKind::ok ? 1 : 0;
    fewer += found.executions < all.executions ? 1 : 0;
  }
  EXPECT_GT(with_bugs, wanted / 20);
  testing::Test::RecordProperty("systems_with_fewer_executions", std::to_string(fewer));
}

const std::vector<Command::Kind> faults = {Command::crash, Command::restart};

TEST(GeneratedMachines, DporReachesTheEndingsOfDfs) { compare_endings("dpor", 300, faults, 1); }
TEST(GeneratedMachines, DporReachesTheEndingsOfDfsWithCrashes) {
  compare_endings("dpor", 300, {}, 100000);
}
TEST(GeneratedMachines, BporReachesTheEndingsOfDfs) {
  compare_endings("bpor:bound=1000", 100, {}, 200000);
}
TEST(GeneratedMachines, BestFirstReachesTheEndingsOfDfs) {
  compare_endings("bestfirst:space=dpor", 100, {}, 300000);
  compare_endings("bestfirst:space=all", 50, {}, 400000);
}
TEST(GeneratedMachines, PreemptionBoundingReachesTheEndingsOfDfs) {
  compare_endings("pb:bound=1000", 100, {}, 500000);
}

// What is known of handlers changes nothing of what happens.
TEST(GeneratedMachines, KnownHandlersLeaveTheTracesOfThoseThatRun) {
  std::uint64_t bugs = 0;
  for (std::uint64_t seed = 900000; seed < 900200; ++seed) {
    const RandomSystem system = make_random_system(seed, {});
    const std::vector<Walk> known = walk(set_up_of(system), 50, true);
    const std::vector<Walk> unknown = walk(set_up_of(system), 50, false);
    ASSERT_TRUE(known == unknown) << "seed " << seed << "\n" << system.to_text();
    for (const Walk& one : known) bugs += one.message.empty() ? 0 : 1;
  }
  EXPECT_GT(bugs, 100U);
}

void compare_states(const std::string& strategy, std::uint64_t wanted, std::uint64_t first_seed) {
  std::uint64_t compared = 0;
  for (std::uint64_t seed = first_seed; compared < wanted; ++seed) {
    const RandomSystem system = make_random_system(seed, {});
    const ricercar::SetUp set_up = set_up_of(system);
    const Explored all = explore_breadth_first(set_up, most_states);
    if (!all.finished || all.states.size() < 5) continue;
    const Explored found = explore(set_up, strategy, ~std::uint64_t{0});
    ASSERT_TRUE(found.complete) << "seed " << seed << "\n" << system.to_text();
    ASSERT_TRUE(found.states == all.states) << found.states.size() << " states instead of "
                                            << all.states.size() << "; seed " << seed << "\n"
                                            << system.to_text();
    ASSERT_EQ(found.coverage, "every state: " + std::to_string(all.states.size()));
    ASSERT_EQ(text_of(found.endings), text_of(all.endings)) << "seed " << seed;
    ++compared;
  }
}

TEST(GeneratedMachines, RoundRobinVisitsTheStatesOfBreadthFirst) {
  compare_states("ses:explorer=rr", 200, 1);
}
TEST(GeneratedMachines, RunToCompletionVisitsTheStatesOfBreadthFirst) {
  compare_states("ses:explorer=rtc,step=3", 200, 10000);
}
TEST(GeneratedMachines, RandomRoundRobinVisitsTheStatesOfBreadthFirst) {
  compare_states("ses:explorer=prr", 200, 20000);
}
TEST(GeneratedMachines, ExactStrataVisitTheStatesOfBreadthFirst) {
  compare_states("ses:explorer=rr,exact=yes", 100, 30000);
}

TEST(GeneratedMachines, SleepSetsVisitTheStatesOfBreadthFirst) {
  compare_states("ses:explorer=rr,reduce=yes", 200, 40000);
}
TEST(GeneratedMachines, ALimitedCacheVisitsTheStatesOfBreadthFirst) {
  compare_states("ses:explorer=rr,cache=1M,policy=stop", 50, 50000);
  compare_states("ses:explorer=rr,cache=1M,policy=replace", 50, 50000);
}

// Depth-first search and breadth-first search have nothing in common but the world.
TEST(GeneratedMachines, DfsReachesTheEndingsOfBreadthFirst) {
  std::uint64_t compared = 0;
  for (std::uint64_t seed = 600000; compared < 200; ++seed) {
    const RandomSystem system = make_random_system(seed, {});
    const ricercar::SetUp set_up = set_up_of(system);
    const Explored depth_first = explore(set_up, "dfs", most_executions);
    if (!depth_first.finished) continue;
    const Explored breadth_first = explore_breadth_first(set_up, ~std::uint64_t{0});
    ASSERT_EQ(text_of(depth_first.endings), text_of(breadth_first.endings)) << "seed " << seed;
    ASSERT_TRUE(depth_first.states == breadth_first.states) << "seed " << seed;
    ++compared;
  }
}

}  // namespace
}  // namespace ricercar::test
