// Partial order sampling: the exact probabilities of the orders of small programs.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <vector>

#include "strategy/step_priorities.h"
#include "strategy/toy_world.h"

namespace ricercar::inline strategy {
namespace {

using toy::explore;
using toy::Operation;
using toy::Program;
using toy::Schedule;

constexpr std::uint32_t executions = 60000;
const Operation write_x{Operation::write, 0};
const Operation read_x{Operation::read, 0};

// How unlikely the orders are with which `expected` came up; the sum over all orders.
double chi_square(const Program& program, const std::map<Schedule, double>& expected) {
  std::map<Schedule, double> counts;
  for (const auto& execution : explore(program, "pos", executions)) ++counts[execution.schedule];
  EXPECT_EQ(counts.size(), expected.size());
  double sum = 0;
  for (const auto& [schedule, probability] : expected) {
    const double mean = probability * executions;
    sum += (counts[schedule] - mean) * (counts[schedule] - mean) / mean;
  }
  return sum;
}

// One task comes between independent steps of another wherever its one priority falls.
TEST(Pos, KeepsThePriorityOfAStepThatNothingRacesWith) {
  const Program program = {{{}, {}, {}}, {{}}};
  const std::map<Schedule, double> expected = {{{1, 0, 0, 0}, 1 / 2.0},
                                               {{0, 1, 0, 0}, 1 / 6.0},
                                               {{0, 0, 1, 0}, 1 / 12.0},
                                               {{0, 0, 0, 1}, 1 / 4.0}};
  EXPECT_LT(chi_square(program, expected), 16.27);  // three degrees of freedom, 0.1 %
}

TEST(Pos, DrawsThePriorityOfARacingStepAgain) {
  const Program program = {{write_x, write_x}, {write_x}};
  const std::map<Schedule, double> expected = {
      {{1, 0, 0}, 1 / 2.0}, {{0, 1, 0}, 1 / 4.0}, {{0, 0, 1}, 1 / 4.0}};
  EXPECT_LT(chi_square(program, expected), 13.82);  // two degrees of freedom, 0.1 %
}

TEST(Pos, TakesTwoReadsForNoRace) {
  const Program program = {{read_x, read_x}, {read_x}};
  const std::map<Schedule, double> expected = {
      {{1, 0, 0}, 1 / 2.0}, {{0, 1, 0}, 1 / 6.0}, {{0, 0, 1}, 1 / 3.0}};
  EXPECT_LT(chi_square(program, expected), 13.82);
}

// The paper's reason for it: a step that has to wait for many others which it does not race with
// does so if its one priority is the lowest of all, where random would have to decide against it
// again and again.
TEST(Pos, LetsAStepComeLastAsOftenAsItsPriorityIsTheLowest) {
  constexpr std::uint32_t others = 9;
  Program program = {{}, {read_x}};
  program[0].resize(others - 1);
  program[0].push_back(write_x);
  const auto share_of_last = [&](const std::string& name) {
    double count = 0;
    for (const auto& execution : explore(program, name, executions)) {
      if (execution.schedule.back() == 1) ++count;
    }
    return count / executions;
  };
  const double tolerance = 4 * 0.5 / std::sqrt(executions);
  EXPECT_NEAR(share_of_last("pos"), 1.0 / (others + 1), tolerance);
  EXPECT_NEAR(share_of_last("random"), 1.0 / (1 << others), tolerance);
}

// Two tasks that race with each step: after each of them both priorities are new, as for random.
TEST(Pos, IsLikeRandomWhereEveryStepRaces) {
  const Program program = {{write_x, write_x, write_x}, {write_x, write_x}};
  std::map<Schedule, double> expected;
  for (const auto& execution : toy::brute_force(program)) {
    double probability = 1;
    std::size_t left[] = {3, 2};
    for (const int task : execution.schedule) {
      if (left[0] > 0 && left[1] > 0) probability /= 2;
      --left[task];
    }
    expected[execution.schedule] = probability;
  }
  EXPECT_LT(chi_square(program, expected), 27.88);  // nine degrees of freedom, 0.1 %
}

// --- What it is made of ---

TEST(RandomOrder, TakesEachOrderWithTheSameProbability) {
  Random random(1);
  RandomOrder order;
  std::map<std::vector<std::uint32_t>, double> counts;
  for (std::uint32_t i = 0; i < executions; ++i) {
    order.begin();
    std::uint64_t left = 0b10110;
    std::vector<std::uint32_t> found;
    for (; left != 0; left &= ~(std::uint64_t{1} << found.back())) {
      TaskWords asked = {left};
      found.push_back(order.highest(asked, random));
    }
    ++counts[found];
  }
  ASSERT_EQ(counts.size(), 6U);
  double sum = 0;
  for (const auto& [found, count] : counts) {
    sum += (count - executions / 6.0) * (count - executions / 6.0) / (executions / 6.0);
  }
  EXPECT_LT(sum, 20.52);  // five degrees of freedom, 0.1 %
}

// The highest of three that were known before is higher than a new one in three of four cases, and
// who was asked for stays the highest as long as nothing is drawn again.
TEST(RandomOrder, KeepsWhatIsNotDrawnAgain) {
  Random random(1);
  RandomOrder order;
  order.set_words(2);
  double new_ones = 0;
  for (std::uint32_t i = 0; i < executions; ++i) {
    order.begin();
    TaskWords before = {0b111, 0};
    const std::uint32_t highest = order.highest(before, random);
    order.draw_again({0, 1});
    TaskWords after = {0b111, 1};
    const std::uint32_t found = order.highest(after, random);
    EXPECT_TRUE(found == highest || found == 64);
    new_ones += found == 64 ? 1 : 0;
  }
  EXPECT_NEAR(new_ones / executions, 0.25, 4 * 0.5 / std::sqrt(executions));
}

// Against footprints, which are compared one by one.
TEST(NextTouches, FindsTheTasksWhoseNextStepRaces) {
  const OperationKind kinds[] = {
      OperationKind::atomic_load, OperationKind::atomic_store, OperationKind::write,
      OperationKind::lock,        OperationKind::wait,         OperationKind::start,
      OperationKind::end,         OperationKind::join,         OperationKind::exit};
  constexpr std::uint32_t tasks = 70;
  Random random(1);
  const auto draw = [&] {
    const std::uint8_t sizes[] = {0, 1, 4, 8, 16};
    return model::Operation{4096 + 2 * random.below(200), 7, kinds[random.below(std::size(kinds))],
                            sizes[random.below(5)]};
  };
  NextTouches touches;
  touches.set_words(2);
  std::vector<model::Operation> next(tasks);
  for (model::Operation& each : next) each = draw();
  for (int i = 0; i < 2000; ++i) {
    TaskSet enabled;
    for (std::uint32_t task = 0; task < tasks; ++task) {
      if (random.below(4) != 0) enabled.insert(task_id(task));
    }
    TaskWords moved(2), racing(2), expected(2);
    const std::uint32_t mover = random.below(tasks);
    moved[mover / 64] |= std::uint64_t{1} << mover % 64;
    next[mover] = draw();
    const ChoicePoint point{ChoiceKind::schedule, 0, no_task,
                            OptionList(&enabled, enabled.size(), next.data())};
    touches.follow(point, moved);
    const model::Operation last = draw();
    const Step step{last.site, last.object, 0, task_id(mover), last.kind, 0, last.size, 0, 2};
    touches.add_racing(step, racing);
    Footprint done;
    done.add(step, true);
    enabled.for_each([&](TaskId task) {
      const model::Operation& other = next[index(task)];
      Footprint footprint;
      footprint.add({other.site, other.object, 0, task, other.kind, 0, other.size, 0, 0}, true);
      if (footprint.depends_on(done)) {
        expected[index(task) / 64] |= std::uint64_t{1} << index(task) % 64;
      }
    });
    EXPECT_EQ(racing, expected) << i;
  }
}

// --- The strategy ---

TEST(Pos, TakesEachValueWithTheSameProbability) {
  const Program program = {{{Operation::choose, 3}}};
  const std::map<Schedule, double> expected = {
      {{0, -1}, 1 / 3.0}, {{0, -2}, 1 / 3.0}, {{0, -3}, 1 / 3.0}};
  EXPECT_LT(chi_square(program, expected), 13.82);
}

TEST(Pos, MakesTheSameExecutionsFromTheSameSeed) {
  const Program program = toy::critical_sections(3, 3);
  const auto schedules = [&](std::uint64_t seed) {
    std::vector<Schedule> all;
    for (const auto& execution : explore(program, *make_strategy("pos", seed), 20))
      all.push_back(execution.schedule);
    return all;
  };
  EXPECT_EQ(schedules(4), schedules(4));
  EXPECT_NE(schedules(4), schedules(5));
}

}  // namespace
}  // namespace ricercar::inline strategy
