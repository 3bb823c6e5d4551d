#include <gtest/gtest.h>

#include "base/error.h"
#include "strategy/toy_world.h"

namespace ricercar::inline strategy {
namespace {

using toy::brute_force;
using toy::critical_sections;
using toy::explore;
using toy::independent;
using toy::Operation;
using toy::Program;
using toy::sorted_schedules;

TEST(Dfs, RunsAsManyExecutionsAsTheMultinomialCoefficient) {
  EXPECT_EQ(explore(independent({4}), "dfs").size(), 1u);
  EXPECT_EQ(explore(independent({2, 2}), "dfs").size(), 6u);
  EXPECT_EQ(explore(independent({3, 3}), "dfs").size(), 20u);
  EXPECT_EQ(explore(independent({1, 2, 3}), "dfs").size(), 60u);
  EXPECT_EQ(explore(independent({2, 2, 2}), "dfs").size(), 90u);
  EXPECT_EQ(explore(independent({3, 3, 3}), "dfs").size(), 1680u);
  EXPECT_EQ(explore(independent({1, 1, 1, 1, 1}), "dfs").size(), 120u);
}

TEST(Dfs, RunsEveryExecutionExactlyOnce) {
  const Program programs[] = {
      independent({3, 2, 2}),
      critical_sections(3, 2),
      {{{Operation::choose, 3}, {}}, {{}, {Operation::choose, 2}}},
      {{{Operation::yield, 0}, {}, {Operation::yield, 0}}, {{}, {Operation::yield, 0}, {}}},
      {{{Operation::create, 1}, {Operation::create, 2}, {}}, {{}, {}}, {{}, {}}},
      {{{Operation::lock, 0}, {Operation::lock, 1}, {Operation::unlock, 1}, {Operation::unlock, 0}},
       {{Operation::lock, 1},
        {Operation::lock, 0},
        {Operation::unlock, 0},
        {Operation::unlock, 1}}},
  };
  for (const Program& program : programs) {
    EXPECT_EQ(sorted_schedules(explore(program, "dfs")), sorted_schedules(brute_force(program)));
  }
}

TEST(Dfs, RunsEachCriticalSectionInEveryOrder) {
  // An unlock is never a choice between the section's owner and a waiter that could run instead:
  // waiters are disabled. So the orders of nine sections are 9! / (3!)^3.
  EXPECT_EQ(explore(critical_sections(3, 3), "dfs").size(), 1680u);
}

TEST(Dfs, RunsTheExecutionWithoutPreemptionsFirst) {
  const auto first = explore(independent({2, 2, 2}), "dfs", 1).front();
  EXPECT_EQ(first.schedule, (toy::Schedule{0, 0, 1, 1, 2, 2}));
}

TEST(Dfs, PromisesEveryExecutionOnlyAtTheEnd) {
  const auto strategy = make_strategy("dfs", 1);
  const Program program = independent({2, 2});
  explore(program, *strategy, 5);
  EXPECT_FALSE(strategy->coverage().complete);
  explore(program, *strategy);
  EXPECT_TRUE(strategy->coverage().complete);
  EXPECT_EQ(strategy->coverage().text, "every execution: 6");
  EXPECT_FALSE(strategy->begin());
}

TEST(Dfs, EstimatesTheExactTotalOfARegularTree) {
  const auto strategy = make_strategy("dfs", 1);
  const Program program = {
      {{Operation::choose, 3}, {Operation::choose, 5}, {Operation::choose, 4}}};
  EXPECT_EQ(progress_of(*strategy), "");
  for (int i = 0; i < 59; ++i) {
    explore(program, *strategy, 1);
    EXPECT_EQ(progress_of(*strategy), "about 60 executions in all");
  }
  EXPECT_EQ(explore(program, *strategy).size(), 1u);
  EXPECT_EQ(progress_of(*strategy), "");
}

TEST(Dfs, TreatsAnExecutionThatWasCutAsALeaf) {
  // The first three steps of two tasks with three steps each: 2^3 prefixes.
  const auto strategy = make_strategy("dfs", 1);
  const auto executions = explore(independent({3, 3}), *strategy, toy::no_limit, 3);
  EXPECT_EQ(executions.size(), 8u);
  for (const toy::Execution& execution : executions) EXPECT_TRUE(execution.cut);
}

TEST(Dfs, ReportsTheStepWherePrefixHasAnotherNumberOfOptions) {
  const auto strategy = make_strategy("dfs", 1);
  explore(independent({2, 2}), *strategy, 1);
  try {
    explore(independent({2, 2, 2}), *strategy, 1);
    FAIL() << "the change was not noticed";
  } catch (const Nondeterminism& error) {
    EXPECT_EQ(error.step, 0u);
    EXPECT_EQ(error.expected, 2u);
    EXPECT_EQ(error.found, 3u);
    EXPECT_NE(std::string(error.what()).find("at step 0"), std::string::npos);
  }
}

TEST(Dfs, NoticesAChoiceThatComesAtAnotherStep) {
  const auto strategy = make_strategy("dfs", 1);
  const Program before = {{{}, {Operation::create, 1}, {}}, {{}}};
  const Program after = {{{}, {}, {Operation::create, 1}, {}}, {{}}};
  explore(before, *strategy, 1);
  EXPECT_THROW(explore(after, *strategy, 1), Nondeterminism);
}

TEST(Dfs, NoticesAnExecutionThatEndsInsideItsPrefix) {
  const auto strategy = make_strategy("dfs", 1);
  explore(independent({3, 3}), *strategy, 1);
  explore(independent({3, 3}), *strategy, 1, 1);
  EXPECT_FALSE(strategy->coverage().complete);
  EXPECT_THROW(strategy->begin(), Nondeterminism);
}

}  // namespace
}  // namespace ricercar::inline strategy
