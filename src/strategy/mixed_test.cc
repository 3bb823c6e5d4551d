#include <gtest/gtest.h>

#include "strategy/toy_world.h"

namespace ricercar::inline strategy {
namespace {

using toy::brute_force;
using toy::critical_sections;
using toy::explore;
using toy::independent;
using toy::Operation;
using toy::Program;
using toy::Schedule;
using toy::sorted_schedules;

std::vector<Schedule> distinct_schedules(const std::vector<toy::Execution>& executions) {
  auto schedules = sorted_schedules(executions);
  schedules.erase(std::unique(schedules.begin(), schedules.end()), schedules.end());
  return schedules;
}

TEST(Mixed, EndsWithExactlyAllExecutionsOfASmallProgram) {
  const Program programs[] = {
      independent({3, 3}),
      independent({2, 2, 2}),
      critical_sections(3, 2),
      {{{}, {Operation::choose, 3}}, {{}, {Operation::choose, 2}, {}}},
  };
  for (const Program& program : programs) {
    const auto strategy = make_strategy("mixed", 1);
    const auto executions = explore(program, *strategy);
    EXPECT_TRUE(strategy->coverage().complete);
    EXPECT_EQ(distinct_schedules(executions), sorted_schedules(brute_force(program)));
  }
}

TEST(Mixed, EndsAsSoonAsTheLastExecutionIsCovered) {
  const auto strategy = make_strategy("mixed", 1);
  EXPECT_EQ(explore(independent({5}), *strategy).size(), 1u);
  EXPECT_TRUE(strategy->coverage().complete);
  EXPECT_EQ(strategy->coverage().text, "every execution: 1; no preemption possible");
  EXPECT_FALSE(strategy->begin());
}

TEST(Mixed, ForNodesLearnsFromBlocksAndEndsWithAllExecutionsToo) {
  const auto strategy = make_strategy("mixed:members=nodes", 1);
  EXPECT_NE(strategy->as<LearnsBlocks>(), nullptr);
  EXPECT_EQ(make_strategy("mixed", 1)->as<LearnsBlocks>(), nullptr);
  const auto executions = explore(independent({3, 3}), *strategy);
  EXPECT_TRUE(strategy->coverage().complete);
  EXPECT_EQ(distinct_schedules(executions), sorted_schedules(brute_force(independent({3, 3}))));
}

TEST(Mixed, WantsMembersThatThereAre) { EXPECT_ANY_THROW(make_strategy("mixed:members=all", 1)); }

TEST(Mixed, RunsTheExecutionWithoutPreemptionsFirst) {
  EXPECT_EQ(explore(independent({2, 2, 2}), "mixed", 1).front().schedule,
            (Schedule{0, 0, 1, 1, 2, 2}));
}

TEST(Mixed, TellsWhatIsCoveredFromWhatIsSampled) {
  // Of twelve turns the member that covers has four; after 256 executions a round has 64. Two tasks
  // of 30 steps have 2 executions without a preemption and 58 with one.
  const auto strategy = make_strategy("mixed", 1);
  explore(independent({30, 30}), *strategy, 448);
  EXPECT_FALSE(strategy->coverage().complete);
  EXPECT_EQ(strategy->coverage().text,
            "every execution with at most 1 preemption: 60; with 2 preemptions, not yet all: 89; "
            "and 299 sampled");
}

TEST(Mixed, IsTheSameForTheSameSeed) {
  const Program program = independent({5, 5, 5});
  const auto one = explore(program, *make_strategy("mixed", 3), 100);
  const auto same = explore(program, *make_strategy("mixed", 3), 100);
  const auto other = explore(program, *make_strategy("mixed", 4), 100);
  EXPECT_EQ(sorted_schedules(one), sorted_schedules(same));
  EXPECT_NE(sorted_schedules(one), sorted_schedules(other));
}

TEST(Mixed, FindsADeepBugThatNoSmallBoundCovers) {
  // The covering member does not come beyond a few preemptions in so many executions.
  const auto executions = explore(independent({10, 10}), "mixed", 200000);
  const auto alternates = [](const toy::Execution& e) { return e.preemptions >= 14; };
  EXPECT_TRUE(std::any_of(executions.begin(), executions.end(), alternates));
}

}  // namespace
}  // namespace ricercar::inline strategy
