#include <gtest/gtest.h>

#include <set>

#include "base/error.h"
#include "strategy/delaying/explorer_guide.h"
#include "strategy/toy_world.h"

namespace ricercar::inline strategy {
namespace {

using toy::Execution;
using toy::independent;
using toy::Operation;
using toy::Program;
using toy::Schedule;

using States = std::set<std::vector<std::uint64_t>>;

unsigned word_of(const std::vector<unsigned>& tasks, std::uint64_t& word) {
  word = 0;
  for (const unsigned task : tasks) word |= std::uint64_t{1} << task;
  return 1;
}

std::vector<unsigned> order(const DelayingExplorer& explorer, const std::vector<unsigned>& tasks) {
  std::uint64_t word = 0;
  const EnabledTasks enabled(&word, word_of(tasks, word));
  const auto copy = explorer.copy();
  std::vector<unsigned> result;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (i != 0) copy->delay(enabled);
    result.push_back(copy->next(enabled));
  }
  return result;
}

std::unique_ptr<DelayingExplorer> with_tasks(const char* name, unsigned tasks) {
  auto explorer = make_explorer(name, 1, {}).explorer;
  for (unsigned task = 0; task < tasks; ++task) explorer->started(task);
  return explorer;
}

using Order = std::vector<unsigned>;

TEST(Explorers, RoundRobinKeepsTheHeadUntilItBlocks) {
  const auto rr = with_tasks("rr", 4);
  EXPECT_EQ(order(*rr, {0, 1, 2, 3}), (Order{0, 1, 2, 3}));
  // 0 cannot go on; 1 runs, and runs on when 0 can.
  rr->step({ExplorerStep::ran, 1});
  EXPECT_EQ(order(*rr, {0, 1, 2, 3}), (Order{1, 2, 3, 0}));
  rr->step({ExplorerStep::blocked, 1});
  EXPECT_EQ(order(*rr, {0, 1, 2, 3}), (Order{2, 3, 0, 1}));
  rr->finished(3);
  rr->started(4);
  EXPECT_EQ(order(*rr, {0, 1, 2, 4}), (Order{2, 0, 1, 4}));
}

TEST(Explorers, RunToCompletionPrefersTheReceiverOfTheNewestEvent) {
  const auto rtc = with_tasks("rtc", 3);
  EXPECT_EQ(order(*rtc, {0, 1, 2}), (Order{2, 1, 0}));
  rtc->step({ExplorerStep::sent, 2, 0});
  EXPECT_EQ(order(*rtc, {0, 1, 2}), (Order{0, 2, 1}));
  rtc->step({ExplorerStep::sent, 0, 1});
  EXPECT_EQ(order(*rtc, {0, 2}), (Order{0, 2}));
  EXPECT_EQ(order(*rtc, {0, 1, 2}), (Order{1, 0, 2}));
}

TEST(Explorers, RandomRoundRobinHasAnOrderOfItsSeed) {
  std::set<Order> orders;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    auto prr = make_explorer("prr", seed, {}).explorer;
    for (unsigned task = 0; task < 3; ++task) prr->started(task);
    orders.insert(order(*prr, {0, 1, 2}));
  }
  EXPECT_EQ(orders.size(), 6u);
}

TEST(Explorers, AreTheSameAfterACopyAndTellTheirStatesApart) {
  for (const ExplorerInfo& info : explorers()) {
    const auto explorer = with_tasks(std::string(info.name).c_str(), 40);
    EXPECT_NE(explorer->identity(), 0u);
    EXPECT_EQ(explorer->copy()->identity(), explorer->identity());
    std::uint64_t word = 0;
    const EnabledTasks enabled(&word, word_of({1, 2, 3}, word));
    const auto copy = explorer->copy();
    copy->delay(enabled);
    EXPECT_NE(copy->identity(), explorer->identity());
  }
}

// Never names the task with the largest number.
class Forgetful final : public DelayingExplorer {
 public:
  std::unique_ptr<DelayingExplorer> copy() const override {
    return std::make_unique<Forgetful>(*this);
  }
  unsigned next(const EnabledTasks& enabled) const override { return enabled.from(0); }
  void delay(const EnabledTasks&) override {}
  void started(unsigned) override {}
};

// Names a task that is not there.
class Wrong final : public DelayingExplorer {
 public:
  std::unique_ptr<DelayingExplorer> copy() const override { return std::make_unique<Wrong>(*this); }
  unsigned next(const EnabledTasks&) const override { return 5; }
  void delay(const EnabledTasks&) override {}
  void started(unsigned) override {}
};

// Wants the last value; or one that is not there.
class LastValue : public DelayingExplorer {
 public:
  std::unique_ptr<DelayingExplorer> copy() const override {
    return std::make_unique<LastValue>(*this);
  }
  unsigned next(const EnabledTasks& enabled) const override { return enabled.from(0); }
  void delay(const EnabledTasks&) override {}
  void started(unsigned) override {}
  unsigned value(unsigned, unsigned count) const override { return count - 1; }
};
class NoValue final : public LastValue {
 public:
  std::unique_ptr<DelayingExplorer> copy() const override {
    return std::make_unique<NoValue>(*this);
  }
  unsigned value(unsigned, unsigned count) const override { return count; }
};

TEST(Explorers, MayHaveASayInValues) {
  const std::vector<OwnExplorer> own = {{"last", [] { return std::make_unique<LastValue>(); }},
                                        {"none", [] { return std::make_unique<NoValue>(); }}};
  Resources resources;
  resources.explorers.own = own;
  const Program program = {{{Operation::choose, 3}, {}, {Operation::choose, 4}}};
  for (const bool keeps : {false, true}) {
    const auto first = make_strategy("ses:explorer=last,bound=0", 1, resources);
    const auto only = toy::explore(program, *first, toy::no_limit, toy::no_limit, keeps);
    ASSERT_EQ(only.size(), 1u);
    EXPECT_EQ(only[0].schedule, (Schedule{0, -3, 0, 0, -4}));
    States visited;
    const auto all = make_strategy("ses:explorer=last", 1, resources);
    for (const Execution& execution :
         toy::explore(program, *all, toy::no_limit, toy::no_limit, keeps)) {
      visited.insert(execution.states.begin(), execution.states.end());
    }
    EXPECT_EQ(visited, toy::reachable(program));
  }
  std::set<Schedule> drawn;
  const auto samples = make_strategy("ss:explorer=last,bound=1", 1, resources);
  for (const Execution& execution : toy::explore(program, *samples)) {
    drawn.insert(execution.schedule);
  }
  EXPECT_EQ(drawn, (std::set<Schedule>{{0, -3, 0, 0, -4},
                                       {0, -1, 0, 0, -4},
                                       {0, -2, 0, 0, -4},
                                       {0, -3, 0, 0, -1},
                                       {0, -3, 0, 0, -2},
                                       {0, -3, 0, 0, -3}}));
  try {
    toy::explore(program, *make_strategy("ses:explorer=none", 1, resources));
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(),
                 "the explorer 'none' names the value 3 at step 1, where there are 3; value() must "
                 "be below the number that it is given");
  }
}

std::string error_of(const std::vector<OwnExplorer>& own, const std::string& specification) {
  Resources resources;
  resources.explorers.own = own;
  try {
    toy::explore(independent({2, 2, 1}), *make_strategy(specification, 1, resources), 100);
    return "";
  } catch (const UsageError& error) {
    return error.what();
  }
}

TEST(Explorers, OfTheProgramsOwnAreCheckedForSoundness) {
  const std::vector<OwnExplorer> own = {{"forgetful", [] { return std::make_unique<Forgetful>(); }},
                                        {"wrong", [] { return std::make_unique<Wrong>(); }}};
  EXPECT_EQ(error_of(own, "ses:explorer=forgetful"),
            "the explorer 'forgetful' is not sound: at step 0 the tasks 0, 1, 2 can go on, but 2 "
            "delays in a row never reach 1, 2; n - 1 delays must make next() name every one of n "
            "enabled tasks");
  EXPECT_EQ(error_of(own, "ss:explorer=wrong"),
            "the explorer 'wrong' names task 5 at step 0, which cannot go on there; next() must "
            "name one of the enabled tasks: 0, 1, 2");
  EXPECT_EQ(error_of({}, "ss:explorer=rtc,check=yes"), "");
}

}  // namespace
}  // namespace ricercar::inline strategy
