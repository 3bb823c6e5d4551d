// Reports of hand-made recordings against files in golden/. RICERCAR_APPROVE=1 writes those files
// anew; look at the difference before you commit it.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

#include "model/messages.h"
#include "report/build.h"
#include "report/report_examples.h"
#include "report/reporters.h"
#include "report/style.h"

namespace ricercar::inline report {
namespace {

using enum OperationKind;
using examples::schedule_for;

std::string report(RecordingBuilder& builder, const ReporterOptions& options = {},
                   ReportInput input = {}) {
  const Recording recording = builder.build();
  const Schedule schedule = schedule_for(recording);
  input.recording = &recording;
  if (input.schedule == nullptr) input.schedule = &schedule;
  input.schedule_path = "ricercar-out/bug-1.json";
  return text_report(build_report(input, builder.symbols), options);
}

void expect_golden(const std::string& name, const std::string& text,
                   const std::string& extension = ".txt") {
  const std::string path = std::string(GOLDEN_FOLDER) + "/" + name + extension;
  if (std::getenv("RICERCAR_APPROVE") != nullptr) {
    std::ofstream(path) << text;
    return;
  }
  std::ifstream file(path);
  std::stringstream expected;
  expected << file.rdbuf();
  EXPECT_EQ(text, expected.str()) << "RICERCAR_APPROVE=1 takes this as the new " << path;
}

// Two threads that increment a counter; the second one reads in between.
RecordingBuilder race() {
  RecordingBuilder builder;
  const std::uint64_t counter = builder.global("counter", ValueKind::signed_integer, 4);
  const std::uint64_t create_one = builder.line("main", 20, "std::thread one(increment);");
  const std::uint64_t create_two = builder.line("main", 21, "std::thread two(increment);");
  const std::uint64_t use = builder.line("increment", 12, "counter = counter + 1;");
  const std::uint64_t invoke = builder.library("std::__invoke");
  const std::uint64_t start = builder.library("std::thread::run");
  builder.task(0);
  builder.task(0, create_one);
  builder.task(0, create_two);
  builder.event(0, create, 0, 1, {create_one});
  builder.event(0, create, 0, 2, {create_two});
  builder.event(1, OperationKind::start, 0, 0, {start});
  builder.event(1, read, counter, 0, {use, invoke, start});
  builder.event(2, OperationKind::start, 0, 0, {start});
  RecordedOutcome& outcome =
      builder.outcome(OutcomeKind::data_race, 2,
                      "write by T2 and read by T1 of the same 4 bytes, without synchronisation",
                      {use, invoke, start});
  outcome.object = counter;
  outcome.is_write = true;
  outcome.other_task = task_id(1);
  outcome.other_stack = builder.stack({use, invoke, start});
  return builder;
}

TEST(Report, OfADataRaceShowsBothAccesses) {
  RecordingBuilder builder = race();
  expect_golden("data_race", report(builder));
}

TEST(Report, IsColouredOnATerminal) {
  RecordingBuilder builder = race();
  expect_golden("data_race_coloured", report(builder, {.width = 80, .colours = true}));
}

TEST(Report, WithoutDebugInformationSaysSo) {
  RecordingBuilder builder = race();
  builder.symbols.has_debug = false;
  builder.symbols.code.clear();
  builder.symbols.globals.clear();
  expect_golden("no_debug_information", report(builder));
}

TEST(Report, OfABugThatDidNotComeAgainSaysWhatTheSearchSaw) {
  RecordingBuilder builder = race();
  builder.outcome(OutcomeKind::ok, 0, "", {});
  const Recording recording = builder.build();
  Schedule schedule = schedule_for(recording);
  schedule.kind = "data-race";
  schedule.message = "write by T2 and read by T1 of the same 4 bytes, without synchronisation";
  ReportInput input;
  input.schedule = &schedule;
  input.warning = "the bug (data-race) did not reproduce; the replay ended with ok.";
  expect_golden("not_confirmed", report(builder, {}, input));
}

TEST(Report, OfADeadlockShowsWhoHoldsAndWhoWaits) {
  RecordingBuilder builder = examples::deadlock();
  expect_golden("deadlock", report(builder));
}

TEST(Markdown, OfADeadlockShowsWhoHoldsAndWhoWaits) {
  RecordingBuilder builder = examples::deadlock();
  expect_golden("deadlock", markdown_report(examples::report_of(builder), {}), ".md");
}

TEST(Markdown, OfADataRaceShowsBothAccesses) {
  RecordingBuilder builder = race();
  expect_golden("data_race", markdown_report(examples::report_of(builder), {}), ".md");
}

TEST(Markdown, OfMachinesTellsTheirStory) {
  examples::MachineRecording machines;
  expect_golden("machines", markdown_report(report_of(machines), {}), ".md");
}

// A name of the program's must not end a cell, nor become bold.
TEST(Markdown, KeepsWhatHasAMeaningThere) {
  examples::MachineRecording machines;
  machines.acts = {{.kind = ActKind::send, .machine = 1, .target = 0, .event = "A|B_c*<d>"}};
  const std::string text = markdown_report(report_of(machines), {});
  EXPECT_NE(text.find("| 1 | Client#1 | sends A\\|B\\_c\\*\\<d> to Server#0 |  |\n"),
            std::string::npos)
      << text;
}

TEST(Report, OfMachinesTellsTheirStory) {
  examples::MachineRecording machines;
  expect_golden("machines", text_report(examples::report_of(machines), {}));
}

TEST(Report, OfMachinesTellsInFullWhatTheyBecome) {
  examples::MachineRecording machines;
  expect_golden("machines_full", text_report(examples::report_of(machines, true), {}));
}

TEST(Report, OfMachinesCutsLongLinesAndTheBeginning) {
  examples::MachineRecording machines;
  machines.acts.insert(machines.acts.end(), 90, machines.acts[2]);
  const std::string text = text_report(examples::report_of(machines), {.width = 50});
  EXPECT_NE(text.find("What happened: 106 events\n"
                      "  (the first 2 are left out; --full shows them)\n"
                      "    3  Client#1                  sends Ask{1} ...\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("  (30 are left out; --full shows them)\n"
                      "   47  Client#1                  sends Ask{1} ...\n"),
            std::string::npos)
      << text;
  const std::string full = text_report(examples::report_of(machines, true), {.width = 50});
  EXPECT_NE(full.find("\n  106  Client#1                  sends Ask{1} to Server#0\n"),
            std::string::npos)
      << full;
}

TEST(Report, OfALostWakeUpShowsThatNobodyWaited) {
  RecordingBuilder builder;
  const std::uint64_t mutex = builder.global("mutex");
  const std::uint64_t condition = builder.global("condition");
  const std::uint64_t ready = builder.global("ready", ValueKind::boolean, 1);
  const std::uint64_t creation = builder.line("main", 30, "std::thread waiter(wait_for_it);");
  const std::uint64_t set = builder.line("main", 31, "ready = true;");
  const std::uint64_t notify = builder.line("main", 32, "condition.notify_one();");
  const std::uint64_t joining = builder.line("main", 33, "waiter.join();");
  const std::uint64_t locking = builder.line("wait_for_it", 10, "std::unique_lock lock(mutex);");
  const std::uint64_t test = builder.line("wait_for_it", 11, "if (!ready) condition.wait(lock);");
  builder.task(0);
  builder.task(0, creation);
  builder.event(0, create, 0, 1, {creation});
  builder.event(1, start, 0, 0, {});
  builder.event(1, lock, mutex, 0, {locking});
  builder.event(1, atomic_load, ready, 0, {test}).size = 1;
  builder.event(0, atomic_store, ready, 1, {set}).size = 1;
  builder.event(0, signal, condition, 0, {notify}).flags = step_failed;
  builder.event(1, wait, condition, 0, {test});
  builder.wait(0, join, 1, joining);
  builder.wait(1, wake, condition, test);
  builder.outcome(OutcomeKind::deadlock, 1, "nobody can go on", {test});
  expect_golden("lost_wakeup", report(builder));
}

TEST(Report, OfAUseAfterFreeShowsAllocationAndFree) {
  RecordingBuilder builder;
  const std::uint64_t node = 0x700000;
  const std::uint64_t creation = builder.line("main", 40, "std::thread remover(remove);");
  const std::uint64_t make = builder.line("main", 39, "head = new Node{1, nullptr};");
  const std::uint64_t look = builder.line("main", 41, "return head->value;");
  const std::uint64_t drop = builder.line("remove", 12, "delete head;", "list.cc");
  builder.task(0);
  builder.task(0, creation);
  RecordedAllocation& block = builder.allocation(node, 16, 0, make);
  builder.symbols.heap_parts[0] = {"Node", {".value", 4, ValueKind::signed_integer, false, {}}};
  block.freed_by = task_id(1);
  block.freed_stack = builder.stack({drop});
  builder.event(0, write, node, 1, {make});
  builder.event(0, create, 0, 1, {creation});
  builder.event(1, start, 0, 0, {});
  builder.event(1, release, node, 0, {drop});
  builder.event(1, end, 0, 0, {});
  RecordedOutcome& outcome = builder.outcome(OutcomeKind::use_after_free, 0,
                                             "reads 4 bytes in a freed block of 16 bytes", {look});
  outcome.object = node;
  expect_golden("use_after_free", report(builder));
}

// Two threads in one line, one of them in push_back, the other in clear, on a heap block that a
// global points to; a long path; a thread with a name of its own; a free; orders of atomics.
TEST(Report, NamesTheLibraryTheFreeTheThreadAndThePointer) {
  RecordingBuilder builder;
  const std::string file = "components/message_bus/source/detail/implementation/queue.cc";
  const std::uint64_t block = 0x700000;
  const std::uint64_t flag = builder.global("flag", ValueKind::boolean, 1);
  const std::uint64_t queue = builder.global("queue", ValueKind::pointer, 8);
  const std::uint64_t creation = builder.line("main", 40, "std::thread drainer(drain);", file);
  const std::uint64_t make = builder.line("main", 39, "queue = new Queue;", file);
  const std::uint64_t use = builder.line("work", 7, "done ? delete queue : queue->add(1);", file);
  const std::uint64_t raise = builder.line("main", 41, "flag.store(true, relaxed);", file);
  const std::uint64_t destroy = builder.library("operator delete");
  const std::uint64_t inner = builder.library("std::vector<int>::_M_realloc_insert");
  const std::uint64_t middle = builder.library("std::vector<int>::emplace_back");
  const std::uint64_t outer = builder.library("std::vector<int>::push_back");
  builder.task(0);
  std::strcpy(builder.task(0, creation).name, "drainer");
  builder.allocation(block, 16, 0, make);
  builder.symbols.heap_parts[0] = {"Queue", {".size", 4, ValueKind::signed_integer, false, {}}};
  builder.event(0, write, queue, block, {make}).size = 8;
  builder.event(0, create, 0, 1, {creation});
  builder.event(0, atomic_store, flag, 1, {raise}).size = 1;
  builder.set_order(__ATOMIC_RELAXED);
  builder.event(1, start, 0, 0, {});
  builder.event(1, atomic_load, flag, 1, {use}).size = 1;
  builder.set_order(__ATOMIC_ACQUIRE);
  builder.event(1, atomic_load, flag, 1, {use}).size = 1;
  builder.set_order(__ATOMIC_SEQ_CST);
  builder.event(1, read, block, 0, {inner, middle, outer, use});
  RecordedOutcome& outcome = builder.outcome(
      OutcomeKind::data_race, 0,
      "free by T0 and read by T1 of the same 4 bytes, without synchronisation", {destroy, use});
  outcome.object = block;
  outcome.is_write = true;
  outcome.other_task = task_id(1);
  outcome.other_stack = builder.stack({inner, middle, outer, use});
  expect_golden("in_the_library", report(builder));
}

TEST(Report, CutsAPathButNeverALine) {
  EXPECT_EQ(short_place("queue.cc:41", 20), "queue.cc:41");
  EXPECT_EQ(short_place("source/detail/queue.cc:41", 40), "source/detail/queue.cc:41");
  EXPECT_EQ(short_place("source/detail/queue.cc:41", 24), ".../detail/queue.cc:41");
  EXPECT_EQ(short_place("source/detail/queue.cc:41", 16), ".../queue.cc:41");
  EXPECT_EQ(short_place("source/detail/queue.cc:41", 12), "queue.cc:41");
  EXPECT_EQ(short_place("source/detail/queue.cc:41", 5), "queue.cc:41");
  EXPECT_EQ(short_place("/queue.cc:41", 11), "queue.cc:41");
}

TEST(Report, OfAnyWidthHasEveryLineOfTheTrace) {
  RecordingBuilder builder = race();
  for (auto& [address, frames] : builder.symbols.code) {
    for (Frame& frame : frames) {
      if (frame.is_users) frame.file = "a/rather/long/path/to/the/folder/of/a/test/" + frame.file;
    }
  }
  for (const int width : {40, 60, 80, 100, 200}) {
    const std::string text = report(builder, {.width = width});
    for (const char* place : {"test.cc:20", "test.cc:21", "test.cc:12"}) {
      EXPECT_NE(text.find(place), std::string::npos) << place << " in " << width << "\n" << text;
    }
  }
}

TEST(Report, OfAUseAfterFreeThatIsARaceSaysSoAtTheEnd) {
  RecordingBuilder builder;
  const std::uint64_t look = builder.line("main", 41, "return head->value;");
  builder.task(0);
  RecordedOutcome& outcome = builder.outcome(
      OutcomeKind::use_after_free, 0,
      std::string("reads 4 bytes in a freed block of 16 bytes") + not_ordered, {look});
  outcome.object = 0x700000;
  const std::string text = report(builder, {.width = 200});
  EXPECT_EQ(text.substr(0, text.find('\n')),
            std::string("use after free: T0 reads 4 bytes in a freed block of 16 bytes at "
                        "test.cc:41") +
                not_ordered);
}

TEST(Report, OfACrashShowsStackAndOutput) {
  RecordingBuilder builder;
  const std::uint64_t inner = builder.line("Queue::pop", 7, "return head->value;", "queue.h");
  const std::uint64_t outer = builder.line("consumer", 22, "use(queue.pop());");
  const std::uint64_t library = builder.library("std::invoke");
  builder.task(0);
  builder.event(0, yield, 0, 0, {outer});
  builder.outcome(OutcomeKind::crash, 0,
                  "segmentation fault (signal 11) at address 0x8, a null pointer",
                  {inner, library, outer, library});
  ReportInput input;
  input.output = "starting\nitem 1\n\x1b[31mred\x1b[0m\n";
  expect_golden("crash", report(builder, {}, input));
}

TEST(Report, FoldsWhatRepeatsAndCutsTheMiddle) {
  RecordingBuilder builder;
  const std::uint64_t flag = builder.global("flag", ValueKind::boolean, 1);
  const std::uint64_t counter = builder.global("counter", ValueKind::signed_integer, 4);
  const std::uint64_t creation = builder.line("main", 20, "std::thread spinner(spin);");
  const std::uint64_t spin = builder.line("spin", 5, "while (!flag) continue;");
  const std::uint64_t up = builder.line("main", 22, "++counter;");
  const std::uint64_t down = builder.line("main", 23, "counter -= 2;");
  const std::uint64_t check = builder.line("main", 30, "assert(counter == 0);");
  builder.task(0);
  builder.task(0, creation);
  builder.event(0, create, 0, 1, {creation});
  builder.event(1, start, 0, 0, {});
  for (int i = 0; i < 40; ++i) builder.event(1, atomic_load, flag, 0, {spin}).size = 1;
  builder.event(1, atomic_load, counter, 0, {spin});
  builder.event(0, atomic_store, flag, 1, {creation}).size = 1;
  for (std::uint32_t i = 0; i < 298; ++i) {
    builder.event(i % 2, atomic_update, counter, i, {i % 2 == 0 ? up : down});
  }
  builder.outcome(OutcomeKind::assertion, 0,
                  "assertion `counter == 0' failed in int main() (test.cc:30)", {check});
  expect_golden("folded", report(builder));
  ReportInput full;
  full.full = true;
  EXPECT_NE(report(builder, {}, full).find("   342 "), std::string::npos);
}

TEST(Report, OfALivelockShowsThePartThatRepeats) {
  RecordingBuilder builder;
  const std::uint64_t a = builder.global("left");
  const std::uint64_t b = builder.global("right");
  const std::uint64_t mine = builder.line("polite", 8, "mine.lock();");
  const std::uint64_t other = builder.line("polite", 9, "if (other.try_lock()) break;");
  const std::uint64_t back = builder.line("polite", 10, "mine.unlock();");
  builder.task(0);
  builder.task(0, mine);
  for (int i = 0; i < 30; ++i) {
    builder.event(0, lock, a, 0, {mine});
    builder.event(1, lock, b, 0, {mine});
    builder.event(0, try_lock, b, 0, {other}).flags = step_failed;
    builder.event(1, try_lock, a, 0, {other}).flags = step_failed;
    builder.event(0, unlock, a, 0, {back});
    builder.event(1, unlock, b, 0, {back});
  }
  builder.period = 6;
  builder.outcome(OutcomeKind::livelock, 0, "the same 6 steps repeat forever", {});
  expect_golden("livelock", report(builder));
}

TEST(Report, OfManyThreadsHasNoLanes) {
  RecordingBuilder builder;
  const std::uint64_t lock_object = builder.global("mutex");
  const std::uint64_t creation = builder.line("main", 20, "threads.emplace_back(work);");
  const std::uint64_t working = builder.line("work", 10, "std::lock_guard guard(mutex);");
  const std::uint64_t check = builder.line("main", 30, "assert(false);");
  builder.task(0);
  for (std::uint32_t i = 1; i <= 15; ++i) {
    builder.task(0, creation);
    builder.event(0, create, 0, i, {creation});
  }
  for (std::uint32_t i = 1; i <= 15; ++i) builder.event(i, lock, lock_object, 0, {working});
  builder.outcome(OutcomeKind::assertion, 0, "assertion `false' failed", {check});
  expect_golden("many_threads", report(builder));
}

TEST(Report, NamesValuesByTheirTypes) {
  RecordingBuilder builder;
  const std::uint64_t place = builder.line("main", 1, "use(x);");
  builder.task(0);
  builder.task(0, place);
  const auto show = [&](const char* name, ValueKind kind, std::uint8_t size, std::uint64_t value) {
    const std::uint64_t object = builder.global(name, kind, size);
    if (kind == ValueKind::enumeration)
      builder.symbols.globals[object].enumerators = {{2, "green"}};
    builder.event(0, atomic_store, object, value, {place}).size = size;
    builder.event(1, atomic_load, object, value, {place}).size = size;
  };
  show("flag", ValueKind::boolean, 1, 1);
  show("letter", ValueKind::character, 1, 'x');
  show("offset", ValueKind::signed_integer, 4, 0xffffffff);
  show("count", ValueKind::unsigned_integer, 4, 0xffffffff);
  show("ratio", ValueKind::floating, 8, 0x3ff8000000000000);
  show("next", ValueKind::pointer, 8, 0);
  show("colour", ValueKind::enumeration, 4, 2);
  show("bits", ValueKind::unknown, 8, 0xfffffffffffffffe);
  const std::uint64_t list = builder.global("list");
  builder.symbols.globals[list].is_internal = true;
  builder.event(0, write, list, 12345678, {place}).size = 8;
  builder.event(1, read, list, 12345678, {place}).size = 8;
  builder.outcome(OutcomeKind::exit, 0, "the program ended with status 3", {place});
  expect_golden("values", report(builder));
}

}  // namespace
}  // namespace ricercar::inline report
