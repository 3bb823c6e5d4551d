#include <gtest/gtest.h>

#include <mutex>
#include <set>
#include <thread>

#include "base/error.h"
#include "strategy/toy_world.h"

namespace ricercar::inline strategy {
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
    for (const std::string rest :
         {"", ",step=2", ",step=3", ",exact=yes", ",check=yes", ",reduce=yes", ",reduce=yes,step=2",
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
  for (const Stratum& stratum : strata_of(strategy)) {
    rows.push_back({stratum.cost, stratum.states, stratum.new_states, stratum.frontier});
  }
  return rows;
}

// Figure 3: a state with three successors, which need 0, 1 and 2 delays.
TEST(Ses, FindsTheSuccessorsOfFigure3InTheirStrata) {
  const Program program = independent({1, 1, 1});
  const auto first_steps = [&](std::uint64_t bound) {
    const auto strategy = make_strategy("ses:exact=yes,bound=" + std::to_string(bound), 1);
    std::set<int> tasks;
    for (const Execution& execution : explore(program, *strategy, false)) {
      tasks.insert(execution.schedule.front());
    }
    return tasks;
  };
  EXPECT_EQ(first_steps(0), (std::set<int>{0}));
  EXPECT_EQ(first_steps(1), (std::set<int>{0, 1}));
  EXPECT_EQ(first_steps(2), (std::set<int>{0, 1, 2}));
}

// Section 5: an `if ($)` costs one delay. So does each of many values, and one item of the frontier
// stands for all of them.
TEST(Ses, FindsEveryValueButOneInTheNextStratum) {
  const auto strategy = make_strategy("ses", 1);
  explore({{{Operation::choose, 5}, {Operation::choose, 3}}}, *strategy, true);
  const std::vector<std::vector<std::uint64_t>> expected = {
      {0, 3, 3, 2}, {1, 13, 10, 4}, {2, 21, 8, 0}};
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
      by_bound.push_back(strata_of(*strategy).back().states);
    }
    const auto all = make_strategy("ses:exact=yes", 1);
    explore(program, *all, true);
    const std::vector<Stratum> strata = strata_of(*all);
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
                 "give it at least cache=4020");
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
  EXPECT_EQ(error_of("ses:reduce=yes,bound=3"),
            "reduce=yes takes other ways to the same states, which may need more delays: it goes "
            "neither with exact=yes nor with a bound");
  EXPECT_EQ(error_of("ses:cache=3T"),
            "the parameter 'cache' is a number of bytes, as in 4096, 64K, 100M or 2G, not '3T'");
}

TEST(Ses, TakesFewerStepsToTheSameStatesIfItReduces) {
  std::size_t all = 0;
  std::size_t reduced = 0;
  const auto steps = [](const Program& program, const char* specification) {
    std::size_t sum = 0;
    for (const Execution& execution : explore(program, *make_strategy(specification, 1), true)) {
      sum += execution.schedule.size();
    }
    return sum;
  };
  for (const Program& program : programs()) {
    all += steps(program, "ses");
    reduced += steps(program, "ses:reduce=yes");
  }
  EXPECT_LT(reduced, all);
  // A grid of 7 * 7 states is covered by a tree: one step to each state but the first.
  EXPECT_EQ(steps(independent({6, 6}), "ses:reduce=yes"), 48u);
}

// Programs of random operations, and what a search with a reduction finds in them.
Program random_program(std::uint64_t seed) {
  Random random(seed);
  Program program(2 + random.below(2));
  for (Task& task : program) {
    const std::uint32_t length = 1 + random.below(3);
    for (std::uint32_t i = 0; i < length; ++i) {
      const std::uint32_t kind = random.below(6);
      if (kind == 0) task.push_back({});
      if (kind == 1) task.push_back({Operation::choose, 2});
      if (kind == 2 || kind == 3) task.push_back({Operation::write, random.below(2)});
      if (kind == 4) task.push_back({Operation::send, random.below(2)});
      if (kind == 5) task.push_back({Operation::receive, 0});
    }
  }
  return program;
}

TEST(Ses, VisitsTheStatesOfRandomProgramsWithEveryReduction) {
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    const Program program = random_program(seed);
    const States expected = toy::reachable(program);
    for (const std::string specification :
         {"ses:reduce=yes", "ses:reduce=yes,explorer=rtc", "ses:reduce=yes,step=2,explorer=prr",
          "ses:exact=yes,explorer=rtc"}) {
      const auto strategy = make_strategy(specification, seed);
      ASSERT_EQ(visited(explore(program, *strategy, seed % 2 == 0)), expected)
          << "seed " << seed << ", " << specification;
      ASSERT_EQ(strategy->coverage().text, "every state: " + std::to_string(expected.size()));
    }
  }
}

// --- Partners ---

struct Together {
  States states;
  std::uint64_t executions = 0;
  std::uint64_t steps = 0;
  std::uint64_t deadlocks = 0;
  std::string coverage;
  std::vector<std::uint64_t> strata;

  bool operator==(const Together&) const = default;
};

Together together(const Program& program, const std::string& specification, unsigned partners) {
  Together result;
  std::mutex mutex;
  const auto strategy = make_strategy(specification, 1);
  const auto work = [&](Strategy& worker) {
    Execution execution;
    while (toy::execute(program, worker, execution, toy::no_limit, true)) {
      const std::lock_guard lock(mutex);
      if (!worker.as<HasPartners>()->counts()) continue;
      ++result.executions;
      result.steps += execution.schedule.size();
      result.deadlocks += execution.deadlock ? 1 : 0;
      result.states.insert(execution.states.begin(), execution.states.end());
    }
    worker.as<HasPartners>()->leave();
  };
  std::vector<std::unique_ptr<Strategy>> others;
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < partners; ++i) others.push_back(strategy->as<HasPartners>()->partner());
  for (const auto& other : others) threads.emplace_back([&] { work(*other); });
  work(*strategy);
  for (std::thread& thread : threads) thread.join();
  result.coverage = strategy->coverage().text;
  for (const Stratum& stratum : strata_of(*strategy)) {
    result.strata.insert(result.strata.end(),
                         {stratum.cost, stratum.states, stratum.new_states, stratum.frontier,
                          stratum.samples, stratum.positions});
  }
  return result;
}

TEST(Ses, HasTheSameResultWithPartners) {
  std::vector<Program> all = programs();
  all.push_back(independent({6, 6, 6}));
  for (const Program& program : all) {
    for (const std::string specification :
         {"ses", "ses:explorer=rtc", "ses:exact=yes", "ses:bound=2", "ses:cache=1G"}) {
      const Together alone = together(program, specification, 0);
      for (unsigned partners = 1; partners <= 3; ++partners) {
        ASSERT_EQ(together(program, specification, partners), alone) << specification;
      }
    }
  }
}

TEST(Ss, HasTheSameResultWithPartners) {
  for (const Program& program : programs()) {
    for (const std::string specification :
         {"ss:bound=3,c1=20,c2=2", "ss:bound=2,explorer=rtc", "ss:bound=2,values=both",
          "ss:bound=2,c1=20,explorer=prr", "ss:bound=2,c1=20,explorer=prr,values=both,group=3"}) {
      const Together alone = together(program, specification, 0);
      for (unsigned partners = 1; partners <= 3; ++partners) {
        ASSERT_EQ(together(program, specification, partners), alone) << specification;
      }
    }
  }
}

// --- ses+ss ---

TEST(SesAndSs, CoversEverythingIfTheMemoryIsEnough) {
  for (const Program& program : programs()) {
    const auto strategy = make_strategy("ses+ss", 1);
    EXPECT_EQ(visited(explore(program, *strategy, true)), toy::reachable(program));
    EXPECT_TRUE(strategy->coverage().complete);
  }
}

TEST(SesAndSs, SamplesFromTheFrontierWhenItsMemoryIsUsedUp) {
  for (const bool keeps : {false, true}) {
    const Program program = independent({8, 8, 8, 8});
    const auto strategy = make_strategy("ses+ss:memory=64K,bound=1000", 1);
    const auto executions = toy::explore(program, *strategy, 5000, toy::no_limit, keeps);
    EXPECT_EQ(executions.size(), 5000u);
    EXPECT_FALSE(strategy->coverage().complete);
    const std::vector<Stratum> strata = strata_of(*strategy);
    EXPECT_EQ(strata.front().samples, 0u);
    EXPECT_GT(strata.back().samples, 0u);
    EXPECT_GT(strata.back().cost, 1u);
    // It comes to states that the covered part does not have.
    EXPECT_GT(visited(executions).size(), strata_of(*strategy)[strata.size() / 2].states);
    EXPECT_NE(strategy->coverage().text.find("samples from its frontier"), std::string::npos);
    const Execution& last = executions.back();
    EXPECT_FALSE(last.given_up);
  }
}

TEST(Ses, WorksAloneWhereTheOrderIsNotKnownBefore) {
  for (const char* specification :
       {"ses:step=2", "ses:reduce=yes", "ses:policy=replace", "pb:cache=yes"}) {
    EXPECT_EQ(make_strategy(specification, 1)->as<HasPartners>()->partner(), nullptr);
  }
}

}  // namespace
}  // namespace ricercar::inline strategy
