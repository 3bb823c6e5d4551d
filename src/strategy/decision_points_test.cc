// The choice points of an execution, as the reductions keep them.
#include "strategy/decision_points.h"

#include <gtest/gtest.h>

namespace ricercar::inline strategy {
namespace {

struct Level : DecisionPoint {
  int plans = 0;
};

class DecisionPointsTest : public testing::Test {
 protected:
  Level& schedule(std::uint64_t step, const std::vector<std::uint32_t>& tasks, std::uint32_t chosen,
                  TaskId running = no_task) {
    enabled = {};
    for (const std::uint32_t task : tasks) enabled.insert(task_id(task));
    const OptionList options(&enabled, enabled.size(), pending_.data());
    const ChoicePoint point{ChoiceKind::schedule, step, running, options};
    return points.push(point, static_cast<std::uint16_t>(chosen));
  }
  Level& value(std::uint64_t step, std::uint32_t alternatives, std::uint16_t chosen) {
    const OptionList options(task_id(0), alternatives, pending_.data());
    return points.push({ChoiceKind::value, step, no_task, options}, chosen);
  }
  std::vector<std::uint16_t> tasks_at(std::uint32_t at) const {
    std::vector<std::uint16_t> tasks;
    points.for_each_enabled(at, [&](std::uint16_t task) { tasks.push_back(task); });
    return tasks;
  }

  TaskSet enabled;
  DecisionPoints<Level> points;
  const std::vector<Operation> pending_ = std::vector<Operation>(max_tasks);
};

TEST_F(DecisionPointsTest, APointIsFoundByTheStepOfItsDecision) {
  schedule(2, {0, 1}, 0);
  schedule(5, {0, 1}, 1);
  EXPECT_EQ(points.at_step(2), 0u);
  EXPECT_EQ(points.at_step(5), 1u);
  EXPECT_EQ(points.at_step(3), no_index);
  EXPECT_EQ(points.at_step(6), no_index);
}

TEST_F(DecisionPointsTest, AValueIsNoPlaceForATask) {
  EXPECT_TRUE(value(4, 3, 1).is_value);
  EXPECT_EQ(points.at_step(4), no_index);
  EXPECT_EQ(tasks_at(0), std::vector<std::uint16_t>{});
}

TEST_F(DecisionPointsTest, ChoosingAnotherTaskThanTheRunningOneIsAPreemption) {
  EXPECT_EQ(schedule(0, {0, 1}, 1).preemptions, 0u);
  EXPECT_EQ(schedule(1, {0, 1}, 0, task_id(1)).preemptions, 0u);
  EXPECT_EQ(points.preemptions(), 1u);
  EXPECT_EQ(value(2, 2, 1).preemptions, 1u);
  EXPECT_EQ(schedule(3, {0, 1}, 0, task_id(0)).preemptions, 1u);
  EXPECT_EQ(points.preemptions(), 1u);
  EXPECT_EQ(points[3].preemptions_with(1), 2u);
  EXPECT_EQ(points[2].preemptions_with(0), 1u) << "another value is none";
}

TEST_F(DecisionPointsTest, TasksWithLargeNumbersAreKept) {
  schedule(0, {0, 63}, 0);
  schedule(1, {1, 63, 64, 500}, 64);
  schedule(2, {2, 70}, 2);
  EXPECT_EQ(tasks_at(0), (std::vector<std::uint16_t>{0, 63}));
  EXPECT_EQ(tasks_at(1), (std::vector<std::uint16_t>{1, 63, 64, 500}));
  EXPECT_EQ(tasks_at(2), (std::vector<std::uint16_t>{2, 70}));
  EXPECT_TRUE(points.is_enabled(1, 500));
  EXPECT_TRUE(points.is_enabled(1, 63));
  EXPECT_FALSE(points.is_enabled(1, 70));
  EXPECT_FALSE(points.is_enabled(0, 64));
}

TEST_F(DecisionPointsTest, APointThatGoesTakesItsTasksAlong) {
  schedule(0, {0, 100}, 0);
  schedule(1, {0, 200}, 0);
  points.pop();
  schedule(1, {0, 300}, 0);
  EXPECT_EQ(tasks_at(0), (std::vector<std::uint16_t>{0, 100}));
  EXPECT_EQ(tasks_at(1), (std::vector<std::uint16_t>{0, 300}));
}

TEST_F(DecisionPointsTest, AChoiceIsATaskOrAnAlternative) {
  enabled.insert(task_id(3));
  enabled.insert(task_id(9));
  const ChoicePoint between_tasks{ChoiceKind::schedule, 0, no_task,
                                  OptionList(&enabled, 2, pending_.data())};
  EXPECT_EQ(choice_of(between_tasks, 1), 9u);
  EXPECT_EQ(option_of(between_tasks, 9), 1u);
  EXPECT_FALSE(offers(between_tasks, 1));
  const ChoicePoint of_a_value{ChoiceKind::value, 0, no_task,
                               OptionList(task_id(3), 2, pending_.data())};
  EXPECT_EQ(choice_of(of_a_value, 1), 1u);
  EXPECT_EQ(option_of(of_a_value, 1), 1u);
  EXPECT_TRUE(offers(of_a_value, 1));
  EXPECT_FALSE(offers(of_a_value, 2));
}

}  // namespace
}  // namespace ricercar::inline strategy
