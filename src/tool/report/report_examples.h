// Hand-made recordings that several tests report.
#pragma once

#include <string>
#include <vector>

#include "model/schedule.h"
#include "report/build.h"
#include "report/recording_builder.h"

namespace ricercar::examples {

inline Schedule schedule_for(const Recording& recording) {
  Schedule schedule;
  schedule.program = "/home/somebody/queue_test";
  schedule.arguments = {"--items", "3"};
  schedule.strategy = "random";
  schedule.kind = info(recording.outcome.kind).name;
  schedule.message = recording.outcome.message;
  schedule.execution = 1234;
  return schedule;
}

// A race on a counter: the second thread writes while it holds `mutex`; the first one has read
// while it held `other`, and had given `mutex` back.
inline RecordingBuilder race_with_a_lock() {
  using enum OperationKind;
  RecordingBuilder builder;
  const std::uint64_t mutex = builder.global("mutex");
  const std::uint64_t counter = builder.global("counter", ValueKind::signed_integer, 4);
  const std::uint64_t create_one = builder.line("main", 20, "std::thread one(look);");
  const std::uint64_t create_two = builder.line("main", 21, "std::thread two(increment);");
  const std::uint64_t other = builder.global("other");
  const std::uint64_t lock_both = builder.line("look", 6, "std::scoped_lock guard(mutex, other);");
  const std::uint64_t give_back = builder.line("look", 7, "mutex.unlock();");
  const std::uint64_t look = builder.line("look", 8, "return counter;");
  const std::uint64_t locking = builder.line("increment", 11, "std::lock_guard guard(mutex);");
  const std::uint64_t change = builder.line("increment", 12, "counter = counter + 1;");
  const std::uint64_t invoke = builder.library("std::invoke");
  builder.task(0);
  builder.task(0, create_one);
  builder.task(0, create_two);
  builder.event(0, create, 0, 1, {create_one});
  builder.event(0, create, 0, 2, {create_two});
  builder.event(1, start, 0, 0, {});
  builder.event(1, lock, mutex, 0, {lock_both, invoke});
  builder.event(1, try_lock, other, 0, {lock_both, invoke});
  builder.event(1, unlock, mutex, 0, {give_back, invoke});
  builder.event(1, read, counter, 5, {look, invoke});
  builder.event(1, unlock, other, 0, {look, invoke});
  builder.event(2, start, 0, 0, {}).flags = step_preempts;
  builder.event(2, lock, mutex, 0, {locking, invoke});
  builder.event(2, read, counter, 5, {change, invoke});
  builder.hold(2, mutex, locking);
  RecordedOutcome& outcome = builder.outcome(
      OutcomeKind::data_race, 2,
      "write by T2 and read by T1 of the same 4 bytes, without synchronisation", {change, invoke});
  outcome.object = counter;
  outcome.is_write = true;
  outcome.other_task = task_id(1);
  outcome.other_site = look;
  outcome.other_stack = builder.stack({look, invoke});
  return builder;
}

// Two threads that take two locks in different orders, and main, which waits for one of them.
inline RecordingBuilder deadlock() {
  using enum OperationKind;
  RecordingBuilder builder;
  const std::uint64_t a = builder.global("accounts[0].lock");
  const std::uint64_t b = builder.global("accounts[1].lock");
  const std::uint64_t create_one = builder.line("main", 30, "std::thread one(transfer, 0, 1);");
  const std::uint64_t create_two = builder.line("main", 31, "std::thread two(transfer, 1, 0);");
  const std::uint64_t joining = builder.line("main", 32, "one.join();");
  const std::uint64_t first =
      builder.line("transfer", 10, "std::lock_guard from_guard(from.lock);");
  const std::uint64_t second = builder.line("transfer", 11, "std::lock_guard to_guard(to.lock);");
  builder.task(0);
  builder.task(0, create_one);
  builder.task(0, create_two);
  builder.event(0, create, 0, 1, {create_one});
  builder.event(0, create, 0, 2, {create_two});
  builder.event(1, start, 0, 0, {});
  builder.event(1, lock, a, 0, {first});
  builder.event(2, start, 0, 0, {}).flags = step_preempts;
  builder.event(2, lock, b, 0, {first});
  builder.hold(1, a, first);
  builder.hold(2, b, first);
  builder.wait(0, join, 1, joining);
  builder.wait(1, lock, b, second);
  builder.wait(2, lock, a, second);
  builder.outcome(OutcomeKind::deadlock, 2, "nobody can go on", {second});
  return builder;
}

// Two machines that talk, and a timer. The texts last as long as the program.
class MachineRecording {
 public:
  std::vector<RecordedAct> acts = {
      {.kind = ActKind::start, .machine = 0, .state = "Serving"},
      {.kind = ActKind::start, .machine = 1, .state = "Asking"},
      {ActKind::send, 1, 0, "Ask{1}"},
      {ActKind::send, 1, 0, "Ask{2}"},
      {ActKind::start_timer, 1, 2, "Late{}"},
      {ActKind::send, 1, 0, "Ask{1}"},
      {.kind = ActKind::handle, .machine = 0, .event = "Ask{2}", .state = "Serving"},
      {.kind = ActKind::choose, .machine = 0, .chosen = 1, .options = 2},
      {.kind = ActKind::handle, .machine = 0, .event = "Ask{1}", .state = "Serving"},
      {ActKind::fire, 2, 1, "Late{}"},
      {.kind = ActKind::receive, .machine = 1, .event = "Late{}", .state = "Asking"},
      {ActKind::crash, 1, 0},
      {ActKind::restart, 1, 0},
      {.kind = ActKind::start, .machine = 0, .state = "Serving"},
      {ActKind::send, 1, 0, "Ask{1}"},
      {.kind = ActKind::handle, .machine = 0, .event = "Ask{1}", .state = "Serving"},
  };
  std::vector<RecordedMachine> machines = {
      {0, MachinePhase::running, "Server#0", "Serving", "{1}", " Ask{3} Ask{4}"},
      {1, MachinePhase::halted, "Client#1", "", "", ""},
      {2, MachinePhase::timer, "timer of Client#1 (Late)", "", "", ""},
  };

  std::vector<RecordedCondition> conditions = {
      {1, 0, "Serving", "{0}"},  {2, 1, "Asking", "{\"a\"}"}, {8, 0, "Serving", "{2}"},
      {9, 0, "Serving", "{3}"},  {12, 0, "", "{0}"},          {14, 0, "Serving", "{0}"},
      {16, 0, "Waiting", "{1}"},
  };

  Recording build() {
    Recording recording{};
    recording.world = WorldKind::machines;
    recording.outcome = RecordingBuilder().outcome(OutcomeKind::unhandled_event, 0,
                                                   "Server#0 does not handle Ask{1}", {});
    recording.steps = 40;
    recording.acts = {acts.data(), acts.size()};
    recording.machines = {machines.data(), machines.size()};
    recording.conditions = {conditions.data(), conditions.size()};
    return recording;
  }
};

inline Report report_of(const Recording& recording, Symbols& symbols, bool full = false) {
  const Schedule schedule = schedule_for(recording);
  ReportInput input;
  input.recording = &recording;
  input.schedule = &schedule;
  input.schedule_path = "ricercar-out/bug-1.json";
  input.full = full;
  return build_report(input, symbols);
}

inline Report report_of(RecordingBuilder& builder, bool full = false) {
  return report_of(builder.build(), builder.symbols, full);
}

inline Report report_of(MachineRecording& machines, bool full = false) {
  FakeSymbols none;
  return report_of(machines.build(), none, full);
}

}  // namespace ricercar::examples
