// HaPSet's searches on programs of the toy world, where all steps are one statement: only who comes
// first of two tasks is a pair.
#include <gtest/gtest.h>

#include <string>

#include "strategy/enumerated_programs.h"

namespace ricercar::inline strategy {
namespace {

using namespace toy;

class HapsetSearch : public Reductions {};

TEST_F(HapsetSearch, RunsNothingTwiceAndNothingImpossible) {
  for (const char* base :
       {"hapset:prune=yes", "hapset:prune=yes,replan=yes", "hapset:prune=yes,base=pb,bound=1"}) {
    for_each_program([base](const Program& program, const std::vector<Execution>& all) {
      const std::vector<Execution> some = toy::explore(program, base);
      const std::vector<toy::Schedule> possible = toy::sorted_schedules(all);
      const std::vector<toy::Schedule> run = toy::sorted_schedules(some);
      EXPECT_TRUE(std::includes(possible.begin(), possible.end(), run.begin(), run.end())) << base;
      EXPECT_EQ(std::adjacent_find(run.begin(), run.end()), run.end()) << base;
    });
  }
}

TEST_F(HapsetSearch, WithoutPruningLeavesNothingOut) {
  for_each_program([](const Program& program, const std::vector<Execution>& all) {
    EXPECT_EQ(final_states(program, toy::explore(program, "hapset:prune=no")),
              final_states(program, all));
  });
}

std::vector<toy::Schedule> schedules_of(const std::vector<Execution>& executions) {
  std::vector<toy::Schedule> schedules;
  for (const Execution& execution : executions) schedules.push_back(execution.schedule);
  return schedules;
}

// First exactly what prune=yes runs, then the rest; and only then it claims to be complete.
TEST_F(HapsetSearch, RunsWhatItHasLeftOutAfterwards) {
  std::size_t incomplete = 0;
  for (const std::string parameters : {"replan=yes", "replan=no"}) {
    for_each_program([&](const Program& program, const std::vector<Execution>& all) {
      const auto strategy = make_strategy("hapset:" + parameters, 1);
      std::vector<Execution> run;
      Execution execution;
      while (toy::execute(program, *strategy, execution)) {
        EXPECT_FALSE(first_part_of(*strategy) == 0 && strategy->coverage().complete);
        run.push_back(execution);
      }
      EXPECT_TRUE(strategy->coverage().complete) << strategy->coverage().text;
      EXPECT_EQ(final_states(program, run), final_states(program, all));
      EXPECT_EQ(traces_of(program, complete(run)), traces_of(program, all));

      const auto pruned = toy::explore(program, "hapset:prune=yes," + parameters);
      const std::uint64_t first_part = first_part_of(*strategy);
      ASSERT_EQ(first_part, pruned.size());
      run.resize(first_part);
      EXPECT_EQ(schedules_of(run), schedules_of(pruned));
      incomplete += final_states(program, pruned) == final_states(program, all) ? 0 : 1;
    });
  }
  EXPECT_GE(incomplete, 10u) << "otherwise there is nothing that the second part is for";
}

TEST_F(HapsetSearch, WithABoundRunsWhatTheBoundAllows) {
  for_each_program([](const Program& program, const std::vector<Execution>& all) {
    const auto strategy = make_strategy("hapset:base=pb,bound=1", 1);
    std::vector<Execution> run = toy::explore(program, *strategy);
    EXPECT_TRUE(strategy->coverage().complete);
    const auto first_part = static_cast<std::ptrdiff_t>(first_part_of(*strategy));
    run.erase(run.begin(), run.begin() + first_part);
    EXPECT_EQ(toy::sorted_schedules(run), toy::sorted_schedules(toy::with_at_most(1, all)));
  });
}

// Programs that are too large to be enumerated, against dpor.
TEST_F(HapsetSearch, RunsTheTracesOfDporInLargerPrograms) {
  std::uint64_t compared = 0;
  for (std::uint64_t seed = 0; compared < 60; ++seed) {
    const Program program = random_program(seed, 1);
    const std::vector<Execution> by_dpor = toy::explore(program, "dpor", 1001);
    if (by_dpor.size() > 1000 || by_dpor.size() < 20) continue;
    ++compared;
    const auto strategy = make_strategy("hapset", 1);
    const std::vector<Execution> run = toy::explore(program, *strategy);
    EXPECT_TRUE(strategy->coverage().complete);
    EXPECT_EQ(traces_of(program, complete(run)), traces_of(program, by_dpor)) << seed;
  }
}

TEST_F(HapsetSearch, CountsWhatItHasLearnedFromInTheFirstPart) {
  const Program program = toy::critical_sections(2, 3);
  const auto strategy = make_strategy("hapset:learn=5", 1);
  toy::explore(program, *strategy);
  // One execution that the sets know all of; then the 20 traces.
  EXPECT_EQ(first_part_of(*strategy), 6u);
  EXPECT_EQ(strategy->coverage().text,
            "5 random executions to learn from; every new scenario in reach after 1 executions; "
            "then, with what was left out: every Mazurkiewicz trace: 20");
}

TEST_F(HapsetSearch, BeginsAgainWithItsFirstPart) {
  const Program program = toy::critical_sections(2, 3);
  const auto strategy = make_strategy("hapset", 1);
  toy::explore(program, *strategy, 10);
  EXPECT_EQ(first_part_of(*strategy), 4u);
  strategy->as<CanRestart>()->restart();
  EXPECT_EQ(first_part_of(*strategy), 0u);
  EXPECT_FALSE(strategy->coverage().complete);
  // The sets know everything: one execution, and then all of them.
  EXPECT_EQ(toy::explore(program, *strategy).size(), 21u);
  EXPECT_EQ(first_part_of(*strategy), 11u);
  EXPECT_TRUE(strategy->coverage().complete);
}

TEST_F(HapsetSearch, RunsIndependentTasksOnceAndWritersInBothOrders) {
  EXPECT_EQ(toy::explore(toy::independent({4, 4}), "hapset:prune=yes").size(), 1u);
  EXPECT_EQ(toy::explore(writers(2), "hapset:prune=yes").size(), 2u);
  EXPECT_EQ(final_states(writers(2), toy::explore(writers(2), "hapset:prune=yes")),
            final_states(writers(2), toy::brute_force(writers(2))));
}

// Task 0 goes through its critical section three times, then task 1. Before each of the three locks
// a turn is planned for task 1: the other order of the two tasks has not been seen. The first of
// these executions shows it. Algorithm 5 of the paper runs the two others as well; with replan=yes
// they have become known when their turn comes.
TEST_F(HapsetSearch, RunsWhatWasPlannedOrAsksAgain) {
  const Program program = toy::critical_sections(2, 3);
  EXPECT_EQ(toy::explore(program, "hapset:prune=yes,replan=yes").size(), 2u);
  EXPECT_EQ(toy::explore(program, "hapset:prune=yes,replan=no").size(), 4u);
}

}  // namespace
}  // namespace ricercar::inline strategy
