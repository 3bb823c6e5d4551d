// What is said about the reason of a bug, of hand-made recordings: the events are those that
// matter.
#include "report/why.h"

#include <gtest/gtest.h>

#include "report/report_examples.h"

namespace ricercar::inline report {
namespace {

using examples::report_of;
using enum OperationKind;
using Lines = std::vector<std::string>;

// Two threads, which main has created.
class Story {
 public:
  Story() {
    const std::uint64_t creation = builder.line("main", 1, "std::thread one(work);");
    builder.task(0);
    builder.task(0, creation);
    builder.task(0, creation);
    builder.event(0, create, 0, 1, {creation});
    builder.event(0, create, 0, 2, {creation});
  }

  std::uint64_t at(unsigned line) { return builder.line("work", line, "work();"); }
  Step& event(std::uint32_t task, OperationKind kind, std::uint64_t object, std::uint64_t value,
              unsigned line) {
    return builder.event(task, kind, object, value, {at(line)});
  }
  Why fails(std::uint32_t task, unsigned line) {
    builder.outcome(OutcomeKind::assertion, task, "assertion `x' failed", {at(line)});
    return report_of(builder).why;
  }
  Why ends(OutcomeKind kind, std::uint32_t task, const std::string& message, unsigned line) {
    builder.outcome(kind, task, message, {at(line)});
    return report_of(builder).why;
  }

  RecordingBuilder builder;
  std::uint64_t counter = builder.global("counter", ValueKind::signed_integer, 4);
  std::uint64_t ready = builder.global("ready", ValueKind::signed_integer, 4);
  std::uint64_t mutex = builder.global("mutex");
  std::uint64_t changed = builder.global("changed");
};

// "reads 10": the places in their order.
Lines places(const Why& why) {
  Lines result;
  for (const WhyPlace& place : why.places) {
    result.push_back(place.role + " " + std::to_string(place.place.frame.line));
  }
  return result;
}

TEST(Why, OfALostUpdateNamesReadAndBothWrites) {
  Story story;
  story.event(1, atomic_load, story.counter, 0, 10);
  story.event(2, atomic_load, story.counter, 0, 11);
  story.event(2, atomic_store, story.counter, 1, 12);
  story.event(1, atomic_store, story.counter, 1, 13);
  story.event(0, join, 1, 0, 20);
  story.event(0, atomic_load, story.counter, 1, 21);
  const Why why = story.fails(0, 21);
  EXPECT_EQ(why.pattern, "lost-update");
  EXPECT_EQ(places(why), (Lines{"reads 10", "writes 12", "writes 13"}));
  EXPECT_EQ(
      why.sentences,
      (Lines{"T1 loads `counter` = 0 at test.cc:10 (step 3), then T2 stores `counter` = 1 at "
             "test.cc:12 (step 5), and then T1 stores `counter` = 1 at test.cc:13 (step 6): it "
             "has not seen what T2 has written, which is lost.",
             "The read and the write of T1 would have to be atomic."}));
}

// An update reads what is there: nothing is lost.
TEST(Why, OfAtomicUpdatesNamesNoLostUpdate) {
  Story story;
  story.event(1, atomic_load, story.counter, 0, 10);
  story.event(2, atomic_update, story.counter, 1, 12);
  story.event(1, atomic_update, story.counter, 2, 13);
  story.event(0, atomic_load, story.counter, 2, 21);
  EXPECT_NE(story.fails(0, 21).pattern, "lost-update");
}

TEST(Why, OfACheckThatIsNotTrueAnyMoreNamesWhoChangedItAndTheLockThatWasGivenBack) {
  Story story;
  story.event(1, lock, story.mutex, 0, 9);
  story.event(1, read, story.counter, 1, 10);
  story.event(1, unlock, story.mutex, 0, 11);
  story.event(2, lock, story.mutex, 0, 14);
  story.event(2, write, story.counter, 0, 15);
  story.event(2, unlock, story.mutex, 0, 16);
  story.event(1, lock, story.mutex, 0, 17);
  story.event(1, read, story.counter, 0, 18);
  const Why why = story.fails(1, 18);
  EXPECT_EQ(why.pattern, "changed-between");
  EXPECT_EQ(places(why), (Lines{"reads 10", "unlocks 11", "writes 15", "reads 18"}));
  EXPECT_EQ(why.sentences.back(),
            "T1 holds `mutex` at both, but gives it back in between at test.cc:11 (step 4).");
}

// A loop that waits for a change is no check of before.
TEST(Why, OfALoopThatWaitsSaysNothingAboutItsEarlierRounds) {
  Story story;
  const std::uint64_t loop = story.at(10);
  story.builder.event(1, atomic_load, story.ready, 0, {loop});
  story.event(2, atomic_store, story.ready, 1, 15);
  story.builder.event(1, atomic_load, story.ready, 1, {loop});
  story.builder.outcome(OutcomeKind::assertion, 1, "assertion `x' failed", {loop});
  EXPECT_EQ(report_of(story.builder).why.pattern, "value-of-another");
}

// Who waited for another thread expects a change.
TEST(Why, OfWhatChangesDuringAJoinSaysNotThatItShouldBeAtomic) {
  Story story;
  story.event(0, atomic_load, story.counter, 0, 10);
  story.event(1, atomic_store, story.counter, 1, 11);
  story.event(0, join, 1, 0, 12);
  story.event(0, atomic_load, story.counter, 1, 13);
  EXPECT_EQ(story.fails(0, 13).pattern, "value-of-another");
}

TEST(Why, OfTwoVariablesThatChangeBetweenTheirReadsNamesBothReadsAndBothWrites) {
  Story story;
  story.event(1, lock, story.mutex, 0, 9);
  story.event(1, read, story.counter, 1, 10);
  story.event(1, unlock, story.mutex, 0, 11);
  story.event(2, lock, story.mutex, 0, 14);
  story.event(2, write, story.counter, 0, 15);
  story.event(2, write, story.ready, 1, 16);
  story.event(2, unlock, story.mutex, 0, 17);
  story.event(1, lock, story.mutex, 0, 18);
  story.event(1, read, story.ready, 1, 19);
  const Why why = story.fails(1, 20);
  EXPECT_EQ(why.pattern, "two-moments");
  EXPECT_EQ(places(why), (Lines{"reads 10", "unlocks 11", "writes 15", "writes 16", "reads 19"}));
  EXPECT_EQ(why.sentences.back(),
            "T1 holds `mutex` at both, but gives it back in between at test.cc:11 (step 4).");
}

// The first read is not out of date: nobody has changed what it read.
TEST(Why, OfTwoVariablesOfWhichOneChangesNamesNoTwoMoments) {
  Story story;
  story.event(1, atomic_load, story.counter, 1, 10);
  story.event(2, atomic_store, story.counter, 1, 15);
  story.event(2, atomic_store, story.ready, 1, 16);
  story.event(1, atomic_load, story.ready, 1, 19);
  EXPECT_EQ(story.fails(1, 20).pattern, "value-of-another");
}

TEST(Why, OfAFlagThatIsRaisedTooEarlyNamesTheFlagAndWhatIsNotWritten) {
  Story story;
  story.event(1, atomic_store, story.ready, 1, 10);
  story.event(2, atomic_load, story.ready, 1, 11);
  story.event(2, atomic_load, story.counter, 0, 12);
  const Why why = story.fails(2, 12);
  EXPECT_EQ(why.pattern, "used-before-written");
  EXPECT_EQ(places(why), (Lines{"writes 10", "reads 11", "reads 12"}));
}

TEST(Why, OfASignalThatComesTooEarlyForAWaiterNamesWhoTookItsPlace) {
  Story story;
  story.event(1, lock, story.mutex, 0, 10);
  story.event(1, read, story.counter, 0, 11);
  story.event(1, wait, story.changed, story.mutex, 12);
  story.event(0, write, story.counter, 1, 20);
  story.event(0, signal, story.changed, 1, 21);
  story.event(2, write, story.counter, 0, 30);
  story.event(1, relock, story.mutex, 0, 12);
  story.event(1, read, story.counter, 0, 13);
  const Why why = story.fails(1, 13);
  EXPECT_EQ(why.pattern, "late-wake-up");
  EXPECT_EQ(places(why), (Lines{"signals 21", "writes 30", "wakes 12", "reads 13"}));
}

TEST(Why, OfACompareExchangeThatOverlooksTwoChangesNamesBoth) {
  Story story;
  story.event(1, atomic_load, story.counter, 7, 10);
  story.event(2, atomic_compare_exchange, story.counter, 8, 11);
  story.event(2, atomic_compare_exchange, story.counter, 7, 12);
  story.event(1, atomic_compare_exchange, story.counter, 9, 13);
  story.event(1, atomic_load, story.ready, 0, 14);
  const Why why = story.fails(1, 14);
  EXPECT_EQ(why.pattern, "changed-back");
  EXPECT_EQ(places(why), (Lines{"reads 10", "writes 11", "writes 12", "writes 13"}));
}

// The value that fails is a consequence of a check that was not true any more.
TEST(Why, OfAValueThatComesFromAStaleCheckNamesTheCheckAndWhoChangedIt) {
  Story story;
  story.event(1, atomic_load, story.ready, 1, 10);
  story.event(2, atomic_load, story.ready, 1, 10).flags = step_preempts;
  story.event(2, atomic_update, story.ready, 0, 11);
  story.event(1, atomic_update, story.ready, -1, 11);
  story.event(1, atomic_update, story.counter, 1, 12);
  story.event(0, atomic_load, story.counter, 1, 20);
  const Why why = story.fails(0, 20);
  EXPECT_EQ(why.pattern, "changed-between");
  EXPECT_EQ(places(why), (Lines{"reads 10", "writes 11", "writes 11", "writes 12", "reads 20"}));
  EXPECT_EQ(why.sentences[1], "The two accesses of T1 would have to be atomic.");
  EXPECT_TRUE(why.sentences.back().starts_with("After that T1 updates `counter` = 1"));
}

// Nobody has interrupted the thread.
TEST(Why, OfAValueWithoutAPreemptionNamesNoStaleCheck) {
  Story story;
  story.event(1, atomic_load, story.ready, 1, 10);
  story.event(2, atomic_update, story.ready, 0, 11);
  story.event(1, atomic_update, story.ready, -1, 11);
  story.event(1, atomic_update, story.counter, 1, 12);
  story.event(0, atomic_load, story.counter, 1, 20);
  EXPECT_EQ(story.fails(0, 20).pattern, "value-of-another");
}

// What nobody has changed in between is not stale.
TEST(Why, OfACheckThatStillHoldsSaysNotThatItWasStale) {
  Story story;
  story.event(1, atomic_load, story.ready, 1, 10);
  story.event(2, atomic_store, story.counter, 5, 11).flags = step_preempts;
  story.event(1, atomic_update, story.ready, 0, 11);
  story.event(1, atomic_update, story.counter, 6, 12);
  story.event(0, atomic_load, story.counter, 6, 20);
  EXPECT_EQ(story.fails(0, 20).pattern, "value-of-another");
}

TEST(Why, OfAFailureOfOneThreadAloneSaysNothing) {
  RecordingBuilder builder;
  const std::uint64_t counter = builder.global("counter", ValueKind::signed_integer, 4);
  const std::uint64_t line = builder.line("main", 3, "assert(counter == 1);");
  builder.task(0);
  builder.event(0, atomic_load, counter, 0, {line});
  builder.outcome(OutcomeKind::assertion, 0, "assertion `x' failed", {line});
  EXPECT_FALSE(report_of(builder).why.is_known());
}

// The report of an execution in which T1 looks, and of the same with T2 first.
Why why_with_chance(Story& story, bool is_conflict, std::uint64_t step = 2) {
  story.event(1, atomic_load, story.ready, 0, 10);
  story.builder.outcome(OutcomeKind::exit, 1, "the program ended with status 2", {story.at(10)});
  const Recording recording = story.builder.build();
  Schedule schedule = examples::schedule_for(recording);
  schedule.last_chance.emplace().passes = true;
  schedule.last_chance->step = step;
  schedule.last_chance->instead = "T2 stores `ready` = 1 at test.cc:12";
  schedule.last_chance->is_conflict = is_conflict;
  ReportInput input;
  input.recording = &recording;
  input.schedule = &schedule;
  return build_report(input, story.builder.symbols).why;
}

TEST(Why, OfAnOrderThatDecidesNamesBothAndThatTheOtherOnePasses) {
  Story story;
  const Why why = why_with_chance(story, true);
  EXPECT_EQ(why.pattern, "wrong-order");
  EXPECT_EQ(places(why), (Lines{"reads 10"}));
  EXPECT_EQ(
      why.sentences,
      (Lines{"T1 loads `ready` = 0 at test.cc:10 (step 3) first; in an execution that passes, "
             "T2 stores `ready` = 1 at test.cc:12 before that."}));
}

TEST(Why, OfAnOrderThatASleepWasToBringSaysThatItWaitsForNobody) {
  Story story;
  story.event(2, atomic_store, story.counter, 1, 8);
  story.event(1, OperationKind::sleep, 0, 0, 9);
  const Recording before = story.builder.build();
  const Why why = why_with_chance(story, true, before.steps);
  EXPECT_EQ(why.pattern, "wrong-order");
  ASSERT_EQ(why.sentences.size(), 2);
  EXPECT_EQ(
      why.sentences[1],
      "T1 sleeps at test.cc:9 (step 4), and goes on before any other thread: a sleep waits for "
      "nobody, however long it is.");
}

TEST(Why, OfAnOrderNamesNoSleepAfterWhichAnotherThreadHasRun) {
  Story story;
  story.event(1, OperationKind::sleep, 0, 0, 9);
  story.event(2, atomic_store, story.counter, 1, 8);
  const Recording before = story.builder.build();
  EXPECT_EQ(why_with_chance(story, true, before.steps).sentences.size(), 1);
}

// What passes may be another matter.
TEST(Why, OfADecisionBetweenTwoObjectsNamesNoOrder) {
  Story story;
  EXPECT_FALSE(why_with_chance(story, false).is_known());
}

TEST(Why, OnlyOperationsOfTwoThreadsOnOneObjectAreInConflictAndNotTwoReads) {
  const auto step = [](std::uint32_t task, OperationKind kind, std::uint64_t object) {
    Step result{};
    result.task = task_id(task);
    result.kind = kind;
    result.object = object;
    return result;
  };
  EXPECT_TRUE(are_in_conflict(step(1, atomic_load, 8), step(2, atomic_store, 8)));
  EXPECT_TRUE(are_in_conflict(step(1, lock, 8), step(2, lock, 8)));
  EXPECT_FALSE(are_in_conflict(step(1, atomic_load, 8), step(2, atomic_load, 8)));
  EXPECT_FALSE(are_in_conflict(step(1, atomic_load, 8), step(2, atomic_store, 16)));
  EXPECT_FALSE(are_in_conflict(step(1, atomic_store, 8), step(1, atomic_store, 8)));
}

TEST(Why, OfADeadlockNamesTheLocksInTheirOrders) {
  RecordingBuilder builder = examples::deadlock();
  const Why why = report_of(builder).why;
  EXPECT_EQ(why.pattern, "lock-order");
  EXPECT_EQ(places(why), (Lines{"locks 10", "locks 10", "waits 11", "waits 11"}));
}

TEST(Why, OfALostWakeUpNamesTheSignalTheWaitAndTheChangeThatWasNotSeen) {
  Story story;
  story.event(1, lock, story.mutex, 0, 10);
  story.event(1, atomic_load, story.ready, 0, 11);
  story.event(2, atomic_store, story.ready, 1, 20);
  story.event(2, signal, story.changed, 0, 21).flags = step_failed;
  story.event(1, wait, story.changed, story.mutex, 12);
  story.builder.wait(1, wake, story.changed, story.at(12));
  const Why why = story.ends(OutcomeKind::deadlock, 1, "nobody can go on", 12);
  EXPECT_EQ(why.pattern, "lost-wake-up");
  EXPECT_EQ(places(why), (Lines{"reads 11", "writes 20", "signals 21", "waits 12"}));
  EXPECT_EQ(why.sentences.back(), "T2 does not hold `mutex` when it changes that.");
}

TEST(Why, OfASignalForAnotherNamesTheLaterChangeThatNobodySignals) {
  Story story;
  story.event(1, lock, story.mutex, 0, 10);
  story.event(1, read, story.counter, 0, 11);
  story.event(1, wait, story.changed, story.mutex, 12);
  story.event(0, write, story.counter, 1, 20);
  story.event(0, signal, story.changed, 2, 21);
  story.event(0, write, story.counter, 2, 22);
  story.builder.wait(1, wake, story.changed, story.at(12));
  const Why why = story.ends(OutcomeKind::deadlock, 1, "nobody can go on", 12);
  EXPECT_EQ(why.pattern, "signal-for-another");
  EXPECT_EQ(places(why), (Lines{"reads 11", "waits 12", "signals 21", "writes 22"}));
}

// What was changed before the signal was told by it.
TEST(Why, OfASignalForAnotherNamesNoEarlierChange) {
  Story story;
  story.event(1, lock, story.mutex, 0, 10);
  story.event(1, read, story.counter, 0, 11);
  story.event(1, wait, story.changed, story.mutex, 12);
  story.event(0, write, story.counter, 1, 20);
  story.event(0, signal, story.changed, 2, 21);
  story.builder.wait(1, wake, story.changed, story.at(12));
  const Why why = story.ends(OutcomeKind::deadlock, 1, "nobody can go on", 12);
  EXPECT_EQ(places(why), (Lines{"waits 12", "signals 21"}));
}

TEST(Why, OfAWaiterThatWakesTooLateNamesTheSignalAndWhatHasChangedSince) {
  Story story;
  story.event(1, wait, story.changed, story.mutex, 12);
  story.event(2, write, story.counter, 0, 20);
  story.event(2, broadcast, story.changed, 1, 21);
  story.event(2, write, story.counter, 1, 22);
  story.event(1, relock, story.mutex, 0, 12);
  story.event(1, read, story.counter, 1, 11);
  story.event(1, wait, story.changed, story.mutex, 13);
  story.builder.wait(1, wake, story.changed, story.at(13));
  const Why why = story.ends(OutcomeKind::deadlock, 1, "nobody can go on", 13);
  EXPECT_EQ(why.pattern, "woken-in-vain");
  EXPECT_EQ(places(why), (Lines{"signals 21", "writes 22", "wakes 12", "reads 11", "waits 13"}));
}

// Nobody can wake oneself.
TEST(Why, OfAWaiterThatOnlyHasSignalledItselfNamesNoLostWakeUp) {
  Story story;
  story.event(1, broadcast, story.changed, 0, 10);
  story.event(1, wait, story.changed, story.mutex, 12);
  story.builder.wait(1, wake, story.changed, story.at(12));
  const Why why = story.ends(OutcomeKind::deadlock, 1, "nobody can go on", 12);
  EXPECT_EQ(why.pattern, "no-signal");
  EXPECT_EQ(places(why), (Lines{"waits 12"}));
}

TEST(Why, OfWhoWaitsWithALockNamesTheLockAndWhoWaitsForIt) {
  Story story;
  const std::uint64_t permits = story.builder.global("permits");
  story.event(1, lock, story.mutex, 0, 10);
  story.builder.wait(1, semaphore_wait, permits, story.at(11));
  story.builder.wait(2, lock, story.mutex, story.at(12));
  const Why why = story.ends(OutcomeKind::deadlock, 1, "nobody can go on", 11);
  EXPECT_EQ(why.pattern, "waits-with-lock");
  EXPECT_EQ(places(why), (Lines{"locks 10", "waits 11", "waits 12"}));
}

TEST(Why, OfAPermitThatIsKeptNamesWhoTookIt) {
  Story story;
  const std::uint64_t permits = story.builder.global("permits");
  story.event(1, semaphore_wait, permits, 0, 10);
  story.event(1, semaphore_post, permits, 1, 11);
  story.event(2, semaphore_wait, permits, 0, 12);
  story.builder.task(0).ended = true;
  Recording recording = story.builder.build();
  for (RecordedTask& task : recording.tasks) task.ended = task.id != task_id(0);
  recording.tasks[0].blocked = true;
  recording.tasks[0].waiting = {permits, story.at(15), semaphore_wait, 0};
  recording.outcome.kind = OutcomeKind::deadlock;
  const Why why = report_of(recording, story.builder.symbols).why;
  EXPECT_EQ(why.pattern, "permit-kept");
  EXPECT_EQ(places(why), (Lines{"takes 12", "waits 15"}));
}

TEST(Why, OfARaceNamesTheLocksOfBothSides) {
  RecordingBuilder builder = examples::race_with_a_lock();
  const Why why = report_of(builder).why;
  EXPECT_EQ(why.pattern, "unordered-accesses");
  EXPECT_EQ(places(why), (Lines{"locks 6", "reads 8", "locks 11", "writes 12"}));
  EXPECT_EQ(why.sentences[1],
            "T1 holds `other` at test.cc:6 (step 5); T2 holds `mutex` at test.cc:11 (step 9): no "
            "lock is held by both.");
}

// What is not in the recording cannot be told.
TEST(Why, OfARaceWithoutItsBeginningSaysNothing) {
  RecordingBuilder builder = examples::race_with_a_lock();
  Recording recording = builder.build();
  recording.truncated = true;
  EXPECT_FALSE(report_of(recording, builder.symbols).why.is_known());
}

TEST(Why, OfAHangNamesWhoElseWaits) {
  Story story;
  story.builder.wait(0, join, 1, story.at(20));
  Recording recording = story.builder.build();
  recording.tasks[2].ended = true;
  recording.outcome.kind = OutcomeKind::hang;
  recording.outcome.task = task_id(1);
  const Why why = report_of(recording, story.builder.symbols).why;
  EXPECT_EQ(why.pattern, "waits-outside");
  EXPECT_EQ(places(why), (Lines{"waits 20", "waits 0"}));
}

// The other thread may still do what the one that hangs waits for.
TEST(Why, OfAHangWithAnotherThreadThatRunsSaysNothing) {
  Story story;
  story.builder.wait(0, join, 1, story.at(20));
  EXPECT_FALSE(story.ends(OutcomeKind::hang, 1, "it waits", 12).is_known());
}

TEST(Why, OfASignalThatCameBeforeTheWaitNamesWhereItWas) {
  Story story;
  story.event(2, deliver, 1, 10, 15);
  const Why why = story.ends(OutcomeKind::hang, 1, "it waits in pause()", 12);
  EXPECT_EQ(why.pattern, "early-signal");
  EXPECT_EQ(places(why), (Lines{"signals 15", "waits 12"}));
}

TEST(Why, OfALivelockNamesWhatEachLooksAtAndWhoChangesIt) {
  Story story;
  const std::uint64_t mine = story.at(10);
  const std::uint64_t other = story.at(11);
  for (int i = 0; i < 5; ++i) {
    story.builder.event(1, atomic_store, story.counter, 1, {mine});
    story.builder.event(2, atomic_store, story.ready, 1, {mine});
    story.builder.event(1, atomic_load, story.ready, 1, {other});
    story.builder.event(2, atomic_load, story.counter, 1, {other});
  }
  story.builder.period = 4;
  const Why why = story.ends(OutcomeKind::livelock, 1, "the same 4 steps repeat forever", 11);
  EXPECT_EQ(why.pattern, "no-progress");
  EXPECT_EQ(places(why), (Lines{"writes 10", "writes 10", "reads 11", "reads 11"}));
}

// Not the last thing that it reads, as what a lambda has captured; and who comes to change it later
// in the round has changed it before the next look.
TEST(Why, OfALivelockNamesWhatIsChangedInTheRoundWherever) {
  Story story;
  const std::uint64_t look = story.at(11);
  const std::uint64_t captured = story.at(12);
  const std::uint64_t change = story.at(20);
  const std::uint64_t other_look = story.at(21);
  for (int i = 0; i < 3; ++i) {
    story.builder.event(1, atomic_load, story.ready, 1, {look});
    story.builder.event(1, read, story.counter, 1, {captured});
    story.builder.event(2, atomic_store, story.ready, 1, {change});
    story.builder.event(2, atomic_load, story.ready, 1, {other_look});
  }
  story.builder.period = 3;
  const Why why = story.ends(OutcomeKind::livelock, 1, "the same 3 steps repeat forever", 11);
  EXPECT_EQ(
      why.sentences.front(),
      "T1 loads `ready` = 1 at test.cc:11 (step 3) again and again, because again and again T2 "
      "stores `ready` = 1 at test.cc:20 (step 4).");
}

// A variable of one's own may be one of the compiler's.
TEST(Why, OfALivelockNamesWhatOthersCanChangeAndWhoHasStoredItLast) {
  Story story;
  story.event(2, atomic_store, story.ready, 0, 9);
  story.event(1, atomic_store, story.ready, 1, 10);
  const std::uint64_t loop = story.at(11);
  for (int i = 0; i < 3; ++i) story.builder.event(1, atomic_load, story.ready, 1, {loop});
  const Why why = story.ends(OutcomeKind::livelock, 1, "some threads spin", 11);
  EXPECT_EQ(places(why), (Lines{"writes 9", "writes 10", "reads 11"}));
  EXPECT_EQ(why.sentences.front(),
            "T1 loads `ready` = 1 at test.cc:11 (step 5) again and again, which it has written "
            "itself: at test.cc:10 (step 4).");
}

// The middle of a long trace is not shown, but what the explanation names is.
TEST(Why, NamesOnlyRowsThatAreShown) {
  Story story;
  story.event(1, atomic_load, story.counter, 0, 10);
  for (std::uint32_t i = 0; i < 300; ++i) {
    story.event(i % 2 + 1, atomic_update, story.ready, i, 40 + i % 2);
  }
  story.event(2, atomic_store, story.counter, 1, 12);
  for (std::uint32_t i = 0; i < 300; ++i) {
    story.event(i % 2 + 1, atomic_update, story.ready, i, 40 + i % 2);
  }
  story.event(1, atomic_store, story.counter, 1, 13);
  story.event(0, atomic_load, story.counter, 1, 21);
  story.builder.outcome(OutcomeKind::assertion, 0, "assertion `x' failed", {story.at(21)});
  const Report report = report_of(story.builder);
  for (const WhyPlace& place : report.why.places) {
    const bool is_shown = std::any_of(
        report.steps.begin(), report.steps.end(),
        [&](const ReportStep& step) { return step.lane == place.lane && step.what == place.what; });
    EXPECT_TRUE(is_shown) << place.what;
  }
  EXPECT_EQ(report.why.places.size(), 3);
}

}  // namespace
}  // namespace ricercar::inline report
