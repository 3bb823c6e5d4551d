// The searches that the paper compares with: irs, and pb with a cache of states.
#include <gtest/gtest.h>

#include <set>

#include "strategy/toy_world.h"

namespace ricercar::inline strategy {
namespace {

using toy::critical_sections;
using toy::Execution;
using toy::independent;
using toy::Operation;
using toy::Program;

using States = std::set<std::vector<std::uint64_t>>;

TEST(Irs, CutsAt100StepsMoreInEachRoundAndTakesThreeTimesMoreSamples) {
  const auto strategy = make_strategy("irs", 1);
  const Program program = independent({200, 200});
  const auto executions = toy::explore(program, *strategy, 103 + 109 + 127 + 1);
  ASSERT_EQ(executions.size(), 340u);
  for (std::size_t i = 0; i < 340; ++i) {
    const std::size_t depth = i < 103 ? 100 : i < 212 ? 200 : i < 339 ? 300 : 400;
    EXPECT_EQ(executions[i].given_up, depth < 400) << i;
    EXPECT_EQ(executions[i].schedule.size(), depth) << i;
  }
  EXPECT_EQ(strata_of(*strategy).size(), 4u);
  EXPECT_EQ(strata_of(*strategy)[1].samples, 109u);
}

// Every state on an execution with at most so many preemptions.
States states_of(const Program& program, std::uint32_t preemptions) {
  States all;
  for (const Execution& execution : toy::with_at_most(preemptions, toy::brute_force(program))) {
    toy::World world(program);
    all.insert(world.contents());
    for (std::size_t i = 0; i < execution.schedule.size(); ++i) {
      const TaskId task = task_id(static_cast<std::uint32_t>(execution.schedule[i]));
      std::uint32_t value = 0;
      if (world.alternatives(task) > 1) {
        value = static_cast<std::uint32_t>(-1 - execution.schedule[++i]);
      }
      world.perform(task, value);
      all.insert(world.contents());
    }
  }
  return all;
}

std::vector<Program> programs() {
  return {
      independent({3, 3}),
      independent({1, 2, 3}),
      critical_sections(3, 1),
      {{{}, {Operation::choose, 3}, {}}, {{}, {Operation::choose, 2}, {Operation::choose, 2}}},
      {{{Operation::yield, 0}, {}, {}}, {{}, {Operation::yield, 0}, {}}, {{}, {}}},
      {{{Operation::create, 1}, {Operation::create, 2}, {}, {}}, {{}, {}}, {{}, {}}},
      {{{Operation::write, 0}, {Operation::write, 1}},
       {{Operation::write, 1}, {Operation::write, 0}},
       {{Operation::write, 0}, {}}},
  };
}

TEST(CachedPb, VisitsTheStatesOfAllExecutionsWithSoManyPreemptions) {
  for (const Program& program : programs()) {
    for (std::uint32_t bound = 0; bound <= 3; ++bound) {
      const States expected = states_of(program, bound);
      for (const bool keeps : {false, true}) {
        const auto strategy = make_strategy("pb:cache=yes,bound=" + std::to_string(bound), 1);
        States visited;
        for (const Execution& execution :
             toy::explore(program, *strategy, toy::no_limit, toy::no_limit, keeps)) {
          visited.insert(execution.states.begin(), execution.states.end());
        }
        EXPECT_EQ(visited, expected) << bound;
        EXPECT_TRUE(strategy->coverage().complete);
        EXPECT_EQ(strata_of(*strategy).back().states, expected.size());
      }
    }
  }
}

TEST(CachedPb, SaysWhatItCovered) {
  const auto strategy = make_strategy("pb:cache=yes,bound=1", 1);
  toy::explore(independent({4, 4}), *strategy);
  EXPECT_EQ(strategy->coverage().text, "every state within 1 preemption: 25");
  EXPECT_LT(toy::explore(independent({8, 8}), *make_strategy("pb:cache=yes,bound=9", 1)).size(),
            toy::explore(independent({8, 8}), *make_strategy("pb:bound=9", 1)).size());
}

}  // namespace
}  // namespace ricercar::inline strategy
