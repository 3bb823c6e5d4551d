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

// Two tasks and, until it has happened once, what lets something go wrong: at which of `choices`
// that was; `choices`: never.
std::vector<std::uint32_t> moments_of_faults(const std::string& name, std::uint32_t choices,
                                             std::uint32_t executions) {
  constexpr std::uint32_t injector = 2;
  std::vector<std::uint32_t> counts(choices + 1);
  std::vector<ricercar::Operation> pending(3);
  const auto strategy = make_strategy(name, 1);
  for (std::uint32_t i = 0; i < 100 + executions; ++i) {
    std::vector<Step> trace;
    std::uint32_t when = choices;
    strategy->begin();
    for (std::uint32_t choice = 0; choice < choices; ++choice) {
      TaskSet enabled;
      for (const std::uint32_t task : {0u, 1u, injector}) {
        if (task != injector || when == choices) enabled.insert(task_id(task));
      }
      const FaultOption fault = when == choices ? FaultOption{injector, 1} : FaultOption{};
      const std::size_t chosen =
          strategy->choose({ChoiceKind::schedule,
                            choice,
                            no_task,
                            OptionList(&enabled, enabled.size(), pending.data()),
                            trace,
                            {},
                            fault});
      trace.push_back({0, 0, 0, task_id(static_cast<std::uint32_t>(chosen)), {}, 0, 0, 0, 3});
      if (chosen == injector) when = choice;
    }
    strategy->end(trace, {});
    if (i >= 100) ++counts[when];  // the length is known by then
  }
  return counts;
}

TEST(Faults, HappenAtAnyChoiceWithTheSameProbability) {
  for (const char* name : {"random", "pct", "pos"}) {
    EXPECT_LT(chi_square(moments_of_faults(name, 20, 21000), 1000), 45.31) << name;  // 20, 0.1 %
  }
}

}  // namespace
}  // namespace ricercar::inline strategy
