// Random small programs, executed under every schedule, against an independent model that
// enumerates the same programs by brute force: the same executions, each as often as in the model.
#include <gtest/gtest.h>
#include <ricercar/ricercar.h>

#include "generated/machine.h"
#include "generated/program.h"

namespace ricercar::test {
namespace {

constexpr std::uint64_t programs = 400;
constexpr std::uint64_t execution_limit = 4000;  // larger programs are left out

constexpr const char* pruned = "hapset:prune=yes";  // no proof

// Results are kept outside of the executions, in memory that is there before they begin.
Executions execute(const Program& program, std::uint64_t expected, const Options& options,
                   std::string* coverage = nullptr) {
  Executions all;
  all.finals.reserve(expected + execution_limit);
  const Result result = check(options, [&program, &all] {
    const Final final = Machine(program).run();
    if (all.finals.size() < all.finals.capacity()) all.finals.push_back(final);
  });
  EXPECT_TRUE(result.error.empty()) << result;
  if (coverage != nullptr) *coverage = result.coverage;
  const bool uses_heap = std::any_of(result.bugs.begin(), result.bugs.end(),
                                     [](const Bug& bug) { return bug.kind == "use-after-free"; });
  for (const Bug& bug : result.bugs) {
    const bool is_race = bug.kind == "data-race" && options.races;
    EXPECT_TRUE(bug.kind == (uses_heap ? "use-after-free" : "deadlock") || is_race) << result;
  }
  const bool has_race = std::any_of(result.bugs.begin(), result.bugs.end(),
                                    [](const Bug& bug) { return bug.kind == "data-race"; });
  const bool leaves_races = has_race && options.points == "atomic";
  if (options.strategy != pruned) {
    EXPECT_EQ(result.complete, !leaves_races) << result;
  }
  // An execution that a strategy cut short is none of either kind.
  std::uint64_t& failures = uses_heap ? all.heap_errors : all.deadlocks;
  failures = result.bugs.empty() ? 0 : result.executions - all.finals.size();
  std::sort(all.finals.begin(), all.finals.end());
  return all;
}

std::vector<Final> distinct(std::vector<Final> finals) {
  finals.erase(std::unique(finals.begin(), finals.end()), finals.end());
  return finals;
}

Options every_schedule(const std::string& strategy) {
  Options options;
  options.strategy = strategy;
  options.executions = 0;
  options.keep_going = true;
  options.minimise = false;               // the body counts
  options.out = "/proc/version/nowhere";  // thousands of schedules of deadlocks are of no use
  return options;
}

void expect_the_same(std::uint64_t seed, const Program& program, const Executions& expected,
                     const Executions& found) {
  const std::string text = "program " + std::to_string(seed) + ":\n" + to_text(program);
  EXPECT_EQ(found.count(), expected.count()) << text;
  EXPECT_EQ(found.deadlocks, expected.deadlocks) << text;
  EXPECT_TRUE(found.finals == expected.finals) << text;
}

void compare(const std::string& strategy) {
  std::uint64_t compared = 0;
  std::uint64_t deadlocking = 0;
  for (std::uint64_t seed = 1; compared < programs; ++seed) {
    const Program program = generate(seed);
    const Executions expected = enumerate(program, execution_limit);
    if (expected.count() == 0) continue;
    const Executions found = execute(program, expected.count(), every_schedule(strategy));
    expect_the_same(seed, program, expected, found);
    if (testing::Test::HasFailure()) return;
    ++compared;
    if (expected.deadlocks > 0) ++deadlocking;
  }
  // The programs are worth something: many have deadlocks, and many have none.
  EXPECT_GT(deadlocking, programs / 10);
  EXPECT_LT(deadlocking, programs * 9 / 10);
}

// --- Programs that use and free memory ---

Options every_schedule_with_heap(const std::string& strategy, bool races) {
  Options options = every_schedule(strategy);
  options.races = races;
  options.points = "atomic";
  return options;
}

struct HeapFigures {
  std::uint64_t compared = 0, failing = 0, counted = 0;
};

template <typename Compare>
HeapFigures with_heap_programs(std::uint64_t number, Compare compare) {
  HeapFigures figures;
  for (std::uint64_t seed = 1; figures.compared < number; ++seed) {
    const Program program = generate_with_heap(seed);
    const Executions expected = enumerate(program, execution_limit);
    if (expected.count() == 0) continue;
    ++figures.compared;
    if (expected.heap_errors > 0) ++figures.failing;
    const std::string text = "program " + std::to_string(seed) + ":\n" + to_text(program);
    compare(program, expected, text);
    if (expected.heap_errors == 0) ++figures.counted;
    if (testing::Test::HasFailure()) break;
  }
  return figures;
}

constexpr std::uint64_t heap_programs = 200;

void expect_worth(const HeapFigures& figures) {
  EXPECT_GT(figures.failing, figures.compared / 5);
  EXPECT_GT(figures.counted, figures.compared / 10);
}

// Whether races are looked for or passed makes no difference to what is explored.
TEST(GeneratedHeapPrograms, HaveTheExecutionsOfTheModelUnderDfsAndPb) {
  expect_worth(with_heap_programs(
      heap_programs,
      [](const Program& program, const Executions& expected, const std::string& text) {
        for (const std::string strategy : {"dfs", "pb:bound=1000"}) {
          for (const bool races : {false, true}) {
            const Executions found =
                execute(program, expected.count(), every_schedule_with_heap(strategy, races));
            EXPECT_TRUE(found.finals == expected.finals) << strategy << races << ' ' << text;
            EXPECT_EQ(found.heap_errors, expected.heap_errors) << strategy << races << ' ' << text;
          }
        }
      }));
}

// The same results and the same bugs; without a bug one execution for each trace.
TEST(GeneratedHeapPrograms, HaveTheResultsOfTheModelUnderTheReductions) {
  expect_worth(with_heap_programs(
      heap_programs,
      [](const Program& program, const Executions& expected, const std::string& text) {
        for (const std::string strategy :
             {"dpor", "bpor:bound=1000", "bestfirst:space=dpor,priority=mdpor+pb",
              "bestfirst:space=dpor,priority=rand", "bestfirst:space=persistent,priority=rand",
              "hapset:prune=no"}) {
          for (const bool races : {false, true}) {
            const Executions found =
                execute(program, expected.count(), every_schedule_with_heap(strategy, races));
            EXPECT_TRUE(distinct(found.finals) == distinct(expected.finals))
                << strategy << races << ' ' << text;
            EXPECT_EQ(found.heap_errors > 0, expected.heap_errors > 0)
                << strategy << races << ' ' << text;
            if (strategy == "dpor" && expected.heap_errors == 0) {
              EXPECT_EQ(found.finals.size(), expected.traces.size()) << races << ' ' << text;
            }
          }
        }
      }));
}

bool has_time_limits(const Program& program) {
  return std::any_of(program.begin(), program.end(), [](const Thread& thread) {
    return std::any_of(thread.begin(), thread.end(), [](const Operation& operation) {
      return operation.kind == Kind::timed_lock || operation.kind == Kind::timed_take;
    });
  });
}

// The long test asks for more.
std::uint64_t wanted_programs() {
  const char* wanted = std::getenv("RICERCAR_GENERATED_PROGRAMS");
  return wanted != nullptr ? std::strtoull(wanted, nullptr, 10) : programs;
}

// The same results and the same bugs as all executions together have. Where the number of traces is
// clear, one execution for each: time limits add an order of their own, and a deadlock that is
// found before everybody is stuck cuts a trace short.
TEST(GeneratedPrograms, HaveTheResultsOfTheModelUnderDpor) {
  std::uint64_t counted = 0;
  std::uint64_t compared = 0;
  std::uint64_t traces = 0;
  std::uint64_t executions = 0;
  const std::uint64_t number = wanted_programs();
  for (std::uint64_t seed = 1; compared < number; ++seed) {
    const Program program = generate(seed);
    const Executions expected = enumerate(program, execution_limit);
    if (expected.count() == 0) continue;
    ++compared;
    const Executions found = execute(program, expected.count(), every_schedule("dpor"));
    const std::string text = "program " + std::to_string(seed) + ":\n" + to_text(program);
    EXPECT_TRUE(distinct(found.finals) == distinct(expected.finals)) << text;
    EXPECT_EQ(found.deadlocks > 0, expected.deadlocks > 0) << text;
    if (!has_time_limits(program) && expected.deadlocks == 0) {
      ++counted;
      EXPECT_EQ(found.finals.size(), expected.traces.size()) << text;
      traces += expected.traces.size();
      executions += expected.count();
    }
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(counted, number / 10);
  EXPECT_LT(traces * 2, executions);
}

// With the bound alone or with the reduction too: the same results, the same bugs.
TEST(GeneratedPrograms, HaveTheSameResultsUnderBporAsUnderPb) {
  std::uint64_t compared = 0;
  std::uint64_t reduced = 0;
  std::uint64_t all = 0;
  for (std::uint64_t seed = 1; compared < wanted_programs(); ++seed) {
    const Program program = generate(seed);
    const Executions model = enumerate(program, execution_limit);
    if (model.count() == 0) continue;
    ++compared;
    for (const std::string bound : {"0", "1", "2", "1000"}) {
      const Executions expected =
          execute(program, model.count(), every_schedule("pb:bound=" + bound));
      const Executions found =
          execute(program, model.count(), every_schedule("bpor:bound=" + bound));
      const std::string text =
          "bound " + bound + ", program " + std::to_string(seed) + ":\n" + to_text(program);
      EXPECT_TRUE(distinct(found.finals) == distinct(expected.finals)) << text;
      EXPECT_EQ(found.deadlocks > 0, expected.deadlocks > 0) << text;
      reduced += found.count();
      all += expected.count();
    }
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_LT(reduced, all);
}

// Whatever comes first, in the end everything has been there; in a reduced space each trace once.
TEST(GeneratedPrograms, HaveTheResultsOfTheModelUnderBestFirstSearch) {
  std::uint64_t compared = 0;
  std::uint64_t counted = 0;
  for (std::uint64_t seed = 1; compared < wanted_programs() / 4; ++seed) {
    const Program program = generate(seed);
    const Executions expected = enumerate(program, execution_limit);
    if (expected.count() == 0) continue;
    ++compared;
    const std::string text = "program " + std::to_string(seed) + ":\n" + to_text(program);
    for (const std::string priority : {"mdpor+pb", "rand", "ss+novel"}) {
      const Executions all = execute(program, expected.count(),
                                     every_schedule("bestfirst:space=all,priority=" + priority));
      if (expected.deadlocks == 0) expect_the_same(seed, program, expected, all);
      EXPECT_TRUE(distinct(all.finals) == distinct(expected.finals)) << priority << ' ' << text;
      const Executions bounded = execute(
          program, expected.count(), every_schedule("bestfirst:space=pb=1,priority=" + priority));
      const Executions pb = execute(program, expected.count(), every_schedule("pb:bound=1"));
      EXPECT_TRUE(distinct(bounded.finals) == distinct(pb.finals)) << priority << ' ' << text;
      for (const std::string space : {"dpor", "persistent"}) {
        std::string coverage;
        const Executions reduced = execute(
            program, expected.count(),
            every_schedule("bestfirst:space=" + space + ",priority=" + priority), &coverage);
        const std::string what = space + ' ' + priority + ' ' + text;
        EXPECT_TRUE(distinct(reduced.finals) == distinct(expected.finals)) << what;
        EXPECT_EQ(reduced.deadlocks > 0, expected.deadlocks > 0) << what;
        if (has_time_limits(program) || expected.deadlocks != 0) continue;
        ++counted;
        EXPECT_EQ(coverage.substr(0, coverage.find(';')),
                  "every Mazurkiewicz trace: " + std::to_string(expected.traces.size()))
            << what;
      }
    }
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(counted, compared / 2);
}

// Without pruning hapset is only another order: the same results, and exactly the traces of dpor.
// With it, some of the results, and few executions.
TEST(GeneratedPrograms, HaveTheResultsOfTheModelUnderHapset) {
  std::uint64_t compared = 0;
  std::uint64_t counted = 0;
  std::uint64_t results = 0;
  std::uint64_t pruned_results = 0;
  std::uint64_t executions = 0;
  std::uint64_t pruned_executions = 0;
  for (std::uint64_t seed = 1; compared < wanted_programs() / 2; ++seed) {
    const Program program = generate(seed);
    const Executions expected = enumerate(program, execution_limit);
    if (expected.count() == 0) continue;
    ++compared;
    const std::string text = "program " + std::to_string(seed) + ":\n" + to_text(program);
    Options options = every_schedule("hapset:prune=no");
    options.points = "atomic";
    std::string coverage;
    const Executions all = execute(program, expected.count(), options, &coverage);
    EXPECT_TRUE(distinct(all.finals) == distinct(expected.finals)) << text;
    EXPECT_EQ(all.deadlocks > 0, expected.deadlocks > 0) << text;
    if (!has_time_limits(program) && expected.deadlocks == 0) {
      ++counted;
      const std::string wanted =
          "every Mazurkiewicz trace: " + std::to_string(expected.traces.size());
      EXPECT_EQ(coverage.substr(0, coverage.find(';')), wanted) << coverage << '\n' << text;
    }
    options.strategy = pruned;
    const Executions few = execute(program, expected.count(), options);
    // And both, one after the other.
    options.strategy = "hapset";
    const Executions first_few = execute(program, expected.count(), options);
    EXPECT_TRUE(distinct(first_few.finals) == distinct(expected.finals)) << text;
    EXPECT_EQ(first_few.deadlocks > 0, expected.deadlocks > 0) << text;
    const std::vector<Final> found = distinct(few.finals);
    const std::vector<Final> possible = distinct(expected.finals);
    EXPECT_TRUE(std::includes(possible.begin(), possible.end(), found.begin(), found.end()))
        << text;
    executions += all.count();
    pruned_executions += few.count();
    results += possible.size();
    pruned_results += found.size();
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(counted, compared / 10);
  // What pruning is for, and what it costs. On programs as small as these it saves little.
  EXPECT_LT(pruned_executions, executions);
  EXPECT_GT(pruned_results * 3, results);
}

TEST(GeneratedPrograms, HaveTheExecutionsOfTheModelUnderDfs) { compare("dfs"); }

TEST(GeneratedPrograms, HaveTheExecutionsOfTheModelUnderALargePreemptionBound) {
  compare("pb:bound=1000");
  compare("pb:bound=1000,iterative=no");
}

}  // namespace
}  // namespace ricercar::test
