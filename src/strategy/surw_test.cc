// Selectively uniform random walk: once it knows how many events tasks have, every order of them is
// equally likely.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "strategy/toy_world.h"

namespace ricercar::inline strategy {
namespace {

using toy::brute_force;
using toy::explore;
using toy::independent;
using toy::Operation;
using toy::Program;
using toy::Schedule;

constexpr std::uint32_t to_learn = 4;  // executions until the numbers of events are known

// How far the orders are from being equally likely: the sum over all orders, of which there are as
// many as `orders`. What is behind the first executions only.
template <typename OrderOf>
double chi_square(const Program& program, const std::string& specification, std::size_t orders,
                  std::uint32_t executions, OrderOf order_of) {
  const auto strategy = make_strategy(specification, 1);
  explore(program, *strategy, to_learn);
  std::map<Schedule, double> counts;
  for (const auto& execution : explore(program, *strategy, executions)) {
    ++counts[order_of(execution.schedule)];
  }
  EXPECT_EQ(counts.size(), orders);
  const double mean = static_cast<double>(executions) / static_cast<double>(orders);
  double sum = 0;
  for (const auto& [order, count] : counts) sum += (count - mean) * (count - mean) / mean;
  return sum;
}

double chi_square_of_schedules(const Program& program, std::size_t orders,
                               std::uint32_t executions) {
  return chi_square(program, "surw:interest=all", orders, executions,
                    [](const Schedule& schedule) { return schedule; });
}

// 0.1 % of the samples of a uniform distribution are beyond these.
TEST(Surw, TakesEveryOrderOfTwoTasksWithTheSameProbability) {
  EXPECT_LT(chi_square_of_schedules(independent({4, 2}), 15, 60000), 36.12);    // 6 over 2
  EXPECT_LT(chi_square_of_schedules(independent({1, 9}), 10, 60000), 27.88);    // 10 over 1
  EXPECT_LT(chi_square_of_schedules(independent({5, 5}), 252, 100800), 325.9);  // 10 over 5
}

TEST(Surw, TakesEveryOrderOfThreeTasksWithTheSameProbability) {
  EXPECT_LT(chi_square_of_schedules(independent({1, 2, 3}), 60, 60000), 98.32);  // 6! / (1! 2! 3!)
}

// The creator's weight is that of its own events and of those of all that it will create.
TEST(Surw, CountsTheEventsOfTasksThatAreNotCreatedYetForTheirCreator) {
  const Operation create_2{Operation::create, 2}, create_3{Operation::create, 3};
  const Program one = {{{}, {}}, {{}, create_2, {}}, {{}, {}}};
  const std::size_t orders = brute_force(one).size();
  ASSERT_EQ(orders, 63U);
  EXPECT_LT(chi_square_of_schedules(one, orders, 63000), 102.2);
  const Program two = {{{}}, {create_2, {}}, {create_3, {}}, {{}, {}}};
  const std::size_t more = brute_force(two).size();
  ASSERT_EQ(more, 105U);
  EXPECT_LT(chi_square_of_schedules(two, more, 105000), 154.4);
}

TEST(Surw, TakesEveryOrderOfTheEventsOnOneObjectWithTheSameProbability) {
  const Operation write{Operation::write, 0}, other{};
  const Program program = {{other, other, other, write, other, write}, {write, write, other}};
  // The first two writes of the first task are steps 3 and 5, those of the second 0 and 1.
  const auto writes = [&](const Schedule& schedule) {
    Schedule order;
    std::vector<std::size_t> next(2);
    for (const int task : schedule) {
      const auto i = static_cast<std::size_t>(task);
      if (program[i][next[i]++].kind == Operation::write) order.push_back(task);
    }
    return order;
  };
  EXPECT_LT(chi_square(program, "surw:interest=object", 6, 60000, writes), 20.52);
}

// A task that will create another one is drawn for its events, too, and hands that on.
TEST(Surw, HandsTheNextEventOnToATaskThatIsCreated) {
  const Operation write{Operation::write, 0}, create_2{Operation::create, 2}, other{};
  const Program program = {{write, write}, {other, create_2, other}, {other, write}};
  const auto writes = [&](const Schedule& schedule) {
    Schedule order;
    std::vector<std::size_t> next(3);
    for (const int task : schedule) {
      const auto i = static_cast<std::size_t>(task);
      if (program[i][next[i]++].kind == Operation::write) order.push_back(task);
    }
    return order;
  };
  EXPECT_LT(chi_square(program, "surw:interest=object", 3, 60000, writes), 13.82);
}

// Whatever is interesting: nothing is left out.
TEST(Surw, CanMakeEveryExecution) {
  const Operation write{Operation::write, 0}, read{Operation::read, 0};
  const Program programs[] = {
      {{write, {}, read}, {{}, write}},
      {{write}, {read, {}}, {{Operation::choose, 2}}},
      toy::critical_sections(2, 2),
  };
  for (const Program& program : programs) {
    for (const char* name : {"surw", "surw:interest=all", "surw:interest=object"}) {
      auto schedules = toy::sorted_schedules(explore(program, name, 20000));
      schedules.erase(std::unique(schedules.begin(), schedules.end()), schedules.end());
      EXPECT_EQ(schedules, toy::sorted_schedules(brute_force(program))) << name;
    }
  }
}

// The second task ends the execution, and with it the first one, which then had fewer events than
// it could have: what was seen of it must not be all that it is thought to do.
TEST(Surw, LetsATaskHaveAllEventsThatItCouldHaveAlthoughItSeldomHas) {
  constexpr int events = 20;
  Program program(2);
  program[0].resize(events);
  program[1].resize(8);
  program[1].push_back({Operation::check, 0});
  int with_all = 0;
  for (const auto& execution : explore(program, "surw:interest=all", 2000)) {
    const auto& schedule = execution.schedule;
    with_all += std::count(schedule.begin(), schedule.end(), 0) == events ? 1 : 0;
  }
  EXPECT_GT(with_all, 100);
}

TEST(Surw, TakesEachValueWithTheSameProbability) {
  const Program program = {{{Operation::choose, 3}}};
  EXPECT_LT(chi_square_of_schedules(program, 3, 60000), 13.82);
}

TEST(Surw, MakesTheSameExecutionsFromTheSameSeed) {
  const Program program = toy::critical_sections(3, 3);
  const auto schedules = [&](std::uint64_t seed) {
    std::vector<Schedule> all;
    for (const auto& execution : explore(program, *make_strategy("surw", seed), 50))
      all.push_back(execution.schedule);
    return all;
  };
  EXPECT_EQ(schedules(4), schedules(4));
  EXPECT_NE(schedules(4), schedules(5));
}

TEST(Surw, WantsAnInterestThatThereIs) { EXPECT_ANY_THROW(make_strategy("surw:interest=none", 1)); }

}  // namespace
}  // namespace ricercar::inline strategy
