#include <gtest/gtest.h>

#include <vector>

#include "strategy/portfolio_turns.h"
#include "strategy/toy_world.h"

namespace ricercar::inline strategy {
namespace {

using toy::brute_force;
using toy::critical_sections;
using toy::explore;
using toy::independent;
using toy::Operation;
using toy::Program;
using toy::Schedule;

// --- PortfolioTurns ---

std::vector<std::size_t> count(PortfolioTurns& turns, std::size_t members, std::size_t executions) {
  std::vector<std::size_t> counts(members);
  for (std::size_t i = 0; i < executions; ++i) ++counts[turns.next()];
  return counts;
}

TEST(PortfolioTurns, AreSharedAsWished) {
  const std::vector<double> shares = {5, 3, 2};
  PortfolioTurns turns(shares);
  EXPECT_EQ(turns.next(), 0U) << "the first one begins";
  const std::vector<std::size_t> counts = count(turns, 3, 9999);
  EXPECT_NEAR(static_cast<double>(counts[0]), 5000, 2);
  EXPECT_NEAR(static_cast<double>(counts[1]), 3000, 2);
  EXPECT_NEAR(static_cast<double>(counts[2]), 2000, 2);
}

TEST(PortfolioTurns, OfOneThatHasNothingLeftAreTakenByTheOthers) {
  const std::vector<double> shares = {5, 3, 2};
  PortfolioTurns turns(shares);
  turns.retire(0);
  EXPECT_FALSE(turns.is_left(0));
  EXPECT_EQ(count(turns, 3, 100), (std::vector<std::size_t>{0, 60, 40}));
}

TEST(PortfolioTurns, BelongToTheFirstOneAtFirst) {
  const std::vector<double> shares = {1, 9};
  PortfolioTurns turns(shares, 3);
  EXPECT_EQ(count(turns, 2, 3), (std::vector<std::size_t>{3, 0}));
  EXPECT_EQ(count(turns, 2, 10), (std::vector<std::size_t>{1, 9}));
}

TEST(PortfolioTurns, CanBeSharedInAnotherWayLater) {
  const std::vector<double> shares = {1, 1}, other_shares = {0.25, 1};
  PortfolioTurns turns(shares, 20);
  count(turns, 2, 10);
  turns.set_shares(other_shares);
  EXPECT_NEAR(static_cast<double>(count(turns, 2, 100)[0]), 20, 1);
}

TEST(PortfolioTurns, MoveTowardsTheOneThatShowsMoreInAsManySteps) {
  const std::vector<double> shares = {1, 1};
  PortfolioTurns turns(shares);
  for (int i = 0; i < 400; ++i) {
    const std::size_t member = turns.next();
    turns.learn(member, 100, member == 1);
  }
  EXPECT_DOUBLE_EQ(turns.weight(1), 0.75);
  EXPECT_DOUBLE_EQ(turns.weight(0), 0.25) << "half of its share stays";
  EXPECT_EQ(count(turns, 2, 100), (std::vector<std::size_t>{25, 75}));
}

TEST(PortfolioTurns, MoveTowardsTheOneThatNeedsFewerSteps) {
  const std::vector<double> shares = {1, 1};
  PortfolioTurns turns(shares);
  for (int i = 0; i < 4000; ++i) {
    const std::size_t member = turns.next();
    turns.learn(member, member == 0 ? 99 : 299, true);
  }
  EXPECT_NEAR(turns.weight(0), 0.25 + 0.5 * 0.75, 0.01);
}

TEST(PortfolioTurns, StayWhereTheyAreIfNobodyShowsAnythingNew) {
  const std::vector<double> shares = {3, 1};
  PortfolioTurns turns(shares);
  for (int i = 0; i < 400; ++i) turns.learn(turns.next(), 100, false);
  EXPECT_DOUBLE_EQ(turns.weight(0), 0.75);
}

// --- The portfolio ---

// The tasks of the steps that touch something, by object: what the order of all others cannot
// change.
std::vector<std::vector<int>> orders_of(const Program& program, const Schedule& schedule) {
  std::vector<std::vector<int>> orders(16);
  std::vector<std::size_t> next(program.size());
  int task = 0;
  for (const int decided : schedule) {
    if (decided < 0) {
      orders[static_cast<std::size_t>(8 + task)].push_back(decided);
      continue;
    }
    task = decided;
    const auto i = static_cast<std::size_t>(task);
    const Operation& operation = program[i][next[i]++];
    if (operation.kind != Operation::step && operation.kind != Operation::choose) {
      orders[operation.argument].push_back(task);
    }
  }
  return orders;
}

auto all_orders(const Program& program, const std::vector<toy::Execution>& executions) {
  std::set<std::vector<std::vector<int>>> orders;
  for (const toy::Execution& execution : executions) {
    orders.insert(orders_of(program, execution.schedule));
  }
  return orders;
}

TEST(Portfolio, EndsWithExactlyAllOrdersOfASmallProgram) {
  const Operation write_0{Operation::write, 0}, write_1{Operation::write, 1};
  const Program programs[] = {
      independent({3, 3}),
      critical_sections(3, 2),
      {{write_0, write_1, write_0}, {write_1, write_0}},
      {{{}, {Operation::choose, 3}}, {write_0, {Operation::choose, 2}, {}}, {write_0}},
      {{{Operation::lock, 0}, {Operation::lock, 1}, {Operation::unlock, 1}, {Operation::unlock, 0}},
       {{Operation::lock, 1},
        {Operation::lock, 0},
        {Operation::unlock, 0},
        {Operation::unlock, 1}}},
  };
  for (const Program& program : programs) {
    const auto strategy = make_strategy("portfolio", 1);
    const auto executions = explore(program, *strategy, 100000);
    EXPECT_TRUE(strategy->coverage().complete);
    EXPECT_EQ(all_orders(program, executions), all_orders(program, brute_force(program)));
    EXPECT_FALSE(strategy->begin());
  }
}

TEST(Portfolio, FindsEveryDeadlockAndEveryFailedCheckBeforeItSaysThatItIsComplete) {
  for (std::uint32_t steps = 1; steps < 5; ++steps) {
    Program program = {{}, {{Operation::write, 0}}};
    program[0].resize(steps);
    program[0].push_back({Operation::check, 0});
    const auto strategy = make_strategy("portfolio", 1);
    const auto executions = explore(program, *strategy);
    EXPECT_TRUE(strategy->coverage().complete);
    EXPECT_TRUE(std::any_of(executions.begin(), executions.end(),
                            [](const toy::Execution& execution) { return execution.failed; }));
  }
}

TEST(Portfolio, EndsAsSoonAsTheLastExecutionIsCovered) {
  const auto strategy = make_strategy("portfolio", 1);
  EXPECT_EQ(explore(independent({5}), *strategy).size(), 1U);
  EXPECT_TRUE(strategy->coverage().complete);
  EXPECT_EQ(strategy->coverage().text, "every Mazurkiewicz trace: 1");
  EXPECT_FALSE(strategy->begin());
}

TEST(Portfolio, RunsTheExecutionWithoutPreemptionsFirst) {
  EXPECT_EQ(explore(independent({2, 2, 2}), "portfolio", 1).front().schedule,
            (Schedule{0, 0, 1, 1, 2, 2}));
}

// Nothing commutes, so the executions with no preemption and with one are the same whether traces
// or executions are counted.
TEST(Portfolio, TellsWhatIsCoveredFromTheOthers) {
  const auto strategy = make_strategy("portfolio", 1);
  const Program program(2, toy::Task(30, {Operation::write, 0}));
  explore(program, *strategy, 2000);
  const Coverage coverage = strategy->coverage();
  EXPECT_FALSE(coverage.complete);
  std::uint64_t traces = 0, bounded = 0, more = 0, others = 0;
  ASSERT_EQ(std::sscanf(coverage.text.c_str(),
                        "Mazurkiewicz traces so far: %lu; every execution with at most 1 "
                        "preemption: %lu; with 2 preemptions, not yet all: %lu; and %lu other",
                        &traces, &bounded, &more, &others),
            4)
      << coverage.text;
  EXPECT_EQ(bounded, 60U);
  EXPECT_EQ(traces + bounded + more + others, 2000U);
  EXPECT_GT(others, 400U);
  EXPECT_GT(traces, 800U);
}

TEST(Portfolio, IsTheSameForTheSameSeed) {
  const Program program = independent({5, 5, 5});
  const Program racing(3, toy::Task(5, {Operation::write, 0}));
  for (const Program& each : {program, racing}) {
    const auto one = explore(each, *make_strategy("portfolio", 3), 1000);
    const auto same = explore(each, *make_strategy("portfolio", 3), 1000);
    ASSERT_EQ(one.size(), same.size());
    for (std::size_t i = 0; i < one.size(); ++i) EXPECT_EQ(one[i].schedule, same[i].schedule);
  }
  EXPECT_NE(toy::sorted_schedules(explore(racing, *make_strategy("portfolio", 3), 1000)),
            toy::sorted_schedules(explore(racing, *make_strategy("portfolio", 4), 1000)));
}

TEST(Portfolio, FindsADeepBugThatNoSmallBoundCovers) {
  const Program program(2, toy::Task(10, {Operation::write, 0}));
  const auto executions = explore(program, "portfolio", 20000);
  const auto alternates = [](const toy::Execution& e) { return e.preemptions >= 14; };
  EXPECT_TRUE(std::any_of(executions.begin(), executions.end(), alternates));
}

TEST(Portfolio, SamplesMoreWhereThereAreManyTasks) {
  const auto traces_with = [](std::size_t tasks) {
    const auto strategy = make_strategy("portfolio", 1);
    explore(Program(tasks, toy::Task(2, {Operation::write, 0})), *strategy, 1000);
    std::uint64_t traces = 0;
    const std::string text = strategy->coverage().text;
    EXPECT_EQ(std::sscanf(text.c_str(), "Mazurkiewicz traces so far: %lu", &traces), 1) << text;
    return traces;
  };
  EXPECT_GT(traces_with(10), 450U);
  EXPECT_LT(traces_with(20), 250U);
}

TEST(Portfolio, SamplesMoreWhereExecutionsAreLong) {
  const auto traces_with = [](std::size_t steps) {
    const auto strategy = make_strategy("portfolio", 1);
    explore(Program(2, toy::Task(steps, {Operation::write, 0})), *strategy, 1000);
    std::uint64_t traces = 0;
    const std::string text = strategy->coverage().text;
    EXPECT_EQ(std::sscanf(text.c_str(), "Mazurkiewicz traces so far: %lu", &traces), 1) << text;
    return traces;
  };
  EXPECT_GT(traces_with(126), 450U);
  EXPECT_LT(traces_with(130), 250U);
}

TEST(Portfolio, BeginsASmallProgramWithDpor) {
  const Program program(2, toy::Task(5, {Operation::write, 0}));
  const auto schedules = [&](const char* name) {
    std::vector<Schedule> all;
    for (const auto& execution : explore(program, name, 3)) all.push_back(execution.schedule);
    return all;
  };
  EXPECT_EQ(schedules("portfolio"), schedules("dpor"));
}

// It tells hapset itself that nothing is known of calls.
TEST(Portfolio, DoesNotAskTheWorldForCalls) {
  const auto strategy = make_strategy("portfolio", 1);
  EXPECT_EQ(strategy->as<LearnsContexts>(), nullptr);
  EXPECT_NE(strategy->as<WantsRest>(), nullptr);
}

// Steps that commute by what is seen of them may touch the same memory.
TEST(Portfolio, DoesNotEndWithOneExecutionOfEachTraceIfThereIsUnseenCode) {
  const Program program = independent({2, 2});
  const auto all = sorted_schedules(brute_force(program));
  Resources resources;
  EXPECT_LT(explore(program, *make_strategy("portfolio", 1, resources)).size(), all.size());
  resources.has_unseen_code = true;
  const auto strategy = make_strategy("portfolio", 1, resources);
  auto schedules = sorted_schedules(explore(program, *strategy));
  schedules.erase(std::unique(schedules.begin(), schedules.end()), schedules.end());
  EXPECT_EQ(schedules, all);
  EXPECT_TRUE(strategy->coverage().complete);
}

}  // namespace
}  // namespace ricercar::inline strategy
