#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "model/shared_array.h"
#include "search/decisions.h"
#include "search/failure.h"
#include "search/search_loop.h"
#include "search/toy_search.h"
#include "search/variant_search.h"

namespace ricercar::inline search {
namespace {

using toy::Operation;
using toy::Program;
using toy::ToyWorld;
using Found = toy::FoundByChance;

struct Shortest {
  ExecutionSize before;
  ExecutionSize after;
  std::uint64_t executions = 0;
  std::uint64_t bugs = 0;
};

Shortest minimise(const Program& program, const Found& found, std::uint64_t budget = 1000000) {
  const auto control = std::make_unique<Control>();
  control->request.decisions = to_shared(found.decisions);
  control->request.variants = {VariantRequest::shortest, found.kind, found.steps, budget};
  ToyWorld world(*control, program);
  SearchLoop loop(*control);
  loop.run(world);
  loop.forget();
  return {control->size_before, control->size_now, control->executions, control->bug_count};
}

std::uint32_t fewest_preemptions(const Program& program, OutcomeKind kind) {
  std::uint32_t fewest = ~0U;
  for (const toy::Execution& execution : toy::brute_force(program)) {
    const bool fails = kind == OutcomeKind::deadlock ? execution.deadlock : execution.failed;
    if (fails) fewest = std::min(fewest, execution.preemptions);
  }
  return fewest;
}

const Program crossed_locks = {
    {{Operation::step},
     {Operation::lock, 0},
     {Operation::lock, 1},
     {Operation::unlock, 1},
     {Operation::unlock, 0}},
    {{Operation::step},
     {Operation::lock, 1},
     {Operation::lock, 0},
     {Operation::unlock, 0},
     {Operation::unlock, 1}},
    {{Operation::step}, {Operation::step}},
};

// The check fails only if it comes before the write.
const Program early_check = {
    {{Operation::step}, {Operation::step}, {Operation::write, 0}, {Operation::step}},
    {{Operation::step}, {Operation::check, 0}, {Operation::step}},
    {{Operation::step}, {Operation::step}, {Operation::step}},
};

TEST(MinimiserTest, FindsTheFewestPreemptionsOfADeadlock) {
  const std::uint32_t fewest = fewest_preemptions(crossed_locks, OutcomeKind::deadlock);
  EXPECT_EQ(fewest, 1u);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Found found = toy::search_for_bug(crossed_locks, OutcomeKind::deadlock, seed);
    ASSERT_FALSE(found.decisions.empty());
    const Shortest shortest = minimise(crossed_locks, found);
    EXPECT_EQ(shortest.bugs, 1u);
    EXPECT_EQ(shortest.after.preemptions, fewest) << "seed " << seed;
    EXPECT_LE(shortest.after, shortest.before);
    EXPECT_EQ(shortest.after.switches, 2u) << "the first task, the second one, the first one";
  }
}

TEST(MinimiserTest, LeavesOutTasksThatHaveNothingToDoWithIt) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Found found = toy::search_for_bug(early_check, OutcomeKind::assertion, seed);
    ASSERT_FALSE(found.decisions.empty());
    const Shortest shortest = minimise(early_check, found);
    EXPECT_EQ(shortest.after.preemptions, 0u);
    EXPECT_EQ(shortest.after.steps, 2u) << "those of the task that checks";
  }
}

TEST(MinimiserTest, GivesTheSameAnswerTwice) {
  const Found found = toy::search_for_bug(crossed_locks, OutcomeKind::deadlock, 3);
  const Shortest one = minimise(crossed_locks, found);
  const Shortest other = minimise(crossed_locks, found);
  EXPECT_EQ(one.after, other.after);
  EXPECT_EQ(one.executions, other.executions);
}

TEST(MinimiserTest, KeepsToItsBudget) {
  const Found found = toy::search_for_bug(crossed_locks, OutcomeKind::deadlock, 3);
  const Shortest none = minimise(crossed_locks, found, 1);
  EXPECT_EQ(none.executions, 1u);
  EXPECT_EQ(none.bugs, 1u) << "the recorded execution itself";
  EXPECT_EQ(none.after, none.before);
}

TEST(MinimiserTest, AnswersNothingIfTheFailureDoesNotComeAgain) {
  Found found = toy::search_for_bug(crossed_locks, OutcomeKind::deadlock, 3);
  found.kind = OutcomeKind::assertion;
  EXPECT_EQ(minimise(crossed_locks, found).bugs, 0u);
}

TEST(FailureTest, KnowsNoNumbersOfExecutions) {
  EXPECT_EQ(without_numbers_of_execution("T12 reads 0x7f00a8, not T or MT1"),
            "T reads 0x, not T or MT1");
}

TEST(FailureTest, ComparesPlacesInAnyOrder) {
  Outcome outcome;
  outcome.kind = OutcomeKind::data_race;
  outcome.message = "write by T1";
  const Failure one = failure_of(outcome, {1, 2});
  outcome.message = "read by T2";
  EXPECT_EQ(one, failure_of(outcome, {2, 1}));
  EXPECT_NE(one, failure_of(outcome, {2, 3}));
}

TEST(FailureTest, TellsMessagesApart) {
  Outcome outcome;
  outcome.kind = OutcomeKind::exception;
  outcome.message = "lost 1";
  const Failure one = failure_of(outcome, {1});
  outcome.message = "lost 2";
  EXPECT_NE(one, failure_of(outcome, {1}));
}

}  // namespace
}  // namespace ricercar::inline search
