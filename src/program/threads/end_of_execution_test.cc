// How executions end, without any: the outcome, what was passed on the way, circles of owners, and
// the looks at code that runs on and on.
#include "threads/end_of_execution.h"

#include <gtest/gtest.h>

#include <memory>

#include "threads/blocked_tasks.h"
#include "threads/long_run.h"
#include "threads/memory/not_modelled.h"

namespace ricercar::inline threads {

// There is no program here that could do what is not modelled.
void not_modelled(const char* what, std::uint64_t) { FAIL() << what; }

namespace {

constexpr TaskId t0 = task_id(0);
constexpr TaskId t1 = task_id(1);
constexpr TaskId t2 = task_id(2);

Outcome outcome_of(OutcomeKind kind, std::uint64_t site = 0) {
  Outcome outcome;
  outcome.kind = kind;
  outcome.site = site;
  return outcome;
}

// Goes on through findings at even places.
class EvenFilter : public FindingFilter {
 public:
  bool goes_on(const Outcome& finding) override { return finding.site % 2 == 0; }
  bool goes_on_through_race(std::uint64_t site, std::uint64_t other_site) override {
    return (site + other_site) % 2 == 0;
  }
};

TEST(EndOfExecution, WithoutAFilterEveryFindingEndsIt) {
  EndOfExecution end;
  EXPECT_FALSE(end.passes(outcome_of(OutcomeKind::data_race)));
  EXPECT_FALSE(end.passes_race(2, 4));
  EXPECT_EQ(end.passed(), 0U);
}

TEST(EndOfExecution, CountsWhatItGoesOnThrough) {
  EndOfExecution end;
  EvenFilter filter;
  end.set_filter(&filter);
  EXPECT_TRUE(end.passes(outcome_of(OutcomeKind::data_race, 2)));
  EXPECT_FALSE(end.passes(outcome_of(OutcomeKind::data_race, 3)));
  EXPECT_TRUE(end.passes_race(3, 5));
  EXPECT_FALSE(end.passes_race(3, 4));
  EXPECT_EQ(end.passed(), 2U);
  end.begin_execution();
  EXPECT_EQ(end.passed(), 0U);
}

TEST(EndOfExecution, ACircleIsTheOutcomeIfNothingElseWentWrong) {
  EndOfExecution end;
  end.circle_closed(5, 1, outcome_of(OutcomeKind::deadlock, 7));
  end.circle_closed(9, 2, outcome_of(OutcomeKind::deadlock, 8));  // the first one counts
  end.settle();
  EXPECT_TRUE(end.ended_in_circle());
  EXPECT_EQ(end.outcome().site, 7U);
  EXPECT_EQ(end.circle().steps, 5U);
  EXPECT_EQ(end.circle().passed, 1U);
}

TEST(EndOfExecution, ADeadlockInTheEndComesFromTheCircle) {
  EndOfExecution end;
  end.circle_closed(5, 0, outcome_of(OutcomeKind::deadlock, 7));
  end.set_outcome(outcome_of(OutcomeKind::deadlock, 9));
  end.settle();
  EXPECT_EQ(end.outcome().site, 7U);
}

TEST(EndOfExecution, AnotherBugIsWorseThanACircle) {
  EndOfExecution end;
  end.circle_closed(5, 0, outcome_of(OutcomeKind::deadlock, 7));
  end.set_outcome(outcome_of(OutcomeKind::assertion, 9));
  end.settle();
  EXPECT_FALSE(end.ended_in_circle());
  EXPECT_EQ(end.outcome().kind, OutcomeKind::assertion);
}

TEST(EndOfExecution, OneThatWasStoppedSaysNothing) {
  EndOfExecution end;
  end.circle_closed(5, 0, outcome_of(OutcomeKind::deadlock, 7));
  end.stop();
  end.settle();
  EXPECT_TRUE(end.was_stopped());
  EXPECT_FALSE(end.outcome().is_bug());
}

TEST(EndOfExecution, WhatHappensWhileARoundIsWatchedDoesNotCount) {
  EndOfExecution end;
  end.limit_reached(4);
  end.keep_left(std::vector<Step>(2));
  end.cut();
  end.set_outcome(outcome_of(OutcomeKind::crash));
  end.forget_looking();
  EXPECT_FALSE(end.was_cut());
  EXPECT_FALSE(end.outcome().is_bug());
  EXPECT_TRUE(end.reached_step_limit());
  EXPECT_EQ(end.livelock_period(), 4U);
  EXPECT_EQ(end.left_at_limit().size(), 2U);
}

TEST(EndOfExecution, TheNextOneBeginsAnew) {
  EndOfExecution end;
  end.circle_closed(5, 0, outcome_of(OutcomeKind::deadlock));
  end.limit_reached(4);
  end.keep_left(std::vector<Step>(2));
  end.cut();
  end.stop();
  end.set_outcome(outcome_of(OutcomeKind::crash));
  end.begin_execution();
  end.settle();
  EXPECT_FALSE(end.outcome().is_bug() || end.was_cut() || end.was_stopped());
  EXPECT_FALSE(end.reached_step_limit() || end.ended_in_circle());
  EXPECT_EQ(end.livelock_period(), 0U);
  EXPECT_TRUE(end.left_at_limit().empty());
}

// --- Circles ---

class BlockedTasks : public testing::Test {
 protected:
  void SetUp() override {
    scheduler.steps.write_into(nullptr, 10);
    scheduler.begin_execution(10);
    for (const TaskId id : {t0, t1, t2}) {
      scheduler.tasks.begin(id, id == t0 ? no_task : t0).state = TaskState::live;
    }
    scheduler.tasks.set_current(scheduler.tasks[t0]);
  }
  void holds(TaskId task, const char& mutex) {
    bool fresh;
    objects.at(&mutex, ObjectKind::mutex, fresh).owner = task;
  }
  void waits_for(TaskId task, const char& mutex, OperationKind kind = OperationKind::lock) {
    scheduler.tasks.announce(task, {reinterpret_cast<std::uint64_t>(&mutex), 0, kind, 0});
  }
  bool closes(TaskId task, const char& mutex) {
    return closes_circle(scheduler, objects, task, &mutex);
  }

  std::unique_ptr<Scheduler> owner = std::make_unique<Scheduler>();
  Scheduler& scheduler = *owner;
  SyncObjects objects;
  char a = 0, b = 0, c = 0;
};

TEST_F(BlockedTasks, TwoWhoWaitForEachOtherAreACircle) {
  holds(t0, a);
  holds(t1, b);
  waits_for(t1, a);
  EXPECT_TRUE(closes(t0, b));
}

TEST_F(BlockedTasks, SoAreThree) {
  holds(t0, a);
  holds(t1, b);
  holds(t2, c);
  waits_for(t1, c);
  waits_for(t2, a);
  EXPECT_TRUE(closes(t0, b));
}

TEST_F(BlockedTasks, WhatIsFreeClosesNone) {
  holds(no_task, b);
  EXPECT_FALSE(closes(t0, b));
  EXPECT_FALSE(closes(t0, c));
}

TEST_F(BlockedTasks, AnOwnerThatCanGoOnBreaksIt) {
  holds(t0, a);
  holds(t1, b);
  waits_for(t1, a);
  scheduler.turns.enable(t1);
  EXPECT_FALSE(closes(t0, b));
}

TEST_F(BlockedTasks, AnOwnerWithATimeLimitBreaksIt) {
  holds(t0, a);
  holds(t1, b);
  waits_for(t1, a, OperationKind::timed_lock);
  EXPECT_FALSE(closes(t0, b));
}

TEST_F(BlockedTasks, AnOwnerThatHasEndedWaitsForNobody) {
  holds(t0, a);
  holds(t1, b);
  waits_for(t1, a);
  scheduler.tasks.end(scheduler.tasks[t1]);
  EXPECT_FALSE(closes(t0, b));
}

TEST_F(BlockedTasks, AThreadThatNobodyJoinedIsALeak) {
  Tasks& tasks = scheduler.tasks;
  EXPECT_FALSE(leaked_thread(tasks).is_bug());
  tasks[t1].creation_site = 0x77;
  tasks.end(tasks[t1]);
  const Outcome leak = leaked_thread(tasks);
  EXPECT_EQ(leak.kind, OutcomeKind::leak);
  EXPECT_EQ(leak.task, t1);
  EXPECT_EQ(leak.site, 0x77U);
  EXPECT_EQ(leak.message, "T1 ended and was neither joined nor detached");
  tasks[t1].detached = true;
  EXPECT_FALSE(leaked_thread(tasks).is_bug());
}

TEST_F(BlockedTasks, AreToldInWords) {
  holds(t0, a);
  waits_for(t1, a);
  scheduler.turns.enable(t0);
  scheduler.tasks.announce(t2, {1, 0, OperationKind::join, 0});
  EXPECT_EQ(describe_blocked(scheduler, objects, t1), "T1 cannot go on: it locks what T0 holds");
  EXPECT_EQ(describe_blocked(scheduler, objects),
            "T1 cannot go on: it locks what T0 holds; T2 cannot go on: it joins T1");
}

// --- Code that runs on and on ---

TEST(LongRun, IsLookedAtAfterAThousandAccesses) {
  LongRun run;
  for (std::uint64_t i = 0; i < LongRun::first_look; ++i) EXPECT_FALSE(run.count());
  EXPECT_TRUE(run.count());
  run.restart();
  EXPECT_FALSE(run.count());
}

TEST(LongRun, CountsQuietlyAsLongAsItIsNotTime) {
  LongRun run;
  std::uint64_t count = 0;
  while (run.counts_quietly()) ++count;
  EXPECT_EQ(count, LongRun::first_look);
  EXPECT_FALSE(run.counts_quietly());
  EXPECT_TRUE(run.count());
}

TEST(LongRun, ALookTakesASixteenthOfTheAccesses) {
  LongRun run;
  while (!run.count()) continue;
  EXPECT_TRUE(run.looks());
  std::uint64_t looks = 1;
  while (!run.looked_in_vain()) {
    EXPECT_FALSE(run.looks());
    ++looks;
  }
  EXPECT_EQ(looks, (LongRun::first_look + 1) / 16);
}

TEST(LongRun, ALookEndsAfterSixteenComparisons) {
  LongRun run;
  while (!run.count()) continue;
  run.looks();
  for (int i = 0; i < 15; ++i) {
    run.compares();
    EXPECT_FALSE(run.looked_in_vain());
  }
  run.compares();
  EXPECT_TRUE(run.looked_in_vain());
}

TEST(LongRun, TheNextLookComesAfterTwiceAsMany) {
  LongRun run;
  std::uint64_t count = 1;
  while (!run.count()) ++count;
  run.looks();
  run.end_look();
  for (; !run.count(); ++count) continue;
  EXPECT_EQ(count, 2 * (LongRun::first_look + 1));
}

TEST(LongRun, IsTooLongAfterAMillion) {
  LongRun run;
  for (std::uint64_t i = 0; i < LongRun::longest; ++i) run.count();
  EXPECT_FALSE(run.is_too_long());
  run.count();
  EXPECT_TRUE(run.is_too_long());
}

}  // namespace
}  // namespace ricercar::inline threads
