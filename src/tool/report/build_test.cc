// What is in the model of a report, of threads and of machines.
#include "report/build.h"

#include <gtest/gtest.h>

#include <cstring>

#include "report/report_examples.h"

namespace ricercar::inline report {
namespace {

using examples::report_of;
using enum OperationKind;

std::string at(const Place& place) { return place.file_and_line(); }

TEST(Model, OfARaceHasBothPlacesWithTheirStacks) {
  RecordingBuilder builder = examples::race_with_a_lock();
  const Report report = report_of(builder);
  EXPECT_EQ(report.kind, "data-race");
  ASSERT_EQ(report.places.size(), 2);
  const BugPlace& later = report.places[0];
  EXPECT_EQ(later.role, "writes");
  EXPECT_EQ(later.what, "writes counter");
  EXPECT_EQ(report.titled(later.lane), "T2 (increment)");
  EXPECT_EQ(at(later.place), "test.cc:12");
  ASSERT_EQ(later.stack.calls.size(), 2);
  EXPECT_EQ(later.stack.calls[1].frame.function, "std::invoke");
  EXPECT_FALSE(later.stack.calls[1].frame.is_users);
  const BugPlace& earlier = report.places[1];
  EXPECT_EQ(earlier.role, "reads");
  EXPECT_EQ(report.titled(earlier.lane), "T1 (look)");
  EXPECT_EQ(at(earlier.place), "test.cc:8");
}

TEST(Model, OfARaceKnowsTheLocksOfBothAccesses) {
  RecordingBuilder builder = examples::race_with_a_lock();
  const std::vector<BugPlace> places = report_of(builder).places;
  ASSERT_TRUE(places[0].knows_holds);
  ASSERT_EQ(places[0].holds.size(), 1);
  EXPECT_EQ(places[0].holds[0].object, "mutex");
  EXPECT_EQ(at(places[0].holds[0].place), "test.cc:11");
  ASSERT_TRUE(places[1].knows_holds);
  ASSERT_EQ(places[1].holds.size(), 1);
  EXPECT_EQ(places[1].holds[0].object, "other");
  EXPECT_EQ(at(places[1].holds[0].place), "test.cc:6");
}

// The access itself, or something before it, is not in the recording.
TEST(Model, OfARaceDoesNotGuessTheLocksOfTheEarlierAccess) {
  RecordingBuilder builder = examples::race_with_a_lock();
  Recording recording = builder.build();
  recording.truncated = true;
  EXPECT_FALSE(report_of(recording, builder.symbols).places[1].knows_holds);
  recording.truncated = false;
  recording.outcome.other_site = 1;
  EXPECT_FALSE(report_of(recording, builder.symbols).places[1].knows_holds);
}

// A wait gives the mutex back, waking up takes it again; a lock that is held twice is held until it
// was unlocked twice; a failed attempt takes nothing.
TEST(Model, OfARaceFollowsWaitsRecursionAndFailures) {
  RecordingBuilder builder;
  const std::uint64_t mutex = builder.global("mutex");
  const std::uint64_t busy = builder.global("busy");
  const std::uint64_t counter = builder.global("counter", ValueKind::signed_integer, 4);
  const std::uint64_t place = builder.line("work", 5, "work();");
  const std::uint64_t here = builder.line("work", 6, "++counter;");
  builder.task(0);
  builder.task(0, place);
  RecordedOutcome& outcome = builder.outcome(OutcomeKind::data_race, 0, "race", {place});
  outcome.object = counter;
  outcome.other_task = task_id(1);
  outcome.other_site = here;
  const auto names = [&] {
    builder.event(1, read, counter, 0, {here});
    std::string text;
    const Report report = report_of(builder);
    for (const ReportHold& hold : report.places[1].holds) text += hold.object + " ";
    return text;
  };
  builder.event(1, try_lock, busy, 0, {place}).flags = step_failed;
  builder.event(1, lock, mutex, 0, {place});
  EXPECT_EQ(names(), "mutex ");
  builder.event(1, wait, builder.global("condition"), mutex, {place});
  EXPECT_EQ(names(), "");
  builder.event(1, relock, mutex, 0, {place});
  builder.event(1, lock, mutex, 0, {place});
  EXPECT_EQ(names(), "mutex mutex ");
  builder.event(1, unlock, mutex, 0, {place});
  EXPECT_EQ(names(), "mutex ");
}

TEST(Model, HasALaneForEachThreadAndWhereItWasCreated) {
  RecordingBuilder builder = examples::race_with_a_lock();
  const Report report = report_of(builder);
  ASSERT_EQ(report.lanes.size(), 3);
  EXPECT_EQ(report.lanes[0].title, "main");
  EXPECT_EQ(report.lanes[0].creator, no_task);
  EXPECT_EQ(report.lanes[2].name, "T2");
  EXPECT_EQ(report.lanes[2].title, "increment");
  EXPECT_EQ(report.lanes[2].creator, task_id(0));
  EXPECT_EQ(at(report.lanes[2].created), "test.cc:21");
}

TEST(Model, OfAStepHasItsParts) {
  RecordingBuilder builder = examples::race_with_a_lock();
  const std::vector<ReportStep> steps = report_of(builder, true).steps;
  ASSERT_EQ(steps.size(), 12);
  EXPECT_EQ(steps[0].operation, "create");
  EXPECT_EQ(steps[0].object, "T1");
  EXPECT_EQ(steps[0].first_created, task_id(1));
  const ReportStep& read = steps[6];
  EXPECT_EQ(read.number, 0);  // not a step of its own
  EXPECT_EQ(read.operation, "read");
  EXPECT_EQ(read.object, "counter");
  EXPECT_EQ(read.value, "5");
  EXPECT_EQ(read.place.frame.function, "look");
  EXPECT_EQ(at(read.place), "test.cc:8");
  EXPECT_TRUE(steps[8].preempts);
  EXPECT_EQ(steps[9].operation, "lock");
  EXPECT_EQ(steps[9].number, 9);
  EXPECT_TRUE(steps[11].is_outcome);
  EXPECT_EQ(steps[11].what, "writes counter");
  EXPECT_EQ(steps[11].operation, "write");
  EXPECT_EQ(steps[11].object, "counter");
}

// Two threads and a counter that both use, for what is told in one row.
class Rows {
 public:
  Rows() {
    builder.task(0);
    builder.task(0, builder.line("main", 1, "std::thread one(work);"));
    builder.event(0, create, 0, 1, {builder.line("main", 1, "std::thread one(work);")});
  }

  std::vector<std::string> words() {
    builder.event(0, write, counter, 9, {other});
    builder.event(1, read, counter, 9, {other});
    builder.outcome(OutcomeKind::exit, 0, "the program ended with status 1", {});
    std::vector<std::string> result;
    for (const ReportStep& step : report_of(builder).steps) result.push_back(step.what);
    // Those that make it shared.
    result.resize(result.size() - std::min<std::size_t>(result.size(), 2));
    return result;
  }

  RecordingBuilder builder;
  std::uint64_t counter = builder.global("counter", ValueKind::signed_integer, 4);
  std::uint64_t mutex = builder.global("mutex");
  std::uint64_t line = builder.line("work", 10, "work();");
  std::uint64_t other = builder.line("work", 12, "more();");
};

using WordList = std::vector<std::string>;

TEST(Model, HasOneRowForWhatALineDoes) {
  Rows rows;
  rows.builder.event(1, start, 0, 0, {});
  rows.builder.event(1, read, rows.counter, 0, {rows.line});
  rows.builder.event(1, write, rows.counter, 1, {rows.line});
  EXPECT_EQ(rows.words(), (WordList{"reads counter = 0, writes 1"}));
}

TEST(Model, HasTwoRowsIfAnotherThreadGoesOnInBetween) {
  Rows rows;
  rows.builder.event(1, read, rows.counter, 0, {rows.line});
  rows.builder.event(0, write, rows.counter, 7, {rows.line});
  rows.builder.event(1, write, rows.counter, 1, {rows.line});
  EXPECT_EQ(rows.words(),
            (WordList{"reads counter = 0", "writes counter = 7", "writes counter = 1"}));
}

TEST(Model, CountsWhatIsTooMuchForARow) {
  Rows rows;
  for (std::uint64_t i = 0; i < 5; ++i) {
    rows.builder.event(1, read, rows.counter, i, {rows.line});
    rows.builder.event(1, write, rows.counter, i + 1, {rows.line});
  }
  EXPECT_EQ(rows.words(), (WordList{"10 accesses of counter"}));
}

TEST(Model, HasOneRowForEachLineOfALoopWithNobodyInBetween) {
  Rows rows;
  for (std::uint64_t i = 0; i < 50; ++i) {
    rows.builder.event(1, read, rows.counter, i, {rows.line});
    rows.builder.event(1, write, rows.counter, i + 1, {rows.other});
  }
  rows.builder.event(0, write, rows.counter, 3, {rows.line});
  EXPECT_EQ(rows.words(),
            (WordList{"50 reads of counter", "50 writes of counter", "writes counter = 3"}));
}

TEST(Model, TellsALockAndItsEndInOneRowUnlessAnotherThreadGoesOn) {
  Rows rows;
  rows.builder.event(0, lock, rows.mutex, 0, {rows.line});
  rows.builder.event(0, write, rows.counter, 1, {rows.other});
  rows.builder.event(0, unlock, rows.mutex, 0, {rows.line});
  rows.builder.event(1, lock, rows.mutex, 0, {rows.line});
  rows.builder.event(0, write, rows.counter, 2, {rows.other});
  rows.builder.event(1, unlock, rows.mutex, 0, {rows.line});
  EXPECT_EQ(rows.words(), (WordList{"locks mutex until step 3", "writes counter = 1", "locks mutex",
                                    "writes counter = 2", "unlocks mutex"}));
}

TEST(Model, LeavesOutWhatNobodyElseEverTouches) {
  Rows rows;
  const std::uint64_t own = rows.builder.global("own", ValueKind::signed_integer, 4);
  const std::uint64_t constant = rows.builder.global("constant", ValueKind::signed_integer, 4);
  rows.builder.event(1, atomic_store, own, 1, {rows.line});
  rows.builder.event(1, atomic_load, constant, 1, {rows.line});
  rows.builder.event(0, atomic_load, constant, 1, {rows.line});
  EXPECT_EQ(rows.words(), WordList{});
}

TEST(Model, LeavesOutCountersOfReferences) {
  Rows rows;
  const std::uint64_t count = rows.builder.global("entry.use_count", ValueKind::signed_integer, 4);
  rows.builder.event(1, atomic_update, count, 1, {rows.line});
  rows.builder.event(0, atomic_update, count, 2, {rows.line});
  EXPECT_EQ(rows.words(), WordList{});
}

// The mark goes to the next row of the thread that goes on.
TEST(Model, KeepsEveryPreemption) {
  Rows rows;
  rows.builder.event(0, atomic_store, rows.counter, 1, {rows.line});
  rows.builder.event(1, start, 0, 0, {}).flags = step_preempts;
  rows.builder.event(1, atomic_store, rows.counter, 2, {rows.line});
  const auto steps = report_of(rows.builder).steps;
  ASSERT_EQ(steps.size(), 2);
  EXPECT_TRUE(steps[1].preempts);
  EXPECT_EQ(steps[1].what, "stores counter = 2");
}

TEST(Model, ShowsAStepThatPreemptsAndNothingElse) {
  Rows rows;
  rows.builder.event(0, atomic_store, rows.counter, 1, {rows.line});
  rows.builder.event(1, start, 0, 0, {}).flags = step_preempts;
  rows.builder.event(0, atomic_store, rows.counter, 2, {rows.line});
  EXPECT_EQ(rows.words(), (WordList{"stores counter = 1", "starts", "stores counter = 2"}));
}

TEST(Model, OfADeadlockHasHoldersAndWaiters) {
  RecordingBuilder builder = examples::deadlock();
  const Report report = report_of(builder);
  ASSERT_EQ(report.waits.size(), 3);  // the circle first
  const ReportWait& one = report.waits[0];
  EXPECT_EQ(one.lane, task_id(1));
  EXPECT_EQ(one.object, "accounts[1].lock");
  EXPECT_EQ(one.operation, "lock");
  EXPECT_EQ(one.awaited, (std::vector{task_id(2)}));
  EXPECT_EQ(at(one.place), "test.cc:11");
  ASSERT_EQ(one.holds.size(), 1);
  EXPECT_EQ(one.holds[0].object, "accounts[0].lock");
  EXPECT_EQ(at(one.holds[0].place), "test.cc:10");
  EXPECT_EQ(report.waits[1].lane, task_id(2));
  EXPECT_EQ(report.waits[2].operation, "join");
  EXPECT_EQ(report.waits[2].object, "T1");
  ASSERT_EQ(report.places.size(), 3);
  EXPECT_EQ(report.places[0].role, "waits");
}

TEST(Model, CutsADeepStackUnlessAllIsWanted) {
  RecordingBuilder builder;
  std::vector<std::uint64_t> calls;
  for (unsigned i = 1; i <= 20; ++i) {
    calls.push_back(builder.line("descend", i, "descend();"));
    calls.push_back(builder.library("std::invoke"));
  }
  builder.task(0);
  builder.outcome(OutcomeKind::crash, 0, "segmentation fault", calls);
  const CallStack cut = report_of(builder).stack;
  EXPECT_TRUE(cut.is_cut);
  EXPECT_EQ(cut.calls.size(), 32);
  const CallStack full = report_of(builder, true).stack;
  EXPECT_FALSE(full.is_cut);
  EXPECT_EQ(full.calls.size(), 40);
}

TEST(Model, SaysHowMuchIsLeftOut) {
  RecordingBuilder builder;
  const std::uint64_t counter = builder.global("counter", ValueKind::signed_integer, 4);
  const std::uint64_t flag = builder.global("flag", ValueKind::boolean, 1);
  const std::uint64_t place = builder.line("main", 22, "++counter;");
  const std::uint64_t other = builder.line("main", 23, "--counter;");
  const std::uint64_t last = builder.line("main", 24, "assert(false);");
  builder.task(0);
  builder.task(0, other);
  for (std::uint32_t i = 0; i < 300; ++i) {
    builder.event(i % 2, atomic_update, counter, i, {i % 2 == 0 ? place : other});
  }
  for (std::uint64_t i = 0; i < 40; ++i) {
    builder.event(0, atomic_load, flag, 0, {i % 2 == 0 ? place : other}).size = 1;
  }
  builder.outcome(OutcomeKind::assertion, 0, "assertion `false' failed", {last});
  const Report report = report_of(builder);
  ASSERT_EQ(report.steps.size(), 10 + 1 + 60 + 1);
  EXPECT_EQ(report.steps[10].gap.left_out, 303 - 70);
  EXPECT_EQ(report.steps[70].gap.period, 2);
  EXPECT_EQ(report.steps[70].gap.repetitions, 19);
  EXPECT_EQ(report.step_count, 340);
}

TEST(Model, OfABugThatDidNotComeAgainIsAboutNothing) {
  RecordingBuilder builder = examples::race_with_a_lock();
  builder.outcome(OutcomeKind::ok, 0, "", {});
  const Recording recording = builder.build();
  Schedule schedule = examples::schedule_for(recording);
  schedule.kind = "data-race";
  schedule.message = "two accesses";
  ReportInput input;
  input.recording = &recording;
  input.schedule = &schedule;
  input.unseen = {"libother.so"};
  const Report report = build_report(input, builder.symbols);
  EXPECT_FALSE(report.is_same_bug);
  EXPECT_EQ(report.headline, "data-race: two accesses");
  EXPECT_TRUE(report.places.empty());
  EXPECT_TRUE(report.unseen.empty());
  EXPECT_FALSE(report.steps.empty());
}

TEST(Model, OfMachinesHasLanesStatesAndEvents) {
  examples::MachineRecording machines;
  const Report report = report_of(machines);
  EXPECT_EQ(report.world, WorldKind::machines);
  EXPECT_EQ(report.headline, "unhandled-event: Server#0 does not handle Ask{1}");
  ASSERT_EQ(report.lanes.size(), 3);
  EXPECT_EQ(report.lanes[0].name, "Server#0");
  EXPECT_EQ(report.lanes[0].state, "Serving");
  EXPECT_EQ(report.lanes[0].variables, "{1}");
  EXPECT_EQ(report.lanes[0].steps, 6);
  EXPECT_TRUE(report.lanes[2].is_timer);
  EXPECT_FALSE(report.lanes[0].is_timer);
  ASSERT_EQ(report.steps.size(), machines.acts.size());
  EXPECT_EQ(report.step_count, machines.acts.size());
  const ReportStep& send = report.steps[2];
  EXPECT_EQ(send.operation, "send");
  EXPECT_EQ(send.object, "Ask{1}");
  EXPECT_EQ(send.receiver, task_id(0));
  EXPECT_EQ(send.what, "sends Ask{1} to Server#0");
  EXPECT_EQ(report.steps[6].state, "Serving");
  EXPECT_EQ(report.steps[7].value, "1");
}

// The second of two alike is not taken for the first one, and a crash empties the queue.
TEST(Model, OfMachinesLinksWhatIsReceivedToWhatWasSent) {
  examples::MachineRecording machines;
  const Report report = report_of(machines);
  EXPECT_EQ(report.steps[6].sent_by, 4);    // Ask{2}
  EXPECT_EQ(report.steps[8].sent_by, 3);    // the first Ask{1}
  EXPECT_EQ(report.steps[10].sent_by, 10);  // the timer
  EXPECT_EQ(report.steps[15].sent_by, 15);  // not the one from before the crash
  EXPECT_EQ(report.steps[0].sent_by, 0);
}

TEST(Model, OfNodesTellsALoopOnceAndEveryFault) {
  examples::MachineRecording machines;
  const RecordedAct call{.kind = ActKind::call, .machine = 1, .event = "calls poll()"};
  const RecordedAct fault{.kind = ActKind::fault, .machine = 0, .event = "CRASHES"};
  machines.acts.assign(1, fault);
  machines.acts.insert(machines.acts.end(), 80, machines.acts[0]);
  for (RecordedAct& act : machines.acts) act.kind = ActKind::note;
  machines.acts[3] = fault;
  machines.acts.insert(machines.acts.end(), 50, call);
  const Report report = report_of(machines);
  ASSERT_EQ(report.steps.size(), 63);
  EXPECT_EQ(report.steps[0].gap.left_out, 3);
  EXPECT_EQ(report.steps[1].number, 4);
  EXPECT_EQ(report.steps[2].gap.left_out, 19);
  EXPECT_EQ(report.steps[3].number, 24);
  EXPECT_EQ(report.steps[61].number, 82);
  EXPECT_EQ(report.steps[62].gap.repetitions, 49);
  EXPECT_EQ(report_of(machines, true).steps.size(), 131);
}

TEST(Model, OfNodesHasOneRowForCallsWithNobodyInBetween) {
  examples::MachineRecording machines;
  const auto call = [&machines](std::uint32_t node, const char* words) {
    machines.acts.push_back({.kind = ActKind::call, .machine = node, .event = words});
  };
  machines.acts.clear();
  call(0, "calls recv() at a.cc:3");
  call(0, "calls send() at a.cc:4");
  call(1, "calls recv() at a.cc:3");
  call(0, "thread 1 calls recv() at a.cc:3");
  call(0, "thread 1 calls send() at a.cc:4");
  call(0, "thread 2 calls recv() at a.cc:3");
  call(0, "thread 2 calls recv() at a/long/path/to/the/source/file/of/the/other/one.cc:3");
  const Report report = report_of(machines);
  ASSERT_EQ(report.steps.size(), 5);
  EXPECT_EQ(report.steps[0].what, "calls recv() at a.cc:3, send() at a.cc:4");
  EXPECT_EQ(report.steps[0].parts.size(), 2);
  EXPECT_EQ(report.steps[2].what, "thread 1 calls recv() at a.cc:3, send() at a.cc:4");
  EXPECT_EQ(report.steps[2].number, 4);
  EXPECT_EQ(report.step_count, 7);
  EXPECT_EQ(report_of(machines, true).steps.size(), 7);
}

TEST(Model, OfMachinesLeavesOutTheBeginning) {
  examples::MachineRecording machines;
  machines.acts.assign(100, machines.acts[2]);
  const Report report = report_of(machines);
  ASSERT_EQ(report.steps.size(), 61);
  EXPECT_EQ(report.steps[0].gap.left_out, 40);
  EXPECT_EQ(report.steps[1].number, 41);
  EXPECT_EQ(report_of(machines, true).steps.size(), 100);
}

}  // namespace
}  // namespace ricercar::inline report
