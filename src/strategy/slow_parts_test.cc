#include "strategy/slow_parts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "strategy/registry.h"
#include "strategy/toy_world.h"

namespace ricercar::inline strategy {
namespace {

// A cluster: threads of nodes, and messages between them.
class Places {
 public:
  explicit Places(std::vector<TaskPlace> places)
      : places_(std::move(places)), pending_(places_.size()) {
    for (std::uint32_t i = 0; i < places_.size(); ++i) enabled_.insert(task_id(i));
  }

  // Between all that are enabled.
  ChoicePoint point(Trace trace = {}) const {
    ChoicePoint point = {ChoiceKind::schedule, trace.size(), no_task,
                         OptionList(&enabled_, enabled_.size(), pending_.data()), trace};
    point.places = places_;
    return point;
  }
  // Whom something hits: any of these nodes.
  ChoicePoint targets(const std::vector<std::uint32_t>& nodes) const {
    ChoicePoint point = {
        ChoiceKind::value, 0, no_task,
        OptionList(task_id(0), static_cast<std::uint32_t>(nodes.size()), pending_.data())};
    point.places = places_;
    point.targets = nodes;
    return point;
  }

 private:
  const std::vector<TaskPlace> places_;
  const std::vector<Operation> pending_;
  TaskSet enabled_;
};

Step step_of(std::uint32_t task) { return {5, 0, 0, task_id(task), {}, 0, 0, 0, 3}; }

// How many of a number that was expected, in standard deviations.
double deviation(double count, double tries, double probability) {
  return (count - tries * probability) / std::sqrt(tries * probability * (1 - probability));
}

TEST(SlowParts, BeginWithTheirProbability) {
  const Places places({{0, 0}, {1, 1}, {0, 1}, {1, 0}});
  constexpr int tries = 40000;
  int begun = 0;
  for (int i = 0; i < tries; ++i) {
    Random random(static_cast<std::uint64_t>(i));
    SlowParts slow;
    slow.begin();
    slow.pass(places.point(), 0, random);
    begun += slow.is_any() ? 1 : 0;
  }
  // Three of eight executions (in as many others only what was said is slow), in which it is 1, 2,
  // 4,
  // ... 32 times in 50 choices, and none, one or four of 16 new tasks are slow from the beginning.
  // All four tasks are new here.
  const double not_later = 1 - (63.0 / 6) / 50;
  const double not_new = (1 + std::pow(15.0 / 16, 4) + std::pow(12.0 / 16, 4)) / 3;
  EXPECT_LT(std::abs(deviation(begun, tries, 0.375 * (1 - not_later * not_new))), 3.3);
}

TEST(SlowParts, AreOneTaskOrAWayOrWhatANodeHearsOrSaysOrAllOfIt) {
  const Places places({{0, 0}, {0, 1}, {0, 1}, {2, 1}, {0, 2}, {1, 0}});
  std::set<std::vector<int>> seen;
  for (std::uint64_t i = 0; i < 20000; ++i) {
    Random random(i);
    SlowParts slow;
    slow.begin();
    slow.pass(places.point(), 0, random);
    if (slow.is_any()) continue;  // from the beginning
    slow.pass(places.point(), 0, random);
    std::vector<int> tasks;
    for (int task = 0; task < 6; ++task) {
      if (slow.is_slow(places.point(), task_id(static_cast<std::uint32_t>(task)))) {
        tasks.push_back(task);
      }
    }
    seen.insert(tasks);
  }
  const std::set<std::vector<int>> expected = {
      {},  // nothing
      {0},
      {1},
      {2},
      {3},
      {4},
      {5},        // a task
      {1, 2},     // a way; the other ways have one message each
      {1, 2, 3},  // what node 1 hears; 0 and 2 hear one message each
      {1, 2, 4},  // what node 0 says; 1 and 2 say one each
      {0, 1, 2, 4, 5},
      {1, 2, 3, 5},
      {3, 4},  // all of a node
  };
  EXPECT_EQ(seen, expected);
}

// Behind a step of node 0, as seldom as steps can be.
TEST(SlowParts, AreInEveryOtherOfTheseExecutionsWhatWasSaidSeldom) {
  const Places places({{0, 0}, {0, 1}, {0, 1}, {2, 1}, {0, 2}, {1, 0}});
  constexpr int tries = 20000;
  const std::vector<Step> trace = {step_of(0)};
  int executions = 0;
  std::map<std::uint32_t, int> slow_ones;
  for (std::uint64_t i = 0; i < tries; ++i) {
    Random random(i);
    SlowParts slow;
    slow.begin();
    slow.pass(places.point(trace), 1, random);
    if (!slow.are_messages()) continue;
    ++executions;
    for (std::uint32_t task = 0; task < 6; ++task) {
      slow_ones[task] += slow.is_slow(places.point(), task_id(task)) ? 1 : 0;
    }
  }
  EXPECT_LT(std::abs(deviation(executions, tries, 0.375)), 3.3);
  for (const std::uint32_t message : {1u, 2u, 4u}) {
    EXPECT_LT(std::abs(deviation(slow_ones[message], executions, 1.0 / 3)), 3.3) << message;
  }
  EXPECT_EQ(slow_ones[0] + slow_ones[3] + slow_ones[5], 0);
}

TEST(SlowParts, AreWhatWasLaterThanATimeLimitInEveryOtherExecution) {
  const Places places({{0, 0}, {0, 1}, {1, 0}, {1, 2}});
  constexpr int tries = 10000;
  int slow_ones = 0;
  for (int i = 0; i < tries; ++i) {
    Random random(static_cast<std::uint64_t>(i));
    SlowParts slow;
    slow.begin();
    slow.pass(places.point(), 0, random);
    if (slow.is_any()) continue;
    slow.outlive(places.point(), task_id(0), random);
    const auto is_slow = [&](std::uint32_t task) {
      return slow.is_slow(places.point(), task_id(task));
    };
    EXPECT_EQ(is_slow(1), is_slow(2));
    EXPECT_FALSE(is_slow(0) || is_slow(3));
    slow_ones += is_slow(1) ? 1 : -1;
  }
  EXPECT_LT(std::abs(slow_ones) / std::sqrt(tries), 3.3);
}

TEST(SlowParts, ChangeNothingWhereThereAreNoPlaces) {
  const auto with = make_strategy("random:slow=yes", 3);
  const auto without = make_strategy("random", 3);
  const toy::Program program = toy::independent({5, 5, 5});
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(toy::explore(program, *with, 1).front().schedule,
              toy::explore(program, *without, 1).front().schedule);
  }
}

// The longest time for which one of two tasks waits, in executions of 200 choices.
std::size_t longest_wait(const std::string& name) {
  const Places places({{0, 0}, {1, 0}});
  const auto strategy = make_strategy(name, 1);
  std::size_t longest = 0;
  for (int i = 0; i < 100; ++i) {
    std::vector<Step> trace;
    std::size_t wait = 0;
    strategy->begin();
    for (int choice = 0; choice < 200; ++choice) {
      const std::size_t chosen = strategy->choose(places.point(trace));
      trace.push_back(step_of(static_cast<std::uint32_t>(chosen)));
      wait = chosen == 1 ? 0 : wait + 1;
      longest = std::max(longest, wait);
    }
    strategy->end(trace, {});
  }
  return longest;
}

TEST(SlowParts, LetAMessageWaitForLong) {
  EXPECT_LT(longest_wait("random"), 30u);  // 20,000 times with a probability of 2^-30
  EXPECT_GT(longest_wait("random:slow=yes"), 60u);
  EXPECT_GT(longest_wait("coverage"), 60u);
}

// What goes wrong behind a step of node 1.
TEST(Faults, HitWhoHasDoneSomethingJustNowInEveryOtherExecution) {
  const Places places({{0, 0}, {1, 1}, {2, 2}, {TaskPlace::nowhere, TaskPlace::nowhere}});
  constexpr std::uint32_t injector = 3;
  for (const char* name : {"random", "pct", "pos", "coverage"}) {
    const auto strategy = make_strategy(name, 1);
    int hits = 0, tries = 0;
    for (int i = 0; i < 10000; ++i) {
      const std::vector<Step> trace = {step_of(1)};
      strategy->begin();
      ChoicePoint point = places.point(trace);
      point.fault = {injector, 50};
      std::size_t chosen = 0;
      for (int k = 0; k < 50 && chosen != injector; ++k) chosen = strategy->choose(point);
      if (chosen == injector) {
        ++tries;
        hits += strategy->choose(places.targets({0, 1, 2})) == 1 ? 1 : 0;
      }
      strategy->end(trace, {});
    }
    EXPECT_GT(tries, 9000) << name;
    EXPECT_LT(std::abs(deviation(hits, tries, 0.5 + 0.5 / 3)), 3.3) << name;
  }
}

// Two time limits pass early, behind a step of node 3, which has none.
TEST(EarlyTimeLimits, AreThoseOfOneTaskInEveryThirdExecution) {
  const Places places({{0, 0}, {1, 1}, {2, 2}, {3, 3}});
  TaskSet early;
  for (const std::uint32_t task : {0u, 1u, 2u}) early.insert(task_id(task));
  const auto strategy = make_strategy("random", 1);
  int same = 0, tries = 0;
  for (int i = 0; i < 10000; ++i) {
    const std::vector<Step> trace = {step_of(3)};
    std::vector<std::size_t> passed;
    strategy->begin();
    for (int k = 0; k < 50 && passed.size() < 2; ++k) {
      ChoicePoint point = places.point(trace);
      point.early = {&early, 50};
      const std::size_t chosen = strategy->choose(point);
      if (chosen != 3) passed.push_back(chosen);
    }
    strategy->end(trace, {});
    if (passed.size() < 2) continue;
    ++tries;
    same += passed[0] == passed[1] ? 1 : 0;
  }
  EXPECT_GT(tries, 9000);
  EXPECT_LT(std::abs(deviation(same, tries, 1.0 / 3 + 2.0 / 3 / 3)), 3.3);
}

// And in another third those of who has done something just now.
TEST(EarlyTimeLimits, AreThoseOfWhoHasDoneSomethingJustNowInEveryThirdExecution) {
  const Places places({{0, 0}, {1, 1}, {2, 2}, {3, 3}});
  TaskSet early;
  for (const std::uint32_t task : {0u, 1u, 2u}) early.insert(task_id(task));
  const auto strategy = make_strategy("random", 1);
  int hits = 0, tries = 0;
  for (int i = 0; i < 10000; ++i) {
    const std::vector<Step> trace = {step_of(1)};
    strategy->begin();
    ChoicePoint point = places.point(trace);
    point.early = {&early, 50};
    std::size_t chosen = 3;
    for (int k = 0; k < 50 && chosen == 3; ++k) chosen = strategy->choose(point);
    strategy->end(trace, {});
    if (chosen == 3) continue;
    ++tries;
    hits += chosen == 1 ? 1 : 0;
  }
  EXPECT_GT(tries, 9000);
  EXPECT_LT(std::abs(deviation(hits, tries, 1.0 / 3 + 2.0 / 3 / 3)), 3.3);
}

// Two tasks that wait with time limits, and a third one that always goes on, so that there is
// something else to choose. Each is at a node of its own.
class Waits {
 public:
  Waits(OperationKind first, OperationKind second)
      : pending_{{0, 11, first, 0}, {0, 12, second, 0}, {0, 13, OperationKind::yield, 0}} {
    for (std::uint32_t i = 0; i < 3; ++i) enabled_.insert(task_id(i));
  }

  // How often the limits of the first and of the second one pass early in so many executions of 40
  // choices, of which one may in each. The first one waits anew for each of them, the second one
  // waits once.
  std::vector<int> count(int executions) {
    EarlyWaits waits;
    Random random(1);
    std::vector<int> passed(2);
    for (int i = 0; i < executions; ++i) {
      waits.begin();
      const std::uint32_t drawn = execution(waits, random);
      if (drawn < 2) ++passed[drawn];
      waits.end();
    }
    return passed;
  }

 private:
  std::uint32_t execution(EarlyWaits& waits, Random& random) {
    std::vector<Step> trace;
    for (int choice = 0; choice < 40; ++choice) {
      TaskSet early;
      early.insert(task_id(0));
      if (choice >= 20) early.insert(task_id(1));
      ChoicePoint point = {ChoiceKind::schedule, trace.size(), no_task,
                           OptionList(&enabled_, enabled_.size(), pending_.data()), trace};
      point.places = places_;
      point.early = {&early, 1};
      const std::uint32_t drawn = waits.drawn(point, 1, random);
      if (drawn != EarlyWaits::none) return drawn;
      trace.push_back({5, 0, 0, task_id(0), {}, 0, 0, 0, 3});
    }
    return EarlyWaits::none;
  }

  const std::vector<Operation> pending_;
  const std::vector<TaskPlace> places_ = {{0, 0}, {1, 1}, {2, 2}};
  TaskSet enabled_;
};

TEST(EarlyWaits, CountAsMuchWhetherTheyAreSeldomOrNot) {
  const std::vector<int> passed =
      Waits(OperationKind::blocking_call, OperationKind::blocking_call).count(4000);
  EXPECT_GT(passed[0] + passed[1], 1000);
  EXPECT_GT(passed[1], passed[0] / 3);
}

TEST(EarlyWaits, CountLessIfTheyOnlySleep) {
  const int sleeping = Waits(OperationKind::blocking_call, OperationKind::sleep).count(4000)[1];
  const int waiting =
      Waits(OperationKind::blocking_call, OperationKind::blocking_call).count(4000)[1];
  EXPECT_GT(sleeping, 0);
  EXPECT_LT(sleeping, waiting * 2 / 3);
}

TEST(EarlyWaits, DoNotEndEarlyIfNoneMay) {
  EarlyWaits waits;
  Random random(1);
  TaskSet enabled, early;
  early.insert(task_id(0));
  for (std::uint32_t i = 0; i < 2; ++i) enabled.insert(task_id(i));
  const std::vector<Operation> pending(2);
  const std::vector<TaskPlace> places = {{0, 0}, {1, 1}};
  for (int i = 0; i < 1000; ++i) {
    waits.begin();
    ChoicePoint point = {ChoiceKind::schedule, 0, no_task,
                         OptionList(&enabled, enabled.size(), pending.data())};
    point.places = places;
    point.early = {&early, 0};
    EXPECT_EQ(waits.drawn(point, 0, random), EarlyWaits::none);
    waits.end();
  }
}

}  // namespace
}  // namespace ricercar::inline strategy
