#include "search/rounds.h"

#include <gtest/gtest.h>

#include "model/task_set.h"

namespace ricercar::inline search {
namespace {

Step step_of(std::uint32_t task) {
  Step step{};
  step.task = task_id(task);
  return step;
}

std::vector<Step> steps_of(const std::vector<std::uint32_t>& tasks) {
  std::vector<Step> steps;
  for (const std::uint32_t task : tasks) steps.push_back(step_of(task));
  return steps;
}

// Which tasks make the first steps if nobody ever waits, but those who are `out`.
std::vector<std::uint32_t> run(const Rounds& rounds, std::size_t count,
                               std::vector<std::uint32_t> out = {}) {
  RoundsStrategy strategy;
  strategy.follow(rounds);
  TaskSet options;
  for (std::uint32_t task = 0; task < 3; ++task) {
    if (std::find(out.begin(), out.end(), task) == out.end()) options.insert(task_id(task));
  }
  const std::vector<Operation> pending(3);
  std::vector<Step> trace;
  std::vector<std::uint32_t> tasks;
  while (tasks.size() < count) {
    const OptionList list(&options, options.size(), pending.data());
    const TaskId last = trace.empty() ? no_task : trace.back().task;
    const std::size_t chosen =
        strategy.choose({ChoiceKind::schedule, trace.size(), last, list, trace});
    tasks.push_back(index(list.task(static_cast<std::uint32_t>(chosen))));
    trace.push_back(step_of(tasks.back()));
  }
  return tasks;
}

using Tasks = std::vector<std::uint32_t>;

TEST(Rounds, OfATraceGoOnWithItsLastSteps) {
  const Rounds rounds = rounds_of(steps_of({0, 0, 1, 2, 2, 1}), 3);
  EXPECT_EQ(rounds.begin, 2U) << "0 twice, 1 once; then the round";
  EXPECT_EQ(run(rounds, 12), (Tasks{0, 0, 1, 2, 2, 1, 2, 2, 1, 2, 2, 1}));
}

TEST(Rounds, BeginInTheMiddleOfWhatATaskDoes) {
  const Rounds rounds = rounds_of(steps_of({0, 0, 0, 1}), 2);
  EXPECT_EQ(rounds.begin, 1U);
  EXPECT_EQ(run(rounds, 7), (Tasks{0, 0, 0, 1, 0, 1, 0}));
}

TEST(Rounds, LeaveOutWhoCannotGoOn) {
  const Rounds rounds = rounds_of(steps_of({0, 1, 2, 1}), 3);
  EXPECT_EQ(run(rounds, 6, {2}), (Tasks{0, 1, 1, 1, 1, 1}));
}

TEST(Rounds, WithoutTurnsInterruptNobody) {
  EXPECT_EQ(run({}, 3), (Tasks{0, 0, 0}));
  EXPECT_EQ(run({{{task_id(1), 1, {}}, {task_id(2), 1, {}}}, 2}, 4), (Tasks{1, 2, 2, 2}));
}

TEST(Rounds, TakeTheAlternativesOfTheTraceInEachRound) {
  std::vector<Step> steps = steps_of({0, 1, 1});
  steps[2].flags = step_value;
  steps[2].value = 3;
  const Rounds rounds = rounds_of(steps, 2);
  ASSERT_EQ(rounds.turns.size(), 2U);
  EXPECT_EQ(rounds.turns[1].values, (std::vector<std::pair<std::uint32_t, std::uint32_t>>{{1, 3}}));
  RoundsStrategy strategy;
  strategy.follow(rounds);
  const Operation operation;
  const OptionList four(task_id(1), 4, &operation);
  const std::vector<Step> before = steps_of({0, 1, 1, 1});
  EXPECT_EQ(strategy.choose({ChoiceKind::value, 4, task_id(1), four, before}), 3U);
}

}  // namespace
}  // namespace ricercar::inline search
