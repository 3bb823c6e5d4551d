#include "search/world_process.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "search/kept_story.h"
#include "search/search_loop.h"
#include "strategy/toy_world.h"

namespace ricercar::inline search {
namespace {

using toy::Operation;
using toy::Program;

// Two tasks that take two locks in different orders.
const Program crossed_locks = {
    {{Operation::lock, 0}, {Operation::lock, 1}, {Operation::unlock, 1}, {Operation::unlock, 0}},
    {{Operation::lock, 1}, {Operation::lock, 0}, {Operation::unlock, 0}, {Operation::unlock, 1}},
};

class ToyWorld final : public World {
 public:
  ToyWorld(const Control& control, Program program)
      : control_(control), program_(std::move(program)) {}

  std::unique_ptr<Strategy> new_strategy() override {
    return make_strategy(control_.request.strategy, 1);
  }
  bool restore() override { return true; }
  ExecutionEnd run(Strategy& strategy) override {
    run_ = std::make_unique<toy::Run>(program_, strategy, true);
    ExecutionEnd end;
    outcome_ = {};
    try {
      if (run_->execute(toy::no_limit).deadlock) outcome_.kind = OutcomeKind::deadlock;
    } catch (const std::exception&) {
      end.has_error = true;
    }
    end.outcome = &outcome_;
    end.trace = run_->trace();
    end.has_findings = outcome_.is_bug();
    return end;
  }
  std::vector<Step> left() const override { return {}; }
  std::string error() const override { return {}; }
  std::vector<Finding> findings() override { return {{outcome_, run_->trace(), {}}}; }
  bool leaves_out(const Outcome&) override { return false; }
  void record(Recording& recording) const override {
    const std::string name = "the last task";
    KeptStory story;
    story.add(RecordedAct{.kind = ActKind::halt, .machine = 1});
    story.add(RecordedMachine{.number = 1, .name = name.c_str()});
    story.copy_to(recording);
  }

 private:
  const Control& control_;
  const Program program_;
  std::unique_ptr<toy::Run> run_;
  Outcome outcome_;
};

// Finds the deadlock, and asks for its replay.
std::unique_ptr<Control> control_with_bug(const Program& program) {
  std::unique_ptr<Control> control = private_control();
  control->world_kind = WorldKind::machines;
  control->request.strategy = "dfs";
  ToyWorld world(*control, program);
  SearchLoop search(*control);
  search.run(world);
  search.forget();
  control->request.mode = Mode::replay;
  control->request.decisions = control->first_bug->decisions;
  control->request.checks = control->first_bug->checks;
  return control;
}

TEST(Replay, ShowsTheBugOnTheSameTrace) {
  const std::unique_ptr<Control> control = control_with_bug(crossed_locks);
  ToyWorld world(*control, crossed_locks);
  replay(*control, world);
  EXPECT_EQ(control->status, Status::finished);
  EXPECT_EQ(control->executions, 1u);
  const Recording& recording = *control->recording;
  EXPECT_EQ(recording.world, WorldKind::machines);
  EXPECT_EQ(recording.outcome.kind, OutcomeKind::deadlock);
  EXPECT_FALSE(recording.divergence.diverged);
  EXPECT_EQ(recording.trace_hash, control->first_bug->trace_hash);
  EXPECT_EQ(recording.steps, control->first_bug->steps);
}

TEST(Replay, OfAnotherProgramDiverges) {
  const std::unique_ptr<Control> control = control_with_bug(crossed_locks);
  ToyWorld world(*control, {{{Operation::write, 0}}, {{Operation::write, 0}}});
  replay(*control, world);
  EXPECT_TRUE(control->recording->divergence.diverged);
}

TEST(Replay, HasWhatTheWorldTellsWithTextsThatLast) {
  const std::unique_ptr<Control> control = control_with_bug(crossed_locks);
  {
    ToyWorld world(*control, crossed_locks);
    replay(*control, world);
  }
  const Recording& recording = *control->recording;
  ASSERT_EQ(recording.acts.size, 1u);
  EXPECT_EQ(recording.acts[0].kind, ActKind::halt);
  ASSERT_EQ(recording.machines.size, 1u);
  EXPECT_STREQ(recording.machines[0].name, "the last task");
  EXPECT_STREQ(recording.machines[0].state, "");
}

TEST(KeptStoryTest, KeepsTextsAndTheirOrder) {
  KeptStory story;
  for (const char* event : {"first", "second"}) {
    const std::string text = event;
    story.add(RecordedAct{.kind = ActKind::receive, .event = text.c_str()});
  }
  ASSERT_EQ(story.acts().size(), 2u);
  EXPECT_STREQ(story.acts()[0].event, "first");
  EXPECT_STREQ(story.acts()[1].event, "second");
  EXPECT_TRUE(story.machines().empty());
}

TEST(WorldProcess, StartedByHandHasNoTool) {
  ::unsetenv(control_variable);
  EXPECT_EQ(control_from_tool(), nullptr);
}

// Whoever has a kind finds its row, and no option or library stands for two worlds; but a node is a
// program with threads.
TEST(Worlds, AreTheirRows) {
  std::set<std::string_view> names;
  std::set<std::string_view> libraries;
  for (const WorldInfo& world : all_worlds) {
    EXPECT_EQ(&info(world.kind), &world);
    EXPECT_TRUE(names.insert(world.name).second) << world.name;
    const bool is_new = libraries.insert(world.library).second;
    EXPECT_EQ(is_new, world.kind != WorldKind::nodes) << world.library;
  }
}

}  // namespace
}  // namespace ricercar::inline search
