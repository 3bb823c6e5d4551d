// The reductions against a plain enumeration of all executions, on programs of the toy world: the
// same final states, the same deadlocks, and exactly as many executions as there are Mazurkiewicz
// traces where that is promised.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "base/error.h"
#include "strategy/enumerated_programs.h"

namespace ricercar::inline strategy {
namespace {

using namespace toy;
using toy::Execution;
using toy::Operation;
using toy::Program;

TEST_F(Reductions, TheProgramsHaveDeadlocksValuesAndManyStates) {
  std::size_t deadlocks = 0;
  std::size_t most_states = 0;
  for_each_program([&](const Program& program, const std::vector<Execution>& all) {
    deadlocks += std::any_of(all.begin(), all.end(), [](const Execution& e) { return e.deadlock; });
    most_states = std::max(most_states, final_states(program, all).size());
  });
  EXPECT_GE(deadlocks, 20u);
  EXPECT_GE(most_states, 10u);
}

// --- dpor ---

TEST_F(Reductions, DporRunsOneExecutionForEachTrace) {
  for_each_program([](const Program& program, const std::vector<Execution>& all) {
    const auto strategy = make_strategy("dpor", 1);
    const std::vector<Execution> reduced = toy::explore(program, *strategy);
    EXPECT_EQ(final_states(program, reduced), final_states(program, all));
    EXPECT_EQ(count_traces(program, reduced), reduced.size());
    EXPECT_EQ(reduced.size(), count_traces(program, all));
    EXPECT_EQ(strategy->coverage().text,
              "every Mazurkiewicz trace: " + std::to_string(reduced.size()));
    EXPECT_TRUE(strategy->coverage().complete);
  });
}

TEST_F(Reductions, DporKnowsTheNumbersOfTheBook) {
  EXPECT_EQ(toy::explore(toy::independent({5, 5, 5}), "dpor").size(), 1u);
  EXPECT_EQ(toy::explore(writers(5), "dpor").size(), 120u);
  EXPECT_EQ(toy::explore(toy::critical_sections(4, 1), "dpor").size(), 24u);
  EXPECT_EQ(toy::explore(toy::critical_sections(2, 3), "dpor").size(), 20u);  // 6 over 3
}

TEST_F(Reductions, DporFindsBothOrdersAndTheDeadlockOfTwoLocks) {
  const std::vector<Execution> executions = toy::explore(opposite_locks(), "dpor");
  ASSERT_EQ(executions.size(), 3u);
  EXPECT_EQ(std::count_if(executions.begin(), executions.end(),
                          [](const Execution& execution) { return execution.deadlock; }),
            1);
}

// --- Executions that fail ---

// Reads and writes, and checks at the ends of some tasks: a part of the executions ends there,
// while others could go on.
Program with_checks(std::uint64_t seed) {
  Random random(seed);
  Program program(3);
  for (toy::Task& task : program) {
    const std::uint32_t length = 1 + random.below(3);
    for (std::uint32_t i = 0; i < length; ++i) {
      const bool writes = random.below(2) == 0;
      task.push_back({writes ? Operation::write : Operation::read, random.below(3)});
    }
    if (random.below(2) == 0) task.push_back({Operation::check, random.below(3)});
  }
  return program;
}

std::vector<Execution> without_failed(std::vector<Execution> executions) {
  std::erase_if(executions, [](const Execution& execution) { return execution.failed; });
  return executions;
}

// Who fails, and what the others come to.
std::set<int> failing_tasks(const std::vector<Execution>& executions) {
  std::set<int> tasks;
  for (const Execution& execution : executions) {
    if (execution.failed) tasks.insert(execution.schedule.back());
  }
  return tasks;
}

class WithChecks : public Reductions, public testing::WithParamInterface<const char*> {};

TEST_P(WithChecks, FindsWhatFailsAndWhatDoesNot) {
  constexpr std::size_t most = 2000;
  std::size_t programs = 0, with_both = 0;
  for (std::uint64_t seed = 0; programs < 300; ++seed) {
    const Program program = with_checks(seed);
    const std::vector<Execution> all = toy::brute_force(program, most + 1);
    if (all.size() > most) continue;
    ++programs;
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto strategy = make_strategy(GetParam(), 1);
    const std::vector<Execution> reduced = toy::explore(program, *strategy);
    EXPECT_TRUE(strategy->coverage().complete);
    EXPECT_EQ(failing_tasks(reduced), failing_tasks(all));
    const States passing = final_states(program, without_failed(all));
    EXPECT_EQ(final_states(program, without_failed(reduced)), passing);
    with_both += failing_tasks(all).empty() || passing.size() < 2 ? 0 : 1;
  }
  EXPECT_GE(with_both, 50u);
}

INSTANTIATE_TEST_SUITE_P(Reductions, WithChecks,
                         testing::Values("dpor", "bpor:bound=1000", "bestfirst:space=dpor",
                                         "bestfirst:space=persistent"));

// --- bpor ---

TEST_F(Reductions, BporReachesWhatTheBoundReaches) {
  for (std::uint32_t bound = 0; bound <= 2; ++bound) {
    for_each_program([bound](const Program& program, const std::vector<Execution>& all) {
      const std::vector<Execution> reduced =
          toy::explore(program, "bpor:bound=" + std::to_string(bound));
      const std::vector<Execution> bounded = toy::with_at_most(bound, all);
      EXPECT_EQ(toy::with_at_most(bound, reduced).size(), reduced.size());
      EXPECT_EQ(final_states(program, reduced), final_states(program, bounded)) << bound;
      EXPECT_LE(reduced.size(), bounded.size());
    });
  }
}

TEST_F(Reductions, BporWithoutABoundReachesEverything) {
  for_each_program([](const Program& program, const std::vector<Execution>& all) {
    const auto strategy = make_strategy("bpor:bound=1000", 1);
    const std::vector<Execution> reduced = toy::explore(program, *strategy);
    EXPECT_EQ(final_states(program, reduced), final_states(program, all));
    EXPECT_EQ(strategy->coverage().text, "every execution up to the order of steps that commute: " +
                                             std::to_string(reduced.size()));
  });
}

TEST_F(Reductions, BporRunsIndependentTasksOnce) {
  EXPECT_EQ(toy::explore(toy::independent({4, 4, 4}), "bpor:bound=2").size(), 1u);
  EXPECT_EQ(toy::explore(writers(4), "bpor:bound=0").size(), 24u);
}

// --- bestfirst ---

constexpr const char* reduced_spaces[] = {"dpor", "persistent"};

std::string best_first(const std::string& space, const std::string& priority) {
  return "bestfirst:space=" + space + ",priority=" + priority;
}

// The executions that a best-first search knows to be redundant.
std::uint64_t redundant_in(const std::string& coverage) {
  const std::string words = "; cut as redundant: ";
  const std::size_t at = coverage.find(words);
  return at == std::string::npos ? 0 : std::stoull(coverage.substr(at + words.size()));
}

// Whatever comes first: the traces of dpor, and each of them once, besides what is redundant and
// known to be.
TEST_F(Reductions, BestFirstRunsEachTraceOnceInTheReducedSpaces) {
  for (const char* space : reduced_spaces) {
    for (const char* priority :
         {"pb", "dpor", "mdpor+pb", "ss+pb", "rand", "novel+rand", "pattern", "hapset+pb"}) {
      std::uint64_t executions = 0;
      std::uint64_t traces = 0;
      for_each_program([&](const Program& program, const std::vector<Execution>& all) {
        const auto strategy = make_strategy(best_first(space, priority), 3);
        const std::vector<Execution> run = toy::explore(program, *strategy);
        const std::vector<Execution> reduced = complete(run);
        const std::size_t expected = count_traces(program, all);
        const std::string text = strategy->coverage().text;
        const std::uint64_t redundant = redundant_in(text);
        EXPECT_EQ(final_states(program, reduced), final_states(program, all)) << space << priority;
        EXPECT_EQ(count_traces(program, reduced), expected) << space << priority;
        EXPECT_EQ(run.size() - redundant, expected) << space << priority << text;
        EXPECT_TRUE(strategy->coverage().complete);
        const std::string promise = "every Mazurkiewicz trace: " + std::to_string(expected);
        EXPECT_EQ(text.substr(0, text.find(';')), promise);
        executions += run.size();
        traces += expected;
      });
      EXPECT_LT(executions * 100, traces * 101) << space << priority << "little is redundant";
    }
  }
}

// Programs that are too large to be enumerated, against dpor.
TEST_F(Reductions, BestFirstRunsTheTracesOfDporInLargerPrograms) {
  std::uint64_t compared = 0;
  std::map<std::string, std::uint64_t> executions;
  std::uint64_t traces = 0;
  for (std::uint64_t seed = 0; compared < 60; ++seed) {
    const Program program = random_program(seed, 1);
    const std::vector<Execution> by_dpor = toy::explore(program, "dpor", 1001);
    if (by_dpor.size() > 1000 || by_dpor.size() < 20) continue;
    SCOPED_TRACE("seed " + std::to_string(seed));
    ++compared;
    traces += by_dpor.size();
    const std::set<Form> expected = traces_of(program, by_dpor);
    for (const char* space : reduced_spaces) {
      for (const char* priority : {"mdpor+pb", "rand"}) {
        const auto strategy = make_strategy(best_first(space, priority), seed);
        const std::vector<Execution> run = toy::explore(program, *strategy);
        EXPECT_EQ(traces_of(program, complete(run)), expected) << space << priority;
        EXPECT_EQ(run.size() - redundant_in(strategy->coverage().text), expected.size())
            << space << priority;
        executions[space] += run.size();
      }
    }
    if (HasFailure()) return;
  }
  for (const char* space : reduced_spaces) {
    EXPECT_LT(executions[space] * 100, 2 * traces * 105) << space << ": little is redundant";
  }
}

// At the first point the task of the race waits for a message: persistent sets ask for everybody,
// and the one who has nothing to do with it is found to be redundant.
TEST_F(Reductions, PersistentSetsAskForEverybodyWhereTheTaskOfARaceCannotRun) {
  const Program program = {{{Operation::write, 0}},
                           {{Operation::send, 2}},
                           {{Operation::receive, 0}, {Operation::write, 0}},
                           {{Operation::step, 0}}};
  const auto source = make_strategy(best_first("dpor", "pb"), 1);
  EXPECT_EQ(toy::explore(program, *source).size(), 2u);
  EXPECT_EQ(source->coverage().text, "every Mazurkiewicz trace: 2");
  const auto persistent = make_strategy(best_first("persistent", "pb"), 1);
  EXPECT_EQ(toy::explore(program, *persistent).size(), 3u);
  EXPECT_EQ(persistent->coverage().text, "every Mazurkiewicz trace: 2; cut as redundant: 1");
}

TEST_F(Reductions, BestFirstKnowsTheNumbersOfTheBook) {
  for (const char* space : reduced_spaces) {
    EXPECT_EQ(toy::explore(toy::independent({5, 5, 5}), best_first(space, "rand")).size(), 1u);
    EXPECT_EQ(toy::explore(writers(5), best_first(space, "rand")).size(), 120u);
    EXPECT_EQ(toy::explore(toy::critical_sections(4, 1), best_first(space, "rand")).size(), 24u);
    EXPECT_EQ(toy::explore(toy::critical_sections(2, 3), best_first(space, "rand")).size(), 20u);
  }
}

TEST_F(Reductions, BestFirstRunsEachExecutionOfAPlainSpaceOnce) {
  for_each_program([](const Program& program, const std::vector<Execution>& all) {
    const auto everything = toy::explore(program, "bestfirst:space=all,priority=pb");
    EXPECT_EQ(toy::sorted_schedules(everything), toy::sorted_schedules(all));
    const auto bounded = toy::explore(program, "bestfirst:space=pb=1,priority=rand");
    EXPECT_EQ(toy::sorted_schedules(bounded), toy::sorted_schedules(toy::with_at_most(1, all)));
  });
}

// --- Limits ---

TEST_F(Reductions, ExecutionsWithoutAnEndProveNothing) {
  for (const char* specification : {"dpor", "bpor", "bestfirst", "hapset"}) {
    const auto strategy = make_strategy(specification, 1);
    const std::vector<Execution> executions =
        toy::explore(toy::critical_sections(2, 3), *strategy, 1000, 6);
    EXPECT_LT(executions.size(), 1000u) << specification;
    EXPECT_TRUE(executions[0].cut);
    EXPECT_FALSE(strategy->coverage().complete);
    EXPECT_NE(strategy->coverage().text.find("without an end (the step limit)"), std::string::npos)
        << strategy->coverage().text;
  }
}

TEST_F(Reductions, ATaskThatIsNotThereAnyMoreIsNondeterminism) {
  for (const char* specification : {"bpor", "hapset"}) {
    const auto strategy = make_strategy(specification, 1);
    Execution execution;
    ASSERT_TRUE(toy::execute(writers(2), *strategy, execution));
    ASSERT_TRUE(strategy->begin());
    TaskSet enabled;
    enabled.insert(task_id(2));
    enabled.insert(task_id(3));
    const std::vector<ricercar::Operation> pending(4);
    const ChoicePoint point{ChoiceKind::schedule, 0, no_task,
                            OptionList(&enabled, 2, pending.data())};
    EXPECT_THROW(strategy->choose(point), Nondeterminism) << specification;
  }
}

TEST_F(Reductions, AShorterListOfOptionsIsNondeterminism) {
  for (const char* specification : {"dpor", "bpor", "hapset"}) {
    const auto strategy = make_strategy(specification, 1);
    Execution execution;
    ASSERT_TRUE(toy::execute(writers(3), *strategy, execution));
    Execution another;
    EXPECT_THROW(toy::execute(writers(2), *strategy, another), Nondeterminism) << specification;
  }
}

}  // namespace
}  // namespace ricercar::inline strategy
