#include <gtest/gtest.h>

#include <set>

#include "base/error.h"
#include "strategy/delaying/state_cache.h"
#include "strategy/toy_world.h"

namespace ricercar {
namespace {

using toy::critical_sections;
using toy::Execution;
using toy::independent;
using toy::Operation;
using toy::Program;
using toy::Task;

using States = std::set<std::vector<std::uint64_t>>;

const Program& deadlocking() {
  static const Program program = {
      {{Operation::lock, 0}, {Operation::lock, 1}, {Operation::unlock, 1}, {Operation::unlock, 0}},
      {{Operation::lock, 1}, {Operation::lock, 0}, {Operation::unlock, 0}, {Operation::unlock, 1}}};
  return program;
}

std::vector<Program> programs() {
  return {
      independent({4}),
      independent({3, 3}),
      independent({1, 2, 3}),
      independent({2, 2, 2, 2}),
      independent({1, 1, 1, 1, 1}),
      critical_sections(3, 2),
      deadlocking(),
      {{{Operation::choose, 3}}},
      {{{Operation::choose, 2}, {Operation::choose, 3}, {}, {Operation::choose, 2}}},
      {{{}, {Operation::choose, 3}, {}}, {{}, {Operation::choose, 2}, {Operation::choose, 2}}},
      {{{Operation::yield, 0}, {}, {}}, {{}, {Operation::yield, 0}, {}}, {{}, {}}},
      {{{Operation::create, 1}, {Operation::create, 2}, {}, {}}, {{}, {}}, {{}, {}}},
      {{{Operation::create, 1}, {}},
       {{Operation::create, 2}, {Operation::choose, 2}},
       {{Operation::create, 3}, {}},
       {{}, {}}},
      {{{Operation::lock, 0}, {}, {Operation::unlock, 0}, {}},
       {{}, {Operation::lock, 0}, {Operation::choose, 2}, {Operation::unlock, 0}},
       {{Operation::yield, 0}, {Operation::lock, 0}, {Operation::unlock, 0}}},
      {{{Operation::send, 1}, {Operation::send, 2}, {Operation::receive, 0}},
       {{Operation::receive, 0}, {Operation::send, 2}},
       {{Operation::receive, 0}, {Operation::receive, 0}, {Operation::send, 0}}},
      {{{Operation::receive, 0}, {Operation::receive, 0}, {}},
       {{Operation::send, 0}, {Operation::choose, 2}, {Operation::send, 0}},
       {{Operation::write, 0}, {Operation::send, 0}}},
      {{{Operation::write, 0}, {Operation::write, 1}},
       {{Operation::write, 1}, {Operation::write, 0}},
       {{Operation::write, 0}, {}}},
  };
}

States visited(const std::vector<Execution>& executions) {
  States all;
  for (const Execution& execution : executions) {
    all.insert(execution.states.begin(), execution.states.end());
  }
  return all;
}

std::vector<Execution> explore(const Program& program, Strategy& strategy, bool keeps) {
  return toy::explore(program, strategy, toy::no_limit, toy::no_limit, keeps);
}

std::vector<std::string> specifications() {
  std::vector<std::string> all;
  for (const std::string explorer : {"rr", "rtc", "prr"}) {
    for (const std::string rest : {"", ",step=2", ",step=3", ",exact=yes", ",check=yes",
                                   ",cache=1K", ",cache=1K,policy=replace,step=2"}) {
      all.push_back("ses:explorer=" + explorer + rest);
    }
  }
  return all;
}

TEST(Ses, VisitsExactlyTheReachableStates) {
  const std::vector<Program> all = programs();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const States expected = toy::reachable(all[i]);
    for (const std::string& specification : specifications()) {
      for (const bool keeps : {false, true}) {
        const auto strategy = make_strategy(specification, 7);
        EXPECT_EQ(visited(explore(all[i], *strategy, keeps)), expected)
            << "program " << i << ", " << specification << ", keeps " << keeps;
        EXPECT_TRUE(strategy->coverage().complete);
      }
    }
  }
}

TEST(Ses, CountsEveryStateOnceIfTheCacheIsLargeEnough) {
  for (const Program& program : programs()) {
    for (const std::string specification : {"ses", "ses:step=2", "ses:explorer=rtc,exact=yes"}) {
      const auto strategy = make_strategy(specification, 1);
      explore(program, *strategy, true);
      EXPECT_EQ(strategy->coverage().text,
                "every state: " + std::to_string(toy::reachable(program).size()));
    }
  }
}

TEST(Ses, DoesTheSameWithAndWithoutSavedStates) {
  for (const Program& program : programs()) {
    for (const std::string& specification : specifications()) {
      const auto running = make_strategy(specification, 3);
      const auto saving = make_strategy(specification, 3);
      const auto run = explore(program, *running, false);
      const auto saved = explore(program, *saving, true);
      EXPECT_EQ(run.size(), saved.size());
      EXPECT_EQ(running->coverage().text, saving->coverage().text);
    }
  }
}

TEST(Ses, NeedsNoPathAgainIfTheWorldSavesStates) {
  const Program program = independent({6, 6});
  const auto strategy = make_strategy("ses", 1);
  std::size_t steps = 0;
  for (const Execution& execution : explore(program, *strategy, true)) {
    steps += execution.schedule.size();
  }
  // Two steps go out of every one of the 7 * 7 states, except at the two edges.
  EXPECT_EQ(steps, 6u * 7u * 2u);
}

std::vector<std::vector<std::uint64_t>> table(const Strategy& strategy) {
  std::vector<std::vector<std::uint64_t>> rows;
  for (const Stratum& stratum : strategy.strata()) {
    rows.push_back({stratum.cost, stratum.states, stratum.new_states, stratum.frontier});
  }
  return rows;
}

// Figure 3: a state with three successors, which need 0, 1 and 2 delays.
TEST(Ses, FindsTheSuccessorsOfFigure3InTheirStrata) {
  const Program program = {{{Operation::choose, 3}}};
  const auto strategy = make_strategy("ses", 1);
  explore(program, *strategy, true);
  const std::vector<std::vector<std::uint64_t>> expected = {
      {0, 2, 2, 1}, {1, 3, 1, 1}, {2, 4, 1, 0}};
  EXPECT_EQ(table(*strategy), expected);
}

// Two tasks of two steps: a grid of nine states. Round robin runs A A B B: five states, and a
// choice at the first two. With one delay: B first: (0,1), then on with B: (0,2), (1,2) with A,
// which leads to (2,2), known. From (1,0) B: (1,1), then (1,2), known. Choices at (0,0)... two
// more: at (0,1) and at (1,1). With two delays these lead to states that are known.
TEST(Ses, HasTheStrataOfTwoTasksOfTwoSteps) {
  const auto strategy = make_strategy("ses:explorer=rr", 1);
  explore(independent({2, 2}), *strategy, true);
  const std::vector<std::vector<std::uint64_t>> expected = {
      {0, 5, 5, 2}, {1, 9, 4, 2}, {2, 9, 0, 0}};
  EXPECT_EQ(table(*strategy), expected);
}

TEST(Ses, HasAllInOneStratumAfterTheFirstIfTheStepIsLarge) {
  const auto strategy = make_strategy("ses:step=1000", 1);
  explore(independent({3, 3, 3}), *strategy, true);
  const std::vector<std::vector<std::uint64_t>> expected = {{0, 10, 10, 6}, {1000, 64, 54, 0}};
  EXPECT_EQ(table(*strategy), expected);
}

TEST(Ses, SaysWithABoundHowFarItWent) {
  const auto strategy = make_strategy("ses:explorer=rr,bound=0", 1);
  explore(independent({2, 2}), *strategy, true);
  EXPECT_EQ(strategy->coverage().text, "every state within 0 delays of explorer rr: 5");
  EXPECT_TRUE(strategy->coverage().complete);
}

TEST(Ses, PromisesNothingForAStratumThatIsNotFinished) {
  const auto strategy = make_strategy("ses", 1);
  toy::explore(independent({2, 2}), *strategy, 2);
  EXPECT_FALSE(strategy->coverage().complete);
  EXPECT_EQ(strategy->coverage().text,
            "every state within 0 delays of explorer rr: 5; states within 1 delay, not yet all: 8");
}

// The least number of delays for every state, by brute force over all schedules and round robin's
// rule: the head runs on, a delay takes the next one.
TEST(Ses, PutsStatesIntoTheirLeastStratumIfItIsExact) {
  for (const Program& program : programs()) {
    std::vector<std::uint64_t> by_bound;
    for (std::uint64_t bound = 0; bound <= 4; ++bound) {
      const auto strategy = make_strategy("ses:exact=yes,bound=" + std::to_string(bound), 1);
      explore(program, *strategy, true);
      by_bound.push_back(strategy->strata().back().states);
    }
    const auto all = make_strategy("ses:exact=yes", 1);
    explore(program, *all, true);
    const std::vector<Stratum> strata = all->strata();
    for (std::size_t i = 0; i < by_bound.size(); ++i) {
      EXPECT_EQ(by_bound[i], strata[std::min(i, strata.size() - 1)].states);
    }
  }
}

TEST(Ses, RefusesACacheThatIsTooSmallForTheFirstStratum) {
  const Program program = independent({100, 100});
  const auto strategy = make_strategy("ses:cache=2K", 1);
  try {
    explore(program, *strategy, true);
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(),
                 "a cache of 2048 bytes is too small for the first stratum: it has 201 states, so "
                 "give it at least cache=6432");
  }
  const auto enough = make_strategy("ses:cache=6432,bound=1", 1);
  explore(program, *enough, true);
  EXPECT_TRUE(enough->coverage().complete);
}

TEST(Ses, NoticesAProgramThatChanges) {
  const auto strategy = make_strategy("ses", 1);
  toy::explore(independent({4, 4}), *strategy, 3);
  EXPECT_THROW(toy::explore(independent({4, 4, 4}), *strategy, 1), Nondeterminism);
}

TEST(Ses, NoticesAnExecutionThatEndsInsideOfItsPath) {
  const auto strategy = make_strategy("ses", 1);
  toy::explore(independent({4, 4}), *strategy, 3);
  toy::explore(independent({4, 4}), *strategy, 1, 0);
  EXPECT_THROW(strategy->begin(), Nondeterminism);
}

std::string error_of(const std::string& specification) {
  try {
    make_strategy(specification, 1);
    return "";
  } catch (const UsageError& error) {
    return error.what();
  }
}

TEST(Ses, RefusesWhatItCannotDo) {
  EXPECT_EQ(
      error_of("ses:explorer=rrt"),
      "there is no explorer 'rrt'; did you mean 'rr'? (`ricercar strategies` lists those that "
      "Ricercar has; one of the program's own is registered with RegisterExplorer, see "
      "<ricercar/explorer.h>)");
  EXPECT_EQ(error_of("ses:policy=go"), "the parameter 'policy' is stop or replace, not 'go'");
  EXPECT_EQ(error_of("ses:exact=maybe"), "the parameter 'exact' is yes or no, not 'maybe'");
  EXPECT_EQ(error_of("ses:exact=yes,step=2"),
            "exact=yes counts every single delay: it goes with step=1 only");
  EXPECT_EQ(error_of("ses:cache=3T"),
            "the parameter 'cache' is a number of bytes, as in 4096, 64K, 100M or 2G, not '3T'");
}

// --- The cache ---

TEST(StateCache, KnowsWhatItWasGiven) {
  StateCache cache(0, StateCache::WhenFull::stop);
  for (std::uint64_t i = 0; i < 100000; ++i) EXPECT_TRUE(cache.insert({i, i * i}));
  for (std::uint64_t i = 0; i < 100000; ++i) EXPECT_FALSE(cache.insert({i, i * i}));
  EXPECT_FALSE(cache.contains({100000, 0}));
  EXPECT_EQ(cache.size(), 100000u);
  EXPECT_EQ(cache.dropped(), 0u);
}

TEST(StateCache, StaysWithinItsLimit) {
  for (const auto policy : {StateCache::WhenFull::stop, StateCache::WhenFull::replace}) {
    StateCache cache(16000, policy);
    for (std::uint64_t i = 0; i < 5000; ++i) EXPECT_TRUE(cache.insert({i, mix64(i)}));
    EXPECT_LE(cache.bytes(), 16000u);
    EXPECT_GT(cache.dropped(), 4000u);
    const bool keeps_the_first = policy == StateCache::WhenFull::stop;
    EXPECT_EQ(cache.contains({0, mix64(0)}), keeps_the_first);
    EXPECT_EQ(cache.contains({4999, mix64(4999)}), !keeps_the_first);
  }
}

}  // namespace
}  // namespace ricercar
