// Partial order sampling: the exact probabilities of the orders of small programs.
#include <gtest/gtest.h>

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
