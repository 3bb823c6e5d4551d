#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "model/shared_array.h"
#include "search/decisions.h"
#include "search/failure.h"
#include "search/search_loop.h"
#include "search/variant_search.h"
#include "strategy/toy_world.h"

namespace ricercar::inline search {
namespace {

using toy::Operation;
using toy::Program;

// A toy world behind the search's interface. A deadlock is told by who is left where, a check that
// fails by its task.
class ToyWorld final : public World {
 public:
  ToyWorld(const Control& control, Program program)
      : control_(control), program_(std::move(program)) {}

  std::unique_ptr<Strategy> new_strategy() override {
    return make_strategy(control_.request.strategy, control_.request.seed);
  }
  bool restore() override { return true; }
  ExecutionEnd run(Strategy& strategy) override {
    run_ = std::make_unique<toy::Run>(program_, strategy, true);
    const toy::Execution execution = run_->execute(control_.request.max_steps);
    outcome_ = {};
    if (execution.deadlock) outcome_.kind = OutcomeKind::deadlock;
    if (execution.failed) outcome_.kind = OutcomeKind::assertion;
    outcome_.task = run_->trace().empty() ? no_task : run_->trace().back().task;
    ExecutionEnd end;
    end.outcome = &outcome_;
    end.trace = run_->trace();
    end.has_findings = outcome_.is_bug();
    end.was_cut = execution.given_up;
    return end;
  }
  std::vector<Step> left() const override { return {}; }
  std::string error() const override { return {}; }
  std::vector<Finding> findings() override { return {{outcome_, run_->trace(), {}}}; }
  std::vector<std::uint64_t> places(const Finding& finding) override {
    if (finding.outcome.kind == OutcomeKind::assertion) return {index(finding.outcome.task) + 1};
    std::vector<std::uint64_t> places;
    for (const Step& step : run_->world().left()) places.push_back(step.object);
    return places;
  }
  bool leaves_out(const Outcome&) override { return false; }

 private:
  const Control& control_;
  const Program program_;
  std::unique_ptr<toy::Run> run_;
  Outcome outcome_;
};

struct Found {
  std::vector<std::uint16_t> decisions;
  OutcomeKind kind = OutcomeKind::ok;
  std::uint64_t steps = 0;
};

// The last one of many random executions that fails.
Found search_for_bug(const Program& program, OutcomeKind kind, std::uint64_t seed) {
  const auto control = std::make_unique<Control>();
  control->request.strategy = "random";
  control->request.seed = seed;
  control->request.max_executions = 10000;
  ToyWorld world(*control, program);
  SearchLoop loop(*control);
  loop.run(world);
  Found found;
  if (control->first_bug != nullptr && control->first_bug->outcome.kind == kind) {
    const FoundBug& bug = *control->first_bug;
    found = {{bug.decisions.begin(), bug.decisions.end()}, kind, bug.steps};
  }
  loop.forget();
  return found;
}

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
    const Found found = search_for_bug(crossed_locks, OutcomeKind::deadlock, seed);
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
    const Found found = search_for_bug(early_check, OutcomeKind::assertion, seed);
    ASSERT_FALSE(found.decisions.empty());
    const Shortest shortest = minimise(early_check, found);
    EXPECT_EQ(shortest.after.preemptions, 0u);
    EXPECT_EQ(shortest.after.steps, 2u) << "those of the task that checks";
  }
}

TEST(MinimiserTest, GivesTheSameAnswerTwice) {
  const Found found = search_for_bug(crossed_locks, OutcomeKind::deadlock, 3);
  const Shortest one = minimise(crossed_locks, found);
  const Shortest other = minimise(crossed_locks, found);
  EXPECT_EQ(one.after, other.after);
  EXPECT_EQ(one.executions, other.executions);
}

TEST(MinimiserTest, KeepsToItsBudget) {
  const Found found = search_for_bug(crossed_locks, OutcomeKind::deadlock, 3);
  const Shortest none = minimise(crossed_locks, found, 1);
  EXPECT_EQ(none.executions, 1u);
  EXPECT_EQ(none.bugs, 1u) << "the recorded execution itself";
  EXPECT_EQ(none.after, none.before);
}

TEST(MinimiserTest, AnswersNothingIfTheFailureDoesNotComeAgain) {
  Found found = search_for_bug(crossed_locks, OutcomeKind::deadlock, 3);
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
