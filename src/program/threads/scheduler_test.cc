// The scheduler without a process: a script decides, and another one says what the tasks do.
#include "threads/scheduler.h"

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"

namespace ricercar::inline threads {
namespace {

constexpr TaskId t0 = task_id(0);
constexpr TaskId t1 = task_id(1);
constexpr TaskId t2 = task_id(2);

using Names = std::vector<TaskId>;

// Chooses the tasks of a list in turn, and writes down what it was offered.
class Script : public Strategy {
 public:
  explicit Script(Names names) : names_(names.begin(), names.end()) {}

  bool begin() override { return true; }
  std::size_t choose(const ChoicePoint& point) override {
    offered.emplace_back();
    point.options.for_each(
        [&](const Option& option, std::uint32_t) { offered.back().push_back(option.task); });
    running.push_back(point.running);
    if (point.kind == ChoiceKind::value) return value;
    if (names_.empty()) return cut;
    const TaskId next = names_.front();
    names_.pop_front();
    return point.options.position(next);
  }
  void end(Trace, const Outcome&) override {}
  Coverage coverage() const override { return {}; }

  std::vector<Names> offered;
  Names running;
  std::size_t value = 0;

 private:
  std::deque<TaskId> names_;
};

// Counts states, and ends the execution in one of them.
class Watcher : public StrategyWith<KnowsStates> {
 public:
  bool begin() override { return true; }
  std::size_t choose(const ChoicePoint&) override { return 0; }
  void end(Trace, const Outcome&) override {}
  Coverage coverage() const override { return {}; }
  bool visit(const State& state) override {
    last = state.enabled.size();
    return ++states != known;
  }

  std::uint32_t states = 0;
  std::uint32_t known = 0;
  std::uint32_t last = 0;
};

class SchedulerTest : public testing::Test {
 protected:
  // So many tasks that can all go on, each before a write to memory of its own.
  void begin(Strategy& strategy, std::uint32_t tasks, std::uint64_t limit = 1000) {
    scheduler.steps.write_into(nullptr, limit);
    scheduler.begin_execution(limit);
    scheduler.follow(strategy);
    for (std::uint32_t i = 0; i < tasks; ++i) {
      Task& task = scheduler.tasks.begin(task_id(i), i == 0 ? no_task : t0);
      task.state = TaskState::live;
      scheduler.turns.enable(task.id);
      would(task.id, OperationKind::write, 0x1000 + i);
    }
    scheduler.tasks.set_current(scheduler.tasks[t0]);
  }
  void would(TaskId id, OperationKind kind, std::uint64_t object) {
    scheduler.tasks.announce(id, {object, 0x40 + index(id), kind, 8});
  }
  // The next task runs: who it is, or no_task.
  TaskId next() {
    scheduler.check_invariants();
    Task* task = scheduler.decide({});
    if (task == nullptr) return no_task;
    scheduler.tasks.set_current(*task);
    return task->id;
  }
  Names run(std::uint32_t steps) {
    Names who;
    for (std::uint32_t i = 0; i < steps; ++i) who.push_back(next());
    return who;
  }
  void yield(TaskId id, int times) {
    for (int i = 0; i < times; ++i) {
      scheduler.turns.yielded(scheduler.tasks, scheduler.tasks[id], scheduler.steps.size());
    }
  }
  Task& task(TaskId id) { return scheduler.tasks[id]; }
  Turns& turns() { return scheduler.turns; }
  void set_deadline(TaskId id, std::uint64_t moment) {
    turns().set_deadline(scheduler.tasks, task(id), moment);
  }

  // Large: it has room for all tasks.
  std::unique_ptr<Scheduler> owner = std::make_unique<Scheduler>();
  Scheduler& scheduler = *owner;
};

// --- Decisions and steps ---

TEST_F(SchedulerTest, TakesTheDecisionsInTheirOrder) {
  Script script({t2, t0, t0, t1});
  begin(script, 3);
  EXPECT_EQ(run(4), (Names{t2, t0, t0, t1}));
  EXPECT_EQ(script.offered, (std::vector<Names>(4, Names{t0, t1, t2})));
  EXPECT_EQ(script.running, (Names{no_task, t2, t0, t0}));
}

TEST_F(SchedulerTest, WritesAStepForEachDecision) {
  Script script({t1, t0});
  begin(script, 2);
  run(2);
  const Trace trace = scheduler.steps.trace();
  ASSERT_EQ(trace.size(), 2U);
  EXPECT_EQ(trace[0].task, t1);
  EXPECT_EQ(trace[0].object, 0x1001U);
  EXPECT_EQ(trace[0].site, 0x41U);
  EXPECT_EQ(trace[0].kind, OperationKind::write);
  EXPECT_EQ(trace[0].size, 8);
  EXPECT_EQ(trace[0].options, 2);
  EXPECT_EQ(trace[0].flags & step_preempts, 0);
  EXPECT_NE(trace[1].flags & step_preempts, 0);  // T1 could have gone on
  EXPECT_EQ(scheduler.steps.open().step_count, 2U);
}

TEST_F(SchedulerTest, DoesNotAskWhereThereIsOneOption) {
  Script script({});
  begin(script, 2);
  turns().disable(t0);
  EXPECT_EQ(run(3), (Names{t1, t1, t1}));
  EXPECT_TRUE(script.offered.empty());
  EXPECT_EQ(scheduler.steps.last().options, 1);
}

TEST_F(SchedulerTest, WhoCannotGoOnIsNoPreemption) {
  Script script({t0, t1});
  begin(script, 3);
  EXPECT_EQ(next(), t0);
  turns().disable(t0);
  EXPECT_EQ(next(), t1);
  EXPECT_EQ(script.running, (Names{no_task, no_task}));
  EXPECT_EQ(scheduler.steps.last().flags & step_preempts, 0);
}

TEST_F(SchedulerTest, IsStuckWhenNobodyCanGoOn) {
  Script script({});
  begin(script, 2);
  turns().disable(t0);
  turns().disable(t1);
  EXPECT_EQ(next(), no_task);
  EXPECT_EQ(scheduler.pause(), Scheduler::Pause::stuck);
  turns().enable(t1);
  EXPECT_EQ(next(), t1);
}

TEST_F(SchedulerTest, PausesAtTheLimitOfSteps) {
  Script script({t0, t1, t0});
  begin(script, 2, 2);
  EXPECT_EQ(run(3), (Names{t0, t1, no_task}));
  EXPECT_EQ(scheduler.pause(), Scheduler::Pause::limit);
  EXPECT_FALSE(scheduler.is_asked_to_stop());
  scheduler.set_step_limit(3);
  EXPECT_EQ(next(), t0);
}

TEST_F(SchedulerTest, PausesWhenItIsAskedToStop) {
  Script script({t0});
  begin(script, 2);
  scheduler.ask_to_stop();
  EXPECT_EQ(next(), no_task);
  EXPECT_EQ(scheduler.pause(), Scheduler::Pause::limit);
  EXPECT_TRUE(scheduler.is_asked_to_stop());
}

TEST_F(SchedulerTest, IsCutByTheStrategy) {
  Script script({});
  begin(script, 2);
  EXPECT_EQ(next(), no_task);
  EXPECT_EQ(scheduler.pause(), Scheduler::Pause::cut);
  EXPECT_EQ(scheduler.strategy_error(), "");
  EXPECT_TRUE(scheduler.steps.trace().empty());
}

TEST_F(SchedulerTest, KeepsWhatTheStrategyThrows) {
  struct Broken : Script {
    Broken() : Script({}) {}
    std::size_t choose(const ChoicePoint&) override {
      if (is_lost) throw Nondeterminism(3, 2, 1);
      throw std::runtime_error("no idea");
    }
    bool is_lost = false;
  } broken;
  begin(broken, 2);
  EXPECT_EQ(next(), no_task);
  EXPECT_EQ(scheduler.pause(), Scheduler::Pause::cut);
  EXPECT_EQ(scheduler.strategy_error(), "no idea");
  EXPECT_FALSE(scheduler.was_nondeterministic());
  broken.is_lost = true;
  EXPECT_EQ(next(), no_task);
  EXPECT_EQ(scheduler.strategy_error(), Nondeterminism(3, 2, 1).what());
  EXPECT_TRUE(scheduler.was_nondeterministic());
}

TEST_F(SchedulerTest, ChoosesAmongValues) {
  Script script({});
  begin(script, 1);
  script.value = 2;
  const Operation operation{0x2000, 1, OperationKind::choose, 0};
  EXPECT_EQ(scheduler.choose_value(4, operation, {}), 2U);
  EXPECT_EQ(script.offered, (std::vector<Names>{{t0, t0, t0, t0}}));
  script.value = Strategy::cut;
  EXPECT_EQ(scheduler.choose_value(4, operation, {}), Scheduler::nothing);
}

TEST_F(SchedulerTest, ANoteBelongsToTheSlotOfTheLastDecision) {
  Script script({t1});
  begin(script, 2);
  scheduler.note(OperationKind::start, 0, 0, 0);
  EXPECT_FALSE(scheduler.steps.has_slot());
  next();
  scheduler.note(OperationKind::create, 0, 7, 5);
  EXPECT_EQ(scheduler.steps.slot(), 1U);
  EXPECT_EQ(scheduler.steps.last().task, t1);
  EXPECT_EQ(scheduler.steps.last().value, 5U);
  scheduler.steps.touches_world();
  EXPECT_NE(scheduler.steps.trace()[1].flags & step_world, 0);
}

TEST_F(SchedulerTest, ShowsEveryStateToAStrategyThatKnowsThem) {
  Watcher watcher;
  watcher.known = 3;
  begin(watcher, 2);
  EXPECT_EQ(run(3), (Names{t0, t0, no_task}));
  EXPECT_EQ(scheduler.pause(), Scheduler::Pause::cut);
  EXPECT_EQ(watcher.states, 3U);
  EXPECT_EQ(watcher.last, 2U);
}

TEST_F(SchedulerTest, ANewExecutionBeginsWithNothing) {
  Script script({t1, t0, t1});
  begin(script, 2);
  set_deadline(t1, 5);
  turns().spins(t0);
  next();
  begin(script, 2);
  EXPECT_EQ(scheduler.steps.size(), 0U);
  EXPECT_EQ(scheduler.tasks.count(), 2U);
  EXPECT_EQ(turns().writes(), 0U);
  EXPECT_FALSE(turns().is_filtered());
  EXPECT_FALSE(turns().anybody_spins());
  EXPECT_EQ(next(), t1);
  EXPECT_EQ(script.running.back(), no_task);
}

// --- Time ---

TEST_F(SchedulerTest, ATimeOutIsAnOption) {
  Script script({t1, t0});
  begin(script, 2);
  turns().disable(t1);
  const std::uint64_t moment = scheduler.clock.now() + 50;
  set_deadline(t1, moment);
  EXPECT_EQ(next(), t1);
  EXPECT_TRUE(task(t1).timed_out);
  EXPECT_NE(scheduler.steps.last().flags & step_timeout, 0);
  EXPECT_EQ(scheduler.clock.now(), moment);
}

TEST_F(SchedulerTest, WhoCanGoOnDoesNotTimeOut) {
  Script script({t1});
  begin(script, 2);
  const std::uint64_t before = scheduler.clock.now();
  set_deadline(t1, before + 50);
  EXPECT_EQ(next(), t1);
  EXPECT_FALSE(task(t1).timed_out);
  EXPECT_EQ(scheduler.clock.now(), before);
}

TEST_F(SchedulerTest, OnlyTheEarliestDeadlinesAreOptions) {
  Script script({t0, t0, t0});
  begin(script, 3);
  turns().disable(t1);
  turns().disable(t2);
  set_deadline(t1, 2000);
  set_deadline(t2, 3000);
  next();
  set_deadline(t2, 2000);
  next();
  turns().clear_deadline(scheduler.tasks, task(t1));
  next();
  EXPECT_EQ(script.offered, (std::vector<Names>{{t0, t1}, {t0, t1, t2}, {t0, t2}}));
  EXPECT_TRUE(turns().is_blocked(t1));
  EXPECT_FALSE(turns().is_blocked(t2));
}

TEST_F(SchedulerTest, TimeDoesNotGoBack) {
  Script script({});
  begin(script, 1);
  const std::uint64_t before = scheduler.clock.now();
  turns().disable(t0);
  set_deadline(t0, before - 10);
  EXPECT_EQ(next(), t0);
  EXPECT_EQ(scheduler.clock.now(), before);
}

// --- Fairness ---

TEST_F(SchedulerTest, WhoYieldsOftenWaitsUntilAllOthersHaveRun) {
  Script script({t0, t1, t2, t0});
  begin(script, 3);
  yield(t0, 8);
  next();  // T0: its eighth yield only remembers who could run
  yield(t0, 8);
  EXPECT_EQ(run(3), (Names{t1, t2, t0}));
  const Names all = {t0, t1, t2};
  const Names others = {t1, t2};
  EXPECT_EQ(script.offered, (std::vector<Names>{all, others, others, all}));
  EXPECT_FALSE(turns().is_filtered());
}

TEST_F(SchedulerTest, FewYieldsChangeNothing) {
  Script script({t0, t0});
  begin(script, 2);
  yield(t0, 15);
  EXPECT_EQ(run(2), (Names{t0, t0}));
  EXPECT_FALSE(turns().is_filtered());
}

TEST_F(SchedulerTest, WhoYieldsDoesNotWaitForTheBlocked) {
  Script script({t0, t0});
  begin(script, 2);
  yield(t0, 8);
  next();
  turns().disable(t1);
  yield(t0, 8);
  EXPECT_EQ(next(), t0);
  turns().enable(t1);
  EXPECT_EQ(next(), t1);
  EXPECT_EQ(script.offered.size(), 1U);
}

TEST_F(SchedulerTest, IfAllHaveYieldedAllMayRun) {
  Script script({t0, t1, t0});
  begin(script, 2);
  yield(t0, 16);
  yield(t1, 16);
  EXPECT_EQ(next(), t0);
  EXPECT_EQ(script.offered.back(), (Names{t0, t1}));
}

// --- Spinning ---

TEST_F(SchedulerTest, WhoSpinsWaitsForAWrite) {
  Script script({t2});
  begin(script, 3);
  would(t1, OperationKind::atomic_load, 0x2000);
  turns().spins(t0);
  turns().disable(t2);
  EXPECT_EQ(next(), t1);  // a load wakes nobody
  EXPECT_TRUE(turns().spins_now(t0));
  would(t1, OperationKind::atomic_store, 0x2000);
  EXPECT_EQ(next(), t1);
  EXPECT_FALSE(turns().anybody_spins());
  EXPECT_TRUE(turns().is_ready(t0));
}

TEST_F(SchedulerTest, AnAttemptIsNoWriteUntilItSaysSo) {
  Script script({});
  begin(script, 2);
  turns().spins(t0);
  would(t1, OperationKind::atomic_compare_exchange, 0x2000);
  next();
  EXPECT_EQ(turns().writes(), 0U);
  EXPECT_TRUE(turns().spins_now(t0));
  turns().written(task(t1));
  EXPECT_EQ(turns().writes(), 1U);
  EXPECT_EQ(task(t1).writes, 1U);
  EXPECT_FALSE(turns().anybody_spins());
}

TEST_F(SchedulerTest, ALivelockOfSpinnersIsStuck) {
  Script script({});
  begin(script, 2);
  turns().spins(t0);
  turns().spins(t1);
  EXPECT_EQ(next(), no_task);
  EXPECT_EQ(scheduler.pause(), Scheduler::Pause::stuck);
  EXPECT_TRUE(turns().anybody_spins());
}

TEST_F(SchedulerTest, PlainLoopsAreLetGoUntilTheNextWrite) {
  Script script({});
  begin(script, 1);
  turns().spins(t0);
  turns().spins_on_plain_memory();
  EXPECT_EQ(next(), no_task);
  EXPECT_TRUE(turns().anybody_spins_on_plain_memory());
  turns().be_patient();
  EXPECT_TRUE(turns().is_patient());
  would(t0, OperationKind::read, 0x2000);
  EXPECT_EQ(next(), t0);
  EXPECT_TRUE(turns().is_patient());
  turns().written(task(t0));
  EXPECT_FALSE(turns().is_patient());
}

// --- Who comes before the next decision ---

TEST_F(SchedulerTest, TheLastOneToAdvanceComesFirst) {
  Script script({});
  begin(script, 3);
  turns().advance(t1);
  turns().advance(t2);
  EXPECT_TRUE(turns().has_to_advance());
  EXPECT_EQ(turns().next_to_advance(), t2);
  EXPECT_EQ(turns().next_to_advance(), t1);
  EXPECT_FALSE(turns().has_to_advance());
}

TEST_F(SchedulerTest, ADeadlineMarksTheSlotAsTouchingTheWorld) {
  Script script({t0, t0, t0});
  begin(script, 2);
  EXPECT_EQ(next(), t0);
  scheduler.clear_deadline(task(t1));  // it has none
  EXPECT_EQ(scheduler.steps.last().flags & step_world, 0);
  scheduler.set_deadline(task(t1), 1000);
  EXPECT_NE(scheduler.steps.last().flags & step_world, 0);
  EXPECT_TRUE(turns().timed().contains(t1));
  EXPECT_EQ(next(), t0);
  EXPECT_EQ(scheduler.steps.last().flags & step_world, 0);
  scheduler.clear_deadline(task(t1));
  EXPECT_NE(scheduler.steps.last().flags & step_world, 0);
  EXPECT_TRUE(turns().timed().empty());
}

// --- Tasks ---

TEST_F(SchedulerTest, ANumberIsGivenAgainOnlyWhenNobodyCanNameItsTask) {
  Script script({});
  begin(script, max_tasks);
  Tasks& tasks = scheduler.tasks;
  EXPECT_EQ(tasks.free_slot(), no_task);
  tasks.end(task(t1));
  EXPECT_EQ(tasks.free_slot(), no_task);  // somebody may join it
  EXPECT_EQ(tasks.leaked(), &task(t1));
  task(t1).joined = true;
  EXPECT_EQ(tasks.leaked(), nullptr);
  EXPECT_EQ(tasks.free_slot(), t1);
  task(t1).held_locks = 1;
  EXPECT_EQ(tasks.free_slot(), no_task);
  tasks.end(task(t2));
  task(t2).detached = true;
  EXPECT_EQ(tasks.free_slot(), t2);
  EXPECT_EQ(tasks.live(), max_tasks - 2);
  tasks.begin(t2, t0);
  EXPECT_EQ(tasks.live(), max_tasks - 1);
  EXPECT_EQ(tasks.count(), max_tasks);
  EXPECT_EQ(task(t2).state, TaskState::fresh);
  EXPECT_FALSE(task(t2).detached);
}

TEST_F(SchedulerTest, KnowsWhetherAllWereJoined) {
  Script script({});
  begin(script, 1);
  Tasks& tasks = scheduler.tasks;
  EXPECT_TRUE(tasks.all_are_joined());
  tasks.begin(t1, t0);
  tasks.begin(t2, t0);
  tasks[t2].joined = true;
  EXPECT_FALSE(tasks.all_are_joined());
  tasks[t1].joined = true;
  EXPECT_TRUE(tasks.all_are_joined());
  tasks.begin(task_id(3), t0);
  EXPECT_FALSE(tasks.all_are_joined());
}

TEST_F(SchedulerTest, KnowsWhenOnlyDetachedTasksAreLeft) {
  Script script({});
  begin(script, 3);
  scheduler.tasks.end(task(t0));
  task(t1).detached = true;
  EXPECT_FALSE(scheduler.tasks.only_detached_live());
  scheduler.tasks.end(task(t2));
  EXPECT_TRUE(scheduler.tasks.only_detached_live());
  EXPECT_FALSE(scheduler.tasks.all_ended());
}

// --- Invariants ---

using InvariantsTest = SchedulerTest;

TEST_F(InvariantsTest, AnEndedTaskMustNotBeAnOption) {
  Script script({});
  begin(script, 2);
  scheduler.check_invariants();
  scheduler.tasks.end(task(t1));
  EXPECT_DEATH(scheduler.check_invariants(), "internal error");
  turns().disable(t1);
  scheduler.check_invariants();
}

TEST_F(InvariantsTest, ADeadlineIsKnownToTheTurns) {
  Script script({});
  begin(script, 2);
  task(t1).timed = true;
  EXPECT_DEATH(scheduler.check_invariants(), "internal error");
}

TEST_F(InvariantsTest, NobodyHasWrittenMoreThanAllTogether) {
  Script script({});
  begin(script, 2);
  task(t1).writes = 1;
  EXPECT_DEATH(scheduler.check_invariants(), "internal error");
}

TEST_F(InvariantsTest, TheRunningTaskIsOneOfTheExecution) {
  Script script({});
  begin(script, 2);
  Task stranger;
  stranger.id = t1;
  scheduler.tasks.set_current(stranger);
  EXPECT_DEATH(scheduler.check_invariants(), "internal error");
}

}  // namespace
}  // namespace ricercar::inline threads
