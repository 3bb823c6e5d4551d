#include <gtest/gtest.h>

#include "base/error.h"
#include "strategy/toy_world.h"

namespace ricercar::inline strategy {
namespace {

using toy::brute_force;
using toy::critical_sections;
using toy::Execution;
using toy::explore;
using toy::independent;
using toy::Operation;
using toy::Program;
using toy::sorted_schedules;
using toy::with_at_most;

std::string pb(std::uint64_t bound) { return "pb:bound=" + std::to_string(bound); }

const Program& deadlocking() {
  static const Program program = {
      {{Operation::lock, 0}, {Operation::lock, 1}, {Operation::unlock, 1}, {Operation::unlock, 0}},
      {{Operation::lock, 1}, {Operation::lock, 0}, {Operation::unlock, 0}, {Operation::unlock, 1}}};
  return program;
}

std::vector<Program> programs() {
  return {
      independent({4}),
      independent({3, 3}),
      independent({1, 2, 3}),
      independent({3, 3, 3}),
      independent({1, 1, 1, 1, 1}),
      critical_sections(3, 2),
      deadlocking(),
      {{{}, {Operation::choose, 3}, {}}, {{}, {Operation::choose, 2}, {Operation::choose, 2}}},
      {{{Operation::yield, 0}, {}, {}}, {{}, {Operation::yield, 0}, {}}, {{}, {}}},
      {{{Operation::create, 1}, {Operation::create, 2}, {}, {}}, {{}, {}}, {{}, {}}},
      {{{Operation::lock, 0}, {}, {Operation::unlock, 0}, {}},
       {{}, {Operation::lock, 0}, {Operation::choose, 2}, {Operation::unlock, 0}},
       {{Operation::yield, 0}, {Operation::lock, 0}, {Operation::unlock, 0}}},
  };
}

TEST(Pb, RunsEveryExecutionUpToTheBoundExactlyOnce) {
  for (const Program& program : programs()) {
    const auto all = brute_force(program);
    for (std::uint32_t bound = 0; bound <= 9; ++bound) {
      EXPECT_EQ(sorted_schedules(explore(program, pb(bound))),
                sorted_schedules(with_at_most(bound, all)))
          << "bound " << bound;
    }
  }
}

TEST(Pb, RunsFewerPreemptionsFirst) {
  for (const Program& program : programs()) {
    const auto executions = explore(program, pb(9));
    for (std::size_t i = 1; i < executions.size(); ++i) {
      EXPECT_LE(executions[i - 1].preemptions, executions[i].preemptions);
    }
  }
}

TEST(Pb, CountsTheInterleavingsOfTwoTasksByPreemptions) {
  // Two tasks of four steps: with p preemptions, 2, 6, 18, ... of the 70 interleavings.
  EXPECT_EQ(explore(independent({4, 4}), pb(0)).size(), 2u);
  EXPECT_EQ(explore(independent({4, 4}), pb(1)).size(), 8u);
  EXPECT_EQ(explore(independent({4, 4}), pb(2)).size(), 26u);
  EXPECT_EQ(explore(independent({4, 4}), pb(100)).size(), 70u);
}

TEST(Pb, HasABoundOfTwoByDefault) { EXPECT_EQ(explore(independent({4, 4}), "pb").size(), 26u); }

TEST(Pb, FindsADeadlockThatNeedsOnePreemptionInTheSecondRound) {
  const auto has_deadlock = [](const Execution& execution) { return execution.deadlock; };
  const auto none = explore(deadlocking(), pb(0));
  EXPECT_TRUE(std::none_of(none.begin(), none.end(), has_deadlock));
  const auto one = explore(deadlocking(), pb(1));
  EXPECT_TRUE(std::any_of(one.begin(), one.end(), has_deadlock));
}

TEST(Pb, SaysHowFarTheBoundGot) {
  const auto strategy = make_strategy("pb:bound=2", 1);
  const Program program = independent({4, 4});
  explore(program, *strategy, 1);
  EXPECT_EQ(strategy->coverage().text, "executions with 0 preemptions, not yet all: 1");
  explore(program, *strategy, 12);
  EXPECT_FALSE(strategy->coverage().complete);
  EXPECT_EQ(strategy->coverage().text,
            "every execution with at most 1 preemption: 8; with 2 preemptions, not yet all: 5");
  explore(program, *strategy);
  EXPECT_TRUE(strategy->coverage().complete);
  EXPECT_EQ(strategy->coverage().text, "every execution with at most 2 preemptions: 26");
}

TEST(Pb, SaysThatTheWholeSpaceIsCoveredIfNothingIsBeyondTheBound) {
  const auto strategy = make_strategy("pb:bound=6", 1);
  EXPECT_EQ(explore(independent({4, 4}), *strategy).size(), 70u);
  EXPECT_TRUE(strategy->coverage().complete);
  EXPECT_EQ(strategy->coverage().text, "every execution: 70; none has more than 6 preemptions");
}

TEST(Pb, IsNotCompleteIfItsMemoryWasNotEnough) {
  const auto strategy = make_strategy("pb:bound=100,memory=1", 1);
  const auto executions = explore(independent({5, 5, 5}), *strategy);
  const std::uint32_t last = executions.back().preemptions;
  EXPECT_FALSE(strategy->coverage().complete);
  EXPECT_EQ(strategy->coverage().text, "every execution with at most " + std::to_string(last) +
                                           " preemptions: " + std::to_string(executions.size()) +
                                           "; no more because of the limit of 1 MB");
  EXPECT_EQ(executions.size(), explore(independent({5, 5, 5}), pb(last)).size());
}

TEST(Pb, TreatsAnExecutionThatWasCutAsALeaf) {
  // The first three steps of two tasks with three steps each: 2^3 prefixes.
  const auto strategy = make_strategy("pb:bound=100", 1);
  const auto executions = explore(independent({3, 3}), *strategy, toy::no_limit, 3);
  EXPECT_EQ(executions.size(), 8u);
  EXPECT_TRUE(strategy->coverage().complete);
}

// --- Depth first ---

std::string depth_first(std::uint64_t bound) { return pb(bound) + ",iterative=no"; }

TEST(DepthFirstPb, RunsTheExecutionsOfTheIterativeSearchEachExactlyOnce) {
  for (const Program& program : programs()) {
    const auto all = brute_force(program);
    for (std::uint32_t bound = 0; bound <= 9; ++bound) {
      const auto executions = sorted_schedules(explore(program, depth_first(bound)));
      EXPECT_EQ(executions, sorted_schedules(with_at_most(bound, all))) << "bound " << bound;
      EXPECT_EQ(executions, sorted_schedules(explore(program, pb(bound)))) << "bound " << bound;
    }
  }
}

// The order of dfs, without what the bound does not allow.
TEST(DepthFirstPb, RunsThemInTheOrderOfDfs) {
  for (const Program& program : programs()) {
    const auto expected = with_at_most(2, explore(program, "dfs"));
    const auto executions = explore(program, depth_first(2));
    ASSERT_EQ(executions.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_EQ(executions[i].schedule, expected[i].schedule) << i;
    }
  }
}

TEST(DepthFirstPb, CountsTheInterleavingsOfTwoTasks) {
  EXPECT_EQ(explore(independent({4, 4}), depth_first(0)).size(), 2u);
  EXPECT_EQ(explore(independent({4, 4}), depth_first(1)).size(), 8u);
  EXPECT_EQ(explore(independent({4, 4}), depth_first(2)).size(), 26u);
  EXPECT_EQ(explore(independent({4, 4}), depth_first(100)).size(), 70u);
}

TEST(DepthFirstPb, PromisesNothingBeforeItsEnd) {
  const auto strategy = make_strategy(depth_first(2), 1);
  explore(independent({4, 4}), *strategy, 13);
  EXPECT_FALSE(strategy->coverage().complete);
  EXPECT_EQ(strategy->coverage().text,
            "executions with at most 2 preemptions, depth first: 13, no promise before the end");
  explore(independent({4, 4}), *strategy);
  EXPECT_TRUE(strategy->coverage().complete);
  EXPECT_EQ(strategy->coverage().text, "every execution with at most 2 preemptions: 26");
}

TEST(DepthFirstPb, SaysThatTheWholeSpaceIsCoveredIfNothingIsBeyondTheBound) {
  const auto strategy = make_strategy(depth_first(100), 1);
  EXPECT_EQ(explore(independent({4, 4}), *strategy).size(), 70u);
  EXPECT_TRUE(strategy->coverage().complete);
  EXPECT_EQ(strategy->coverage().text, "every execution: 70; none has more than 6 preemptions");
}

// Only the first decision is free, and one half of what it leads to has been run.
TEST(DepthFirstPb, EstimatesTheWholeFromTheDecisionsThatBranch) {
  const auto strategy = make_strategy(depth_first(0), 1);
  explore(independent({4, 4}), *strategy, 1);
  EXPECT_EQ(strategy->as<ShowsProgress>()->progress(), "about 2 executions in all");
}

TEST(DepthFirstPb, RefusesACache) {
  EXPECT_THROW(make_strategy("pb:iterative=no,cache=yes", 1), UsageError);
  EXPECT_THROW(make_strategy("pb:iterative=maybe", 1), UsageError);
}

TEST(DepthFirstPb, NoticesAProgramThatChanges) {
  for (std::uint64_t before = 1; before < 26; ++before) {
    const auto strategy = make_strategy(depth_first(2), 1);
    explore(independent({4, 4}), *strategy, before);
    EXPECT_THROW(explore(independent({4, 4, 4}), *strategy, 1), Nondeterminism) << before;
  }
}

// --- Programs that change ---

TEST(Pb, NoticesAProgramThatChanges) {
  for (std::uint64_t before = 1; before < 26; ++before) {
    const auto strategy = make_strategy("pb:bound=2", 1);
    explore(independent({4, 4}), *strategy, before);
    EXPECT_THROW(explore(independent({4, 4, 4}), *strategy, 1), Nondeterminism) << before;
  }
}

TEST(Pb, NoticesAnExecutionThatEndsInsideItsPrefix) {
  for (std::uint64_t before = 1; before < 26; ++before) {
    const auto strategy = make_strategy("pb:bound=2", 1);
    explore(independent({4, 4}), *strategy, before);
    explore(independent({4, 4}), *strategy, 1, 0);
    EXPECT_THROW(strategy->begin(), Nondeterminism) << before;
  }
}

}  // namespace
}  // namespace ricercar::inline strategy
