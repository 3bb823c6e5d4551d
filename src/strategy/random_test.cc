#include <gtest/gtest.h>

#include "strategy/toy_world.h"

namespace ricercar::inline strategy {
namespace {

using toy::explore;
using toy::independent;
using toy::Operation;
using toy::Program;

double chi_square(const std::vector<std::uint32_t>& counts, double expected) {
  double sum = 0;
  for (const std::uint32_t count : counts)
    sum += (count - expected) * (count - expected) / expected;
  return sum;
}

TEST(Random, TakesEachTaskWithTheSameProbability) {
  std::vector<std::uint32_t> counts(5);
  for (const auto& execution : explore(independent({1, 1, 1, 1, 1}), "random", 50000)) {
    ++counts[static_cast<std::size_t>(execution.schedule.front())];
  }
  EXPECT_LT(chi_square(counts, 10000), 18.47);  // four degrees of freedom, 0.1 %
}

TEST(Random, TakesEachValueWithTheSameProbability) {
  std::vector<std::uint32_t> counts(7);
  for (const auto& execution : explore(Program{{{Operation::choose, 7}}}, "random", 70000)) {
    ++counts[static_cast<std::size_t>(-1 - execution.schedule.back())];
  }
  EXPECT_LT(chi_square(counts, 10000), 22.46);  // six degrees of freedom, 0.1 %
}

TEST(Random, TakesDecisionsThatAreIndependentOfEachOther) {
  std::vector<std::uint32_t> counts(16);
  const Program program = {{{Operation::choose, 4}, {Operation::choose, 4}}};
  for (const auto& execution : explore(program, "random", 160000)) {
    ++counts[static_cast<std::size_t>(4 * (-1 - execution.schedule[1]) - 1 -
                                      execution.schedule[3])];
  }
  EXPECT_LT(chi_square(counts, 10000), 37.70);  // fifteen degrees of freedom, 0.1 %
}

TEST(Random, MakesAnExecutionFromTheSeedAndItsNumberAlone) {
  const Program program = independent({9, 9, 9});
  const auto one = make_strategy("random", 7);
  const auto other = make_strategy("random", 7);
  explore(program, *one, 10);
  explore(independent({1, 1}), *other, 10);  // other programs before it, cut short
  EXPECT_EQ(explore(program, *one, 1).front().schedule,
            explore(program, *other, 1).front().schedule);
}

TEST(Random, MakesOtherExecutionsFromAnotherSeed) {
  const Program program = independent({9, 9, 9});
  const auto one = explore(program, *make_strategy("random", 7), 10);
  const auto other = explore(program, *make_strategy("random", 8), 10);
  for (std::size_t i = 0; i < one.size(); ++i) EXPECT_NE(one[i].schedule, other[i].schedule);
}

TEST(Random, NeverEndsAndPromisesNothing) {
  const auto strategy = make_strategy("random", 1);
  EXPECT_EQ(explore(independent({2, 2}), *strategy, 1000).size(), 1000u);
  EXPECT_FALSE(strategy->coverage().complete);
  EXPECT_EQ(strategy->coverage().text, "random executions: 1000, no promise");
}

}  // namespace
}  // namespace ricercar::inline strategy
