#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "base/error.h"
#include "strategy/delaying/explorer_guide.h"
#include "strategy/delaying/sampling.h"
#include "strategy/toy_world.h"

namespace ricercar::inline strategy {
namespace {

using toy::Execution;
using toy::independent;
using toy::Operation;
using toy::Program;
using toy::Schedule;

// --- All executions with so many delays of round robin: a model of its own. ---

struct RoundRobinModel {
  toy::World world;
  std::vector<std::uint32_t> queue;
  Schedule schedule;
  std::uint32_t delays = 0;
};

void settle(RoundRobinModel& model, std::uint32_t ran) {
  auto& queue = model.queue;
  model.world.enabled().for_each([&](TaskId task) {
    if (std::find(queue.begin(), queue.end(), index(task)) == queue.end()) {
      queue.push_back(index(task));
    }
  });
  if (model.world.enabled().contains(task_id(ran))) return;
  std::erase(queue, ran);
  if (!model.world.has_ended(task_id(ran))) queue.push_back(ran);
}

// Puts every execution with at most `most` delays into `all`, by its number of delays.
void enumerate(const RoundRobinModel& model, std::uint32_t most,
               std::vector<std::map<Schedule, int>>& all) {
  const TaskSet enabled = model.world.enabled();
  if (enabled.empty()) {
    all[model.delays][model.schedule] = 0;
    return;
  }
  RoundRobinModel here = model;
  for (std::uint32_t k = 0; k < enabled.size() && here.delays <= most; ++k) {
    while (!enabled.contains(task_id(here.queue.front()))) {
      std::rotate(here.queue.begin(), here.queue.begin() + 1, here.queue.end());
    }
    const TaskId task = task_id(here.queue.front());
    const std::uint32_t values = here.world.alternatives(task);
    for (std::uint32_t value = 0; value < values && here.delays + (value != 0) <= most; ++value) {
      RoundRobinModel next = here;
      next.schedule.push_back(static_cast<int>(index(task)));
      if (values > 1) next.schedule.push_back(-1 - static_cast<int>(value));
      next.delays += value != 0 ? 1 : 0;
      next.world.perform(task, value);
      settle(next, index(task));
      enumerate(next, most, all);
    }
    std::rotate(here.queue.begin(), here.queue.begin() + 1, here.queue.end());
    ++here.delays;
  }
}

std::vector<std::map<Schedule, int>> executions_by_delays(const Program& program,
                                                          std::uint32_t most) {
  RoundRobinModel model{toy::World(program), {}, {}};
  model.world.enabled().for_each([&](TaskId task) { model.queue.push_back(index(task)); });
  std::vector<std::map<Schedule, int>> all(most + 1);
  enumerate(model, most, all);
  return all;
}

// --- ses against that model: the states within so many delays, by brute force. ---

using States = std::set<std::vector<std::uint64_t>>;

States states_within(const Program& program, std::uint32_t most) {
  States all;
  for (const auto& executions : executions_by_delays(program, most)) {
    for (const auto& [schedule, hits] : executions) {
      toy::World world(program);
      all.insert(world.contents());
      for (std::size_t i = 0; i < schedule.size(); ++i) {
        const TaskId task = task_id(static_cast<std::uint32_t>(schedule[i]));
        const bool has_value = world.alternatives(task) > 1;
        world.perform(task, has_value ? static_cast<std::uint32_t>(-1 - schedule[++i]) : 0);
        all.insert(world.contents());
      }
    }
  }
  return all;
}

TEST(Ses, VisitsExactlyTheStatesOfExecutionsWithSoManyDelays) {
  const std::vector<Program> programs = {
      independent({2, 2}),
      independent({2, 1, 2}),
      {{{Operation::choose, 4}}},
      {{{Operation::choose, 4}, {Operation::choose, 3}}, {{}, {}}},
      {{{}, {Operation::choose, 3}}, {{Operation::choose, 5}, {}}, {{}}},
      {{{Operation::choose, 3}, {Operation::write, 0}}, {{Operation::write, 0}, {}, {}}},
  };
  for (std::size_t i = 0; i < programs.size(); ++i) {
    for (std::uint32_t bound = 0; bound <= 4; ++bound) {
      const States expected = states_within(programs[i], bound);
      for (const bool keeps : {false, true}) {
        const auto strategy = make_strategy("ses:exact=yes,bound=" + std::to_string(bound), 1);
        States visited;
        for (const Execution& execution :
             toy::explore(programs[i], *strategy, toy::no_limit, toy::no_limit, keeps)) {
          visited.insert(execution.states.begin(), execution.states.end());
        }
        EXPECT_EQ(visited, expected) << "program " << i << ", bound " << bound;
        EXPECT_TRUE(strategy->coverage().complete);
        EXPECT_EQ(strata_of(*strategy).back().states, expected.size());
      }
    }
  }
}

// P(X <= count) of a binomial distribution.
double at_most(int count, double n, double p) {
  double sum = 0;
  for (int k = 0; k <= count; ++k) {
    const double ways = std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
    sum += std::exp(ways + k * std::log(p) + (n - k) * std::log1p(-p));
  }
  return sum;
}

std::vector<Program> small_programs() {
  return {
      independent({2, 2}),
      independent({1, 1, 1}),
      independent({2, 1, 2}),
      {{{Operation::lock, 0}, {Operation::unlock, 0}, {}},
       {{Operation::lock, 0}, {Operation::unlock, 0}}},
      {{{}, {Operation::choose, 3}}, {{}, {}}},
      {{{Operation::create, 1}, {}, {}}, {{}, {Operation::choose, 2}}},
      {{{Operation::send, 1}, {}}, {{Operation::receive, 0}, {}}, {{}}},
  };
}

// `known`: how many paths it remembers. 0: it runs every execution of every sample.
std::unique_ptr<Strategy> round_robin_samples(SamplingOptions options, std::size_t known) {
  options.known_paths = known;
  return std::make_unique<Sampling>(
      std::make_shared<ExplorerGuide>(make_explorer("rr", options.seed, {}), 0), options);
}

// Theorem 3: an execution with d delays is drawn with probability at least 1/L^d. The hypothesis is
// rejected for one of them only if so few hits have a probability below the level of the whole
// family, 10^-6, divided by how many there are.
TEST(Ss, DrawsEveryExecutionWithAtLeastTheProbabilityOfTheorem3) {
  constexpr std::uint32_t most = 3;
  constexpr double level = 1e-6;
  for (const Program& program : small_programs()) {
    auto expected = executions_by_delays(program, most);
    const auto strategy =
        round_robin_samples({.seed = 5, .constant = 3000, .base = 1, .bound = most}, 0);
    Execution execution;
    // Only the last execution of a sample has as many delays as its stratum.
    std::size_t stratum = 1;
    while (toy::execute(program, *strategy, execution)) {
      stratum = std::max(stratum, strata_of(*strategy).size());
      const auto found = expected[stratum].find(execution.schedule);
      if (found != expected[stratum].end()) ++found->second;
    }
    std::size_t family = 0;
    for (const auto& one : expected) family += one.size();
    for (const Stratum& done : strata_of(*strategy)) {
      EXPECT_EQ(done.samples, 3001u);
      if (done.positions == 0) continue;
      const double p =
          std::pow(static_cast<double>(done.positions), -static_cast<double>(done.cost));
      for (const auto& [schedule, hits] : expected[done.cost]) {
        if (p == 1) {
          EXPECT_EQ(hits, 3001);
        } else {
          EXPECT_GT(at_most(hits, 3001, p), level / static_cast<double>(family));
        }
      }
    }
  }
}

// What a sample passes through are executions with 0, 1, ... delays of the same model: one of each,
// unless there is no place for one more.
TEST(Ss, RunsOneExecutionForEachNumberOfDelays) {
  for (const Program& program : small_programs()) {
    const auto expected = executions_by_delays(program, 2);
    const auto strategy =
        round_robin_samples({.seed = 9, .constant = 200, .base = 1, .bound = 2}, 0);
    Execution execution;
    std::vector<std::uint64_t> executions(3);
    while (toy::execute(program, *strategy, execution)) {
      std::size_t found = 0;
      for (std::size_t delays = 0; delays <= 2; ++delays) {
        if (!expected[delays].contains(execution.schedule)) continue;
        ++executions[delays];
        ++found;
      }
      ASSERT_EQ(found, 1u);
    }
    EXPECT_EQ(executions[0], 2u * 201u);
    EXPECT_EQ(executions[1], 2u * 201u);
    EXPECT_LE(executions[2], 201u);
    EXPECT_EQ(executions[2] == 0, expected[2].empty());
  }
}

// With values by turns every other sample delays only tasks, and has each combination of values
// with the product of their probabilities: A chooses one of three, then both have an order.
TEST(Ss, DrawsValuesUniformlyInEveryOtherSample) {
  const Program program = {{{Operation::choose, 3}, {Operation::choose, 2}}, {{}}};
  std::map<Schedule, int> hits;
  int all = 0;
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    // The second sample is the one with random values. The first one runs first, without a delay.
    const auto strategy = make_strategy("ss:explorer=rr,c1=1,c2=1,bound=1,values=both", seed);
    Execution execution;
    for (int number = 0; toy::execute(program, *strategy, execution); ++number) {
      if (number != 1 + 1) continue;
      ++hits[execution.schedule];
      ++all;
    }
    EXPECT_EQ(strata_of(*strategy)[0].samples, 2u);
    EXPECT_EQ(strata_of(*strategy)[0].with_random_values, 1u);
  }
  EXPECT_EQ(all, 2000);
  EXPECT_EQ(hits.size(), 6u);
  for (const auto& [schedule, count] : hits) {
    EXPECT_GT(at_most(count, 2000, 1.0 / 6), 1e-7);
    EXPECT_GT(at_most(2000 - count, 2000, 5.0 / 6), 1e-7);
  }
}

TEST(Ss, CountsOnlySamplesWithoutRandomValuesForItsGuarantee) {
  const auto strategy = make_strategy("ss:c1=100,c2=1,bound=1,values=both", 1);
  toy::explore(independent({3, 3}), *strategy);
  EXPECT_EQ(strategy->coverage().text,
            "101 samples with 1 delay (50 of them with random values), at most 3 positions: one "
            "that is needed was missed with probability at most 1.05e-09");
  EXPECT_THROW(make_strategy("ss:values=none", 1), UsageError);
}

struct Drawn {
  std::vector<std::set<Schedule>> schedules;         // up to each stratum
  std::vector<std::uint64_t> samples_and_positions;  // of each
  std::uint64_t executions = 0;

  bool operator==(const Drawn& other) const {
    return schedules == other.schedules && samples_and_positions == other.samples_and_positions;
  }
};

Drawn draw(const Program& program, const SamplingOptions& options, std::size_t known) {
  const auto strategy = round_robin_samples(options, known);
  Drawn drawn{{{}}, {}};
  Execution execution;
  while (toy::execute(program, *strategy, execution)) {
    ++drawn.executions;
    while (drawn.schedules.size() < strata_of(*strategy).size()) {
      drawn.schedules.push_back(drawn.schedules.back());
    }
    drawn.schedules.back().insert(execution.schedule);
  }
  for (const Stratum& stratum : strata_of(*strategy)) {
    drawn.samples_and_positions.insert(drawn.samples_and_positions.end(),
                                       {stratum.samples, stratum.positions});
  }
  return drawn;
}

// So Theorem 3 holds with the memory as it does without.
TEST(Ss, DrawsTheSameSamplesHoweverManyPathsItRemembers) {
  std::vector<Program> programs = small_programs();
  programs.push_back(independent({6, 6, 6}));
  for (const Program& program : programs) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      const SamplingOptions options{.seed = seed, .constant = 40, .base = 3, .bound = 4};
      const Drawn all = draw(program, options, 0);
      for (const std::size_t known : {1, 2, 7, 1000}) {
        const Drawn some = draw(program, options, known);
        EXPECT_EQ(some, all);
        EXPECT_LT(some.executions, all.executions);
      }
    }
  }
}

TEST(Ss, RunsNoExecutionTwiceButToEndAGroupThatHasNothingNew) {
  const SamplingOptions options{.seed = 3, .constant = 500, .base = 1, .bound = 4};
  constexpr std::uint64_t groups = 1 + 4 * 8;  // of 64 samples, and the first one alone
  for (const Program& program : small_programs()) {
    const Drawn drawn = draw(program, options, 1000);
    EXPECT_LE(drawn.executions, drawn.schedules.back().size() + groups);
  }
  // So many positions leave no group without something new.
  const SamplingOptions few{.seed = 3, .constant = 20, .base = 1, .bound = 4};
  const Drawn drawn = draw(independent({30, 30, 30}), few, 1000);
  EXPECT_EQ(drawn.executions, drawn.schedules.back().size());
}

TEST(Ss, TakesMoreSamplesForMoreDelays) {
  const auto strategy = make_strategy("ss:c1=10,c2=2,bound=3", 1);
  toy::explore(independent({3, 3}), *strategy);
  const std::vector<Stratum> strata = strata_of(*strategy);
  ASSERT_EQ(strata.size(), 3u);
  EXPECT_EQ(strata[0].samples, 12u);
  EXPECT_EQ(strata[1].samples, 14u);
  EXPECT_EQ(strata[2].samples, 18u);
}

// Round robin runs AAABBB and can be delayed at each of A's steps; behind the delay at the first
// one, where B begins, at each of B's other two.
TEST(Ss, SaysInNumbersWhatItMayHaveMissed) {
  const auto strategy = make_strategy("ss:c1=100,c2=1,bound=1", 1);
  toy::explore(independent({3, 3}), *strategy);
  EXPECT_FALSE(strategy->coverage().complete);
  EXPECT_EQ(strategy->coverage().text,
            "101 samples with 1 delay, at most 3 positions: one that is needed was missed with "
            "probability at most 1.64e-18");
}

TEST(KnownPaths, AreFoundByAllTheirDelays) {
  KnownPaths known(4);
  EXPECT_EQ(known.find({}), nullptr);
  known.add({3}, {9, 9});  // the path without a delay is not known yet
  known.add({}, {5, 1});
  EXPECT_EQ(known.find({3}), nullptr);
  known.add({3}, {4, 2});
  known.add({3, 3}, {3, 3});
  known.add({3}, {8, 8});  // is known
  known.add({4, 5}, {7, 7});
  EXPECT_FALSE(known.is_full());
  known.add({4}, {2, 4});
  EXPECT_TRUE(known.is_full());
  known.add({5}, {1, 5});
  ASSERT_NE(known.find({3}), nullptr);
  EXPECT_EQ(known.find({})->count, 5u);
  EXPECT_EQ(known.find({3})->count, 4u);
  EXPECT_EQ(known.find({3, 3})->first, 3u);
  EXPECT_EQ(known.find({4})->first, 4u);
  EXPECT_EQ(known.find({4, 5}), nullptr);
  EXPECT_EQ(known.find({5}), nullptr);
}

TEST(Ss, EndsIfThereIsNothingToDecide) {
  const auto strategy = make_strategy("ss", 1);
  EXPECT_EQ(toy::explore(independent({4}), *strategy).size(), 1u);
  EXPECT_TRUE(strategy->coverage().complete);
}

TEST(Ss, DrawsTheSameWithTheSameSeedAndOthersWithAnother) {
  const auto schedules = [](std::uint64_t seed) {
    const auto strategy = make_strategy("ss:bound=2", seed);
    std::vector<Schedule> all;
    for (const Execution& execution : toy::explore(independent({5, 5}), *strategy)) {
      all.push_back(execution.schedule);
    }
    return all;
  };
  EXPECT_EQ(schedules(1), schedules(1));
  EXPECT_NE(schedules(1), schedules(2));
}

// Every sample begins with an execution without a delay: that is the order which it has drawn.
TEST(Ss, DrawsARandomOrderAnewForEachSample) {
  const auto strategy = make_strategy("ss:explorer=prr,c1=599,c2=1,bound=1,group=1", 4);
  const Program program = independent({1, 1, 1});
  std::map<Schedule, int> orders;
  Execution execution;
  for (int number = 0; toy::execute(program, *strategy, execution); ++number) {
    if (number % 2 == 0) ++orders[execution.schedule];
  }
  EXPECT_EQ(orders.size(), 6u);
  for (const auto& [schedule, count] : orders) {
    EXPECT_GT(at_most(count, 600, 1.0 / 6), 1e-7);
    EXPECT_GT(at_most(600 - count, 600, 5.0 / 6), 1e-7);
  }
  EXPECT_EQ(strategy->coverage().text,
            "600 samples with 1 delay, each in an order of its own, at most 2 positions: each drew "
            "one with so many delays in its order with probability at least 0.5");
  EXPECT_EQ(strata_of(*strategy)[0].missed, 1);
}

}  // namespace
}  // namespace ricercar::inline strategy
