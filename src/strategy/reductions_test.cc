// The reductions against a plain enumeration of all executions, on programs of the toy world: the
// same final states, the same deadlocks, and exactly as many executions as there are Mazurkiewicz
// traces where that is promised.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "base/error.h"
#include "strategy/toy_world.h"

namespace ricercar::inline strategy {
namespace {

using toy::Execution;
using toy::Operation;
using toy::Program;

using States = std::set<std::vector<std::uint64_t>>;

std::vector<std::uint64_t> final_state(const Program& program, const Execution& execution) {
  toy::World world(program);
  world.follow(execution.schedule);
  std::vector<std::uint64_t> state = world.contents();
  state.push_back(world.deadlocked() ? 1 : 0);
  return state;
}

States final_states(const Program& program, const std::vector<Execution>& executions) {
  States states;
  for (const Execution& execution : executions) {
    if (!execution.given_up) states.insert(final_state(program, execution));
  }
  return states;
}

// --- Mazurkiewicz traces, without any code of the reductions ---

// What happened in one step: who did it, on which object, and with which value.
struct Event {
  std::uint32_t task;
  std::uint64_t object;  // 0: none
  bool writes;
  int value;

  bool depends_on(const Event& other) const {
    return task == other.task ||
           (object != 0 && object == other.object && (writes || other.writes));
  }
  auto key() const { return std::tuple(task, object, writes, value); }
};

std::uint64_t object_of(const Operation& operation, std::uint32_t task) {
  switch (operation.kind) {
    case Operation::lock:
    case Operation::unlock:
      return 100 + operation.argument;
    case Operation::send:
      return 200 + operation.argument;
    case Operation::receive:
      return 200 + task;
    case Operation::write:
    case Operation::read:
    case Operation::check:
      return 300 + operation.argument;
    default:
      return 0;
  }
}

std::vector<Event> events_of(const Program& program, const toy::Schedule& schedule) {
  std::vector<Event> events;
  std::vector<std::size_t> next(program.size(), 0);
  for (const int decision : schedule) {
    if (decision < 0) {
      events.back().value = decision;
      continue;
    }
    const auto task = static_cast<std::uint32_t>(decision);
    const Operation& operation = program[task][next[task]++];
    events.push_back({task, object_of(operation, task), operation.kind != Operation::read, 0});
  }
  return events;
}

// The same for all executions of one trace: always the smallest event that nothing is before.
using Form = std::vector<std::tuple<std::uint32_t, std::uint64_t, bool, int>>;
Form normal_form(std::vector<Event> events) {
  Form form;
  while (!events.empty()) {
    auto best = events.begin();
    for (auto i = best + 1; i != events.end(); ++i) {
      const bool is_first = std::none_of(
          events.begin(), i, [i](const Event& earlier) { return i->depends_on(earlier); });
      if (is_first && i->key() < best->key()) best = i;
    }
    form.push_back(best->key());
    events.erase(best);
  }
  return form;
}

std::set<Form> traces_of(const Program& program, const std::vector<Execution>& executions) {
  std::set<Form> forms;
  for (const Execution& execution : executions) {
    forms.insert(normal_form(events_of(program, execution.schedule)));
  }
  return forms;
}

std::size_t count_traces(const Program& program, const std::vector<Execution>& executions) {
  return traces_of(program, executions).size();
}

// --- Programs ---

Operation random_operation(Random& random, std::uint32_t tasks) {
  switch (random.below(6)) {
    case 0:
      return {Operation::read, random.below(2)};
    case 1:
    case 2:
      return {Operation::write, random.below(2)};
    case 3:
      return {Operation::send, random.below(tasks)};
    case 4:
      return {Operation::choose, 2};
    default:
      return {Operation::step, 0};
  }
}

// Some operations under a lock, some not, and a receive now and then: some executions deadlock.
// With `more` the tasks are more and longer.
Program random_program(std::uint64_t seed, std::uint32_t more = 0) {
  Random random(seed);
  const std::uint32_t tasks = 2 + more + random.below(2);
  Program program(tasks);
  for (toy::Task& task : program) {
    const std::uint32_t length = 1 + more + random.below(tasks == 2 ? 3 : 2);
    for (std::uint32_t i = 0; i < length; ++i) {
      const std::uint32_t lock = random.below(3);
      if (lock < 2) task.push_back({Operation::lock, lock});
      task.push_back(random_operation(random, tasks));
      if (lock < 2) task.push_back({Operation::unlock, lock});
    }
    if (random.below(4) == 0) task.push_back({Operation::receive, 0});
  }
  return program;
}

// Two tasks take two locks in opposite order.
Program opposite_locks() {
  return {
      {{Operation::lock, 0}, {Operation::lock, 1}, {Operation::unlock, 1}, {Operation::unlock, 0}},
      {{Operation::lock, 1}, {Operation::lock, 0}, {Operation::unlock, 0}, {Operation::unlock, 1}}};
}

Program writers(std::uint32_t tasks) { return Program(tasks, {{Operation::write, 0}}); }

// A program and all of its executions.
struct Enumerated {
  Program program;
  std::vector<Execution> all;
};

std::vector<Enumerated> enumerate_programs() {
  std::vector<Enumerated> result;
  result.push_back({opposite_locks(), toy::brute_force(opposite_locks())});
  result.push_back({toy::critical_sections(3, 1), toy::brute_force(toy::critical_sections(3, 1))});
  constexpr std::size_t most = 1000;
  for (std::uint64_t seed = 0; result.size() < 100; ++seed) {
    Program program = random_program(seed);
    std::vector<Execution> all = toy::brute_force(program, most + 1);
    if (all.size() <= most) result.push_back({std::move(program), std::move(all)});
  }
  return result;
}

// The same ones for all tests, enumerated once: that takes longer than most of the tests.
const std::vector<Enumerated>& enumerated_programs() {
  static const std::vector<Enumerated> programs = enumerate_programs();
  return programs;
}

class Reductions : public testing::Test {
 protected:
  // Calls check(program, all its executions) for every program.
  template <typename Check>
  void for_each_program(Check check) {
    const std::vector<Enumerated>& programs = enumerated_programs();
    for (std::size_t i = 0; i < programs.size(); ++i) {
      SCOPED_TRACE("program " + std::to_string(i));
      check(programs[i].program, programs[i].all);
    }
  }
};

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

std::vector<Execution> complete(std::vector<Execution> executions) {
  std::erase_if(executions, [](const Execution& execution) { return execution.given_up; });
  return executions;
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

// --- hapset ---

TEST_F(Reductions, HapsetRunsNothingTwiceAndNothingImpossible) {
  for (const char* base : {"hapset", "hapset:base=pb,bound=1"}) {
    for_each_program([base](const Program& program, const std::vector<Execution>& all) {
      const std::vector<Execution> some = toy::explore(program, base);
      const std::vector<toy::Schedule> possible = toy::sorted_schedules(all);
      const std::vector<toy::Schedule> run = toy::sorted_schedules(some);
      EXPECT_TRUE(std::includes(possible.begin(), possible.end(), run.begin(), run.end())) << base;
      EXPECT_EQ(std::adjacent_find(run.begin(), run.end()), run.end()) << base;
    });
  }
}

TEST_F(Reductions, HapsetWithoutPruningLeavesNothingOut) {
  for_each_program([](const Program& program, const std::vector<Execution>& all) {
    EXPECT_EQ(final_states(program, toy::explore(program, "hapset:prune=no")),
              final_states(program, all));
  });
}

TEST_F(Reductions, HapsetRunsIndependentTasksOnceAndWritersInBothOrders) {
  EXPECT_EQ(toy::explore(toy::independent({4, 4}), "hapset").size(), 1u);
  EXPECT_EQ(toy::explore(writers(2), "hapset").size(), 2u);
  EXPECT_EQ(final_states(writers(2), toy::explore(writers(2), "hapset")),
            final_states(writers(2), toy::brute_force(writers(2))));
}

// Task 0 goes through its critical section three times, then task 1. Before each of the three locks
// a turn is planned for task 1: the other order of the two tasks has not been seen. The first of
// these executions shows it. Algorithm 5 of the paper runs the two others as well; with replan=yes
// they have become known when their turn comes.
TEST_F(Reductions, HapsetRunsWhatWasPlannedOrAsksAgain) {
  const Program program = toy::critical_sections(2, 3);
  EXPECT_EQ(toy::explore(program, "hapset:replan=yes").size(), 2u);
  EXPECT_EQ(toy::explore(program, "hapset:replan=no").size(), 4u);
}

// --- Limits ---

TEST_F(Reductions, ExecutionsWithoutAnEndProveNothing) {
  for (const char* specification : {"dpor", "bpor", "bestfirst"}) {
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
