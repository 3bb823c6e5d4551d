#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "strategy/toy_world.h"

namespace ricercar::inline strategy {
namespace {

using toy::explore;
using toy::independent;
using toy::Operation;
using toy::Program;
using toy::Schedule;

std::map<Schedule, std::uint32_t> count_schedules(const Program& program, Strategy& strategy,
                                                  std::uint32_t executions) {
  std::map<Schedule, std::uint32_t> counts;
  for (const auto& execution : explore(program, strategy, executions)) ++counts[execution.schedule];
  return counts;
}

// Fewer hits than this have a probability below 1 in 30000 if one hit has `probability`.
double fewest_hits(double probability, double executions) {
  return executions * probability - 4 * std::sqrt(executions * probability);
}

// A schedule of two tasks in turns; a bug that needs all of these turns has as many constraints as
// there are changes from one task to the other.
Schedule in_turns(const std::vector<int>& steps) {
  Schedule schedule;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    schedule.insert(schedule.end(), static_cast<std::size_t>(steps[i]), static_cast<int>(i % 2));
  }
  return schedule;
}

TEST(Pct, RunsTasksInEveryOrderEquallyOftenAtDepthOne) {
  const auto strategy = make_strategy("pct:depth=1", 1);
  const auto counts = count_schedules(independent({1, 1, 1}), *strategy, 60000);
  EXPECT_EQ(counts.size(), 6u);
  double chi_square = 0;
  for (const auto& [schedule, count] : counts) {
    chi_square += (count - 10000.0) * (count - 10000.0) / 10000;
  }
  EXPECT_LT(chi_square, 20.52);  // five degrees of freedom, 0.1 %
}

TEST(Pct, FindsABugOfDepthTwoAsOftenAsGuaranteed) {
  const auto strategy = make_strategy("pct:depth=2,steps=8", 1);
  const auto counts = count_schedules(independent({4, 4}), *strategy, 100000);
  for (int i = 1; i <= 3; ++i) {
    EXPECT_GE(counts.at(in_turns({i, 4, 4 - i})), fewest_hits(1.0 / (2 * 8), 100000)) << i;
  }
}

TEST(Pct, FindsABugOfDepthThreeAsOftenAsGuaranteed) {
  const auto strategy = make_strategy("pct:depth=3,steps=8", 1);
  const auto counts = count_schedules(independent({4, 4}), *strategy, 200000);
  for (int i = 1; i <= 3; ++i) {
    for (int j = 1; j <= 3; ++j) {
      const Schedule bug = in_turns({i, j, 4 - i, 4 - j});
      EXPECT_GE(counts.at(bug), fewest_hits(1.0 / (2 * 8 * 8), 200000)) << i << " " << j;
    }
  }
}

TEST(Pct, FindsABugOfDepthFourAsOftenAsGuaranteed) {
  const auto strategy = make_strategy("pct:depth=4,steps=8", 1);
  const auto counts = count_schedules(independent({4, 4}), *strategy, 200000);
  const Schedule bug = in_turns({1, 2, 2, 2, 1});
  EXPECT_GE(counts.at(bug), fewest_hits(1.0 / (2 * 8 * 8 * 8), 200000));
}

TEST(Pct, FindsABugOfDepthThreeWithALearnedLength) {
  const auto strategy = make_strategy("pct:depth=3", 1);
  const auto counts = count_schedules(independent({4, 4}), *strategy, 200000);
  EXPECT_GE(counts.at(in_turns({2, 2, 2, 2})), fewest_hits(1.0 / (2 * 8 * 8), 200000));
}

TEST(Pct, NeverPreemptsIndependentTasksAtDepthOne) {
  for (const std::uint32_t tasks : {2u, 12u, 13u, 63u, 64u, 65u, 200u, 1024u}) {
    const Program program = independent(std::vector<std::uint32_t>(tasks, 3));
    for (const auto& execution : explore(program, "pct:depth=1", 10)) {
      EXPECT_EQ(execution.preemptions, 0u) << tasks;
      EXPECT_EQ(execution.schedule.size(), 3 * tasks);
    }
  }
}

TEST(Pct, PreemptsAtMostOnceForEachChangePoint) {
  for (const std::uint32_t tasks : {2u, 5u, 100u}) {
    const Program program = independent(std::vector<std::uint32_t>(tasks, 5));
    for (const auto& execution : explore(program, "pct:depth=4", 500)) {
      EXPECT_LE(execution.preemptions, 3u);
    }
  }
}

TEST(Pct, GivesATaskThatAppearsLaterAnyPriority) {
  // The new task preempts its creator, with the same priority as anyone, in half of the cases.
  const Program program = {{{}, {Operation::create, 1}, {}, {}}, {{}, {}}};
  const auto executions = explore(program, "pct:depth=1", 10000);
  const auto preempted = std::count_if(executions.begin(), executions.end(),
                                       [](const auto& e) { return e.preemptions > 0; });
  EXPECT_NEAR(static_cast<double>(preempted), 5000, 200);
}

TEST(Pct, LetsTheOthersRunWhenATaskYields) {
  const Program program = {toy::Task(50, {Operation::yield, 0}), {{}}, {{}}};
  for (const auto& execution : explore(program, "pct:depth=3", 1000)) {
    const auto behind = execution.schedule.begin() + 4;
    EXPECT_EQ(std::count(execution.schedule.begin(), behind, 1), 1);
    EXPECT_EQ(std::count(execution.schedule.begin(), behind, 2), 1);
  }
}

TEST(Pct, TakesEachValueWithTheSameProbability) {
  std::vector<std::uint32_t> counts(4);
  for (const auto& execution : explore(Program{{{Operation::choose, 4}}}, "pct", 40000)) {
    ++counts[static_cast<std::size_t>(-1 - execution.schedule.back())];
  }
  for (const std::uint32_t count : counts) EXPECT_NEAR(count, 10000, 400);
}

TEST(Pct, StatesItsBoundWithTheTasksAndChoicesSeen) {
  const auto strategy = make_strategy("pct:depth=3,steps=20", 1);
  explore(independent({4, 4, 4}), *strategy, 10);
  EXPECT_FALSE(strategy->coverage().complete);
  EXPECT_EQ(strategy->coverage().text,
            "random executions: 10, each finds a bug of depth 3 with probability at least "
            "1/(3*20^2) (tasks: 3, choices: 20)");
}

std::uint64_t learned_choices(const Strategy& strategy) {
  const std::string text = strategy.coverage().text;
  return std::stoull(text.substr(text.find("choices: ") + 9));
}

TEST(Pct, LearnsTheLengthOfTheExecutions) {
  const auto strategy = make_strategy("pct", 1);
  explore(independent({4, 4}), *strategy, 1000);  // from 4 to 7 choices each
  EXPECT_GE(learned_choices(*strategy), 4u);
  EXPECT_LE(learned_choices(*strategy), 7u);
}

TEST(Pct, ForgetsOneVeryLongExecution) {
  const auto strategy = make_strategy("pct", 1);
  explore(independent({50000, 50000}), *strategy, 1);
  EXPECT_GE(learned_choices(*strategy), 50000u);
  explore(independent({4, 4}), *strategy, 300);
  EXPECT_LE(learned_choices(*strategy), 7u);
}

}  // namespace
}  // namespace ricercar::inline strategy
