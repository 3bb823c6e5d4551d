// Partial order sampling: the exact probabilities of the orders of small programs.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <vector>

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
