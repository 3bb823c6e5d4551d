#include "search/search_loop.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "strategy/toy_world.h"

namespace ricercar::inline search {
namespace {

using toy::critical_sections;
using toy::independent;
using toy::Operation;
using toy::Program;

// Two tasks that take two locks in different orders.
const Program crossed_locks = {
    {{Operation::lock, 0}, {Operation::lock, 1}, {Operation::unlock, 1}, {Operation::unlock, 0}},
    {{Operation::lock, 1}, {Operation::lock, 0}, {Operation::unlock, 0}, {Operation::unlock, 1}},
};

// A toy world behind the search's interface. What it does besides running a program is scripted.
class ScriptedWorld final : public World {
 public:
  ScriptedWorld(const Control& control, Program program)
      : control_(control), program_(std::move(program)) {}

  std::unique_ptr<World> another() override {
    others += has_others ? 1 : 0;
    return has_others ? std::make_unique<ScriptedWorld>(control_, program_) : nullptr;
  }
  std::unique_ptr<Strategy> new_strategy() override {
    ++strategies;
    return make_strategy(control_.request.strategy, 1);
  }
  bool shares_strategy() const override { return is_alone; }

  bool restore() override { return executions != unfit_after; }
  ExecutionEnd run(Strategy& strategy) override {
    ++executions;
    run_ = std::make_unique<toy::Run>(program_, strategy, true);
    const toy::Execution execution = run_->execute(control_.request.max_steps);
    outcome_ = {};
    if (execution.deadlock) outcome_.kind = OutcomeKind::deadlock;
    if (wrong.count(executions) != 0) outcome_.kind = wrong.at(executions);
    ExecutionEnd end;
    end.outcome = &outcome_;
    end.trace = run_->trace();
    end.tasks = static_cast<std::uint32_t>(program_.size());
    end.reached_step_limit = execution.cut;
    end.was_cut = execution.given_up;
    end.has_findings = outcome_.is_bug();
    end.left_damage = executions == damaged_by;
    end.has_error = executions == error_in;
    end.wants_probe = executions == probe_after;
    return end;
  }

  std::vector<Step> left() const override { return {}; }
  std::string error() const override { return "the strategy has had enough"; }
  Change learned() override {
    if (executions != change_after) return Change::nothing;
    program_ = larger;
    return change;
  }
  std::vector<Finding> findings() override { return {{outcome_, run_->trace(), {}}}; }
  bool leaves_out(const Outcome& finding) override { return finding.kind == left_out; }
  std::unique_ptr<Strategy> probe() override {
    ++probes;
    return make_strategy("random", 1);
  }
  std::optional<LostExecution> lost() override { return std::exchange(lost_one, std::nullopt); }

  std::uint32_t executions = 0;
  std::uint32_t strategies = 0;
  std::uint32_t probes = 0;
  bool has_others = false;
  std::uint32_t others = 0;  // that were made
  bool is_alone = true;
  std::uint32_t unfit_after = ~0u;
  std::uint32_t damaged_by = 0;
  std::uint32_t error_in = 0;
  std::uint32_t probe_after = 0;
  std::uint32_t change_after = 0;
  Change change = Change::nothing;
  Program larger;
  std::map<std::uint32_t, OutcomeKind> wrong;
  std::optional<OutcomeKind> left_out;
  std::optional<LostExecution> lost_one;

 private:
  const Control& control_;
  Program program_;
  std::unique_ptr<toy::Run> run_;
  Outcome outcome_;
};

struct SearchLoopTest : testing::Test {
  SearchLoopTest() { search_for("dfs"); }
  ~SearchLoopTest() override { SearchLoop(*control).forget(); }

  void search_for(const char* strategy) { control->request.strategy = strategy; }
  bool run(ScriptedWorld& world) { return SearchLoop(*control).run(world); }

  const std::unique_ptr<Control> control = std::make_unique<Control>();
};

TEST_F(SearchLoopTest, RunsEverythingOnce) {
  ScriptedWorld world(*control, independent({3, 3}));
  EXPECT_TRUE(run(world));
  EXPECT_EQ(control->status, Status::finished);
  EXPECT_EQ(control->executions, 20u);
  EXPECT_EQ(control->steps, 20u * (3 + 3 + 2)) << "the ends of tasks are steps, too";
  EXPECT_EQ(control->most_tasks, 2u);
  EXPECT_EQ(control->most_steps, 3u + 3 + 2);
  EXPECT_TRUE(control->complete);
  EXPECT_EQ(control->bug_count, 0u);
}

TEST_F(SearchLoopTest, StopsAtTheLimit) {
  control->request.max_executions = 7;
  ScriptedWorld world(*control, independent({3, 3}));
  EXPECT_TRUE(run(world));
  EXPECT_EQ(control->status, Status::stopped);
  EXPECT_EQ(control->executions, 7u);
  EXPECT_EQ(world.executions, 7u);
  EXPECT_FALSE(control->complete);
}

TEST_F(SearchLoopTest, StopsWhenItIsAskedTo) {
  control->stop = true;
  ScriptedWorld world(*control, independent({3, 3}));
  EXPECT_TRUE(run(world));
  EXPECT_EQ(control->status, Status::stopped);
  EXPECT_EQ(world.executions, 0u);
}

TEST_F(SearchLoopTest, KeepsItsTime) {
  control->request.max_seconds = 1e-9;
  ScriptedWorld world(*control, independent({3, 3}));
  world.is_alone = false;
  SearchLoop loop(*control);
  loop.keep_time();
  EXPECT_TRUE(loop.is_over());
  EXPECT_TRUE(loop.run(world));
  EXPECT_EQ(control->status, Status::stopped);
  EXPECT_EQ(world.executions, 0u);
}

TEST_F(SearchLoopTest, EndsWithTheFirstBug) {
  ScriptedWorld world(*control, crossed_locks);
  EXPECT_TRUE(run(world));
  EXPECT_EQ(control->status, Status::stopped);
  ASSERT_EQ(control->bug_count, 1u);
  EXPECT_EQ(control->first_bug->outcome.kind, OutcomeKind::deadlock);
  EXPECT_EQ(control->first_bug->execution, control->executions);
  EXPECT_FALSE(control->complete);
}

TEST_F(SearchLoopTest, GoesOnAfterABugIfAsked) {
  control->request.keep_going = true;
  ScriptedWorld world(*control, crossed_locks);
  EXPECT_TRUE(run(world));
  EXPECT_EQ(control->status, Status::finished);
  EXPECT_EQ(control->executions, toy::brute_force(crossed_locks).size());
  EXPECT_EQ(control->bug_count, 1u) << "the same one again";
  EXPECT_TRUE(control->complete);
}

TEST_F(SearchLoopTest, GoesOnThroughWhatIsLeftOut) {
  ScriptedWorld world(*control, crossed_locks);
  world.left_out = OutcomeKind::deadlock;
  EXPECT_TRUE(run(world));
  EXPECT_EQ(control->status, Status::finished);
  EXPECT_EQ(control->bug_count, 0u);
}

TEST_F(SearchLoopTest, BeginsAgainWhenThereAreMorePoints) {
  ScriptedWorld world(*control, independent({2, 2}));
  world.change_after = 4;
  world.change = Change::points;
  world.larger = independent({3, 3});
  EXPECT_TRUE(run(world));
  EXPECT_EQ(control->executions, 4u + 20u);
  EXPECT_EQ(world.strategies, 2u) << "depth-first search cannot restart";
  EXPECT_TRUE(control->complete);
}

TEST_F(SearchLoopTest, KeepsAStrategyThatCanRestart) {
  search_for("random");
  control->request.max_executions = 9;
  ScriptedWorld world(*control, independent({2, 2}));
  world.change_after = 4;
  world.change = Change::points;
  world.larger = independent({3, 3});
  EXPECT_TRUE(run(world));
  EXPECT_EQ(world.strategies, 1u);
}

// A process that is not fit to go on leaves everything to the next one.
TEST_F(SearchLoopTest, GoesOnInAnotherProcess) {
  control->request.keep_going = true;
  ScriptedWorld broken(*control, independent({3, 3}));
  broken.wrong[5] = OutcomeKind::crash;
  broken.damaged_by = 5;
  EXPECT_FALSE(run(broken));
  EXPECT_EQ(control->status, Status::running);
  ScriptedWorld next(*control, independent({3, 3}));
  EXPECT_TRUE(run(next));
  EXPECT_EQ(control->executions, 20u);
  EXPECT_EQ(next.executions, 15u);
  EXPECT_EQ(next.strategies, 0u);
  EXPECT_EQ(control->bug_count, 1u);
}

TEST_F(SearchLoopTest, NeedsAnotherProcessIfNothingCanBePutBack) {
  ScriptedWorld world(*control, independent({3, 3}));
  world.unfit_after = 2;
  EXPECT_FALSE(run(world));
  EXPECT_EQ(control->executions, 2u);
}

TEST_F(SearchLoopTest, CountsAnExecutionThatWasLost) {
  control->request.keep_going = true;
  ScriptedWorld first(*control, independent({2, 2}));
  first.unfit_after = 0;
  EXPECT_FALSE(run(first));
  ScriptedWorld world(*control, independent({2, 2}));
  world.lost_one.emplace();
  world.lost_one->finding.outcome.kind = OutcomeKind::crash;
  static_cast<SearchState*>(control->search)->strategy->begin();
  EXPECT_TRUE(run(world));
  EXPECT_EQ(control->lost, 1u);
  EXPECT_EQ(control->bug_count, 1u);
  EXPECT_FALSE(control->complete) << "what could follow from it is not explored";
  EXPECT_NE(std::string(control->coverage).find("ended with their process"), std::string::npos);
}

TEST_F(SearchLoopTest, SaysWhatAStrategyThrew) {
  ScriptedWorld world(*control, independent({3, 3}));
  world.error_in = 3;
  EXPECT_TRUE(run(world));
  EXPECT_EQ(control->status, Status::failed);
  EXPECT_STREQ(control->error, "the strategy has had enough");
}

TEST_F(SearchLoopTest, RefusesAStrategyThatDoesNotExist) {
  for (const bool is_alone : {true, false}) {
    control->status = Status::idle;
    search_for("dsf");
    ScriptedWorld world(*control, independent({3, 3}));
    world.is_alone = is_alone;
    EXPECT_TRUE(run(world));
    EXPECT_EQ(control->status, Status::failed);
    EXPECT_NE(std::string(control->error).find("dfs"), std::string::npos) << control->error;
  }
}

TEST_F(SearchLoopTest, CountsExecutionsThatWereCut) {
  control->request.max_steps = 4;
  ScriptedWorld world(*control, independent({3, 3}));
  EXPECT_TRUE(run(world));
  EXPECT_EQ(control->truncated, control->executions);
  EXPECT_FALSE(control->complete);
}

TEST_F(SearchLoopTest, ProbesForALivelock) {
  ScriptedWorld world(*control, independent({2, 2}));
  world.probe_after = 2;
  world.wrong[3] = OutcomeKind::livelock;  // what the probe shows
  EXPECT_TRUE(run(world));
  EXPECT_EQ(world.probes, 1u);
  EXPECT_EQ(control->executions, 2u) << "a probe is no execution of the strategy";
  ASSERT_EQ(control->bug_count, 1u);
  EXPECT_EQ(control->first_bug->outcome.kind, OutcomeKind::livelock);
}

TEST_F(SearchLoopTest, IgnoresAProbeThatShowsNothing) {
  ScriptedWorld world(*control, independent({2, 2}));
  world.probe_after = 2;
  EXPECT_TRUE(run(world));
  EXPECT_EQ(world.probes, 1u);
  EXPECT_EQ(control->executions, 6u);
  EXPECT_TRUE(control->complete);
}

TEST_F(SearchLoopTest, GivesTheSameResultWithPartners) {
  search_for("ses");
  const auto executions_on = [&](std::uint32_t cores, std::uint64_t limit) {
    const auto alone = std::make_unique<Control>();
    alone->request = control->request;
    alone->request.cores = cores;
    alone->request.max_executions = limit;
    ScriptedWorld world(*alone, critical_sections(3, 2));
    world.is_alone = false;
    world.has_others = true;
    SearchLoop loop(*alone);
    EXPECT_TRUE(loop.run(world));
    loop.forget();
    EXPECT_EQ(world.others > 0, cores > 1 && limit == 0)
        << "states that were seen depend on who was faster";
    return std::tuple(alone->executions, alone->steps, std::string(alone->coverage));
  };
  EXPECT_EQ(executions_on(4, 0), executions_on(1, 0));
  EXPECT_EQ(executions_on(4, 5), executions_on(1, 5));
}

}  // namespace
}  // namespace ricercar::inline search
