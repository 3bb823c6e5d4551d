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
  for (const char* name : {"random", "pct", "pos", "surw", "rff"}) {
    EXPECT_LT(chi_square(moments_of_faults(name, 20, 21000), 1000), 45.31) << name;  // 20, 0.1 %
  }
}

// A long execution whose steps are of one kind but for a single one, after which there is a window
// of one choice; with a budget of faults, or of early time limits. How often the budget is used in
// that window.
int hits_behind_a_rare_step(const std::string& name, bool is_early) {
  constexpr std::uint32_t choices = 400, window = 237, rare = 2;
  const std::vector<ricercar::Operation> pending(3);
  const auto strategy = make_strategy(name, 1);
  int hits = 0;
  for (int i = 0; i < 400; ++i) {
    std::vector<Step> trace;
    bool is_left = true;
    strategy->begin();
    for (std::uint32_t choice = 0; choice < choices; ++choice) {
      TaskSet enabled, early;
      for (const std::uint32_t task : {0u, 1u, rare}) {
        if (task != rare || is_left) enabled.insert(task_id(task));
      }
      early.insert(task_id(rare));
      ChoicePoint point = {ChoiceKind::schedule, choice, no_task,
                           OptionList(&enabled, enabled.size(), pending.data()), trace};
      if (is_left && is_early) point.early = {&early, 1};
      if (is_left && !is_early) point.fault = {rare, 1};
      const std::size_t chosen = strategy->choose(point);
      const std::uint64_t site = choice + 1 == window ? 7 : 5;
      trace.push_back({site, 0, 0, task_id(static_cast<std::uint32_t>(chosen)), {}, 0, 0, 0, 3});
      if (chosen == rare && choice == window) ++hits;
      if (chosen == rare) is_left = false;
    }
    strategy->end(trace, {});
  }
  return hits;
}

TEST(Faults, AndEarlyTimeLimitsComeMoreOftenBehindWhatIsDoneSeldom) {
  for (const char* name : {"random", "pct", "pos", "surw", "rff", "coverage"}) {
    for (const bool is_early : {false, true}) {
      // Each choice alike: one time in 400 executions. Half of the executions prefer what is rare.
      EXPECT_GT(hits_behind_a_rare_step(name, is_early), 20) << name << is_early;
    }
  }
}

// The distances between the first two of a budget of two, in executions of 1,000 choices.
TEST(Faults, OftenFollowEachOtherSoon) {
  const std::vector<ricercar::Operation> pending(3);
  const auto strategy = make_strategy("random", 1);
  int soon = 0, late = 0;
  for (int i = 0; i < 1000; ++i) {
    std::vector<Step> trace;
    std::vector<std::uint32_t> moments;
    strategy->begin();
    for (std::uint32_t choice = 0; choice < 1000; ++choice) {
      TaskSet enabled;
      const auto left = static_cast<std::uint32_t>(2 - moments.size());
      for (const std::uint32_t task : {0u, 1u, 2u}) {
        if (task != 2 || left > 0) enabled.insert(task_id(task));
      }
      ChoicePoint point = {ChoiceKind::schedule, choice, no_task,
                           OptionList(&enabled, enabled.size(), pending.data()), trace};
      if (left > 0) point.fault = {2, left};
      const std::size_t chosen = strategy->choose(point);
      trace.push_back({5, 0, 0, task_id(static_cast<std::uint32_t>(chosen)), {}, 0, 0, 0, 3});
      if (chosen == 2) moments.push_back(choice);
    }
    strategy->end(trace, {});
    if (moments.size() < 2) continue;
    const std::uint32_t distance = moments[1] - moments[0];
    soon += distance < 16 ? 1 : 0;
    late += distance >= 250 ? 1 : 0;
  }
  EXPECT_GT(soon, 150);  // spread evenly it would be some 30
  EXPECT_GT(late, 150);
}

}  // namespace
}  // namespace ricercar::inline strategy
