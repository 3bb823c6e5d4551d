// The running execution of the threads world: puts its parts together. The scheduler decides, the
// carriers run the tasks, detectors look on, and the end says what came of it. The primitives
// (mutex.cc, condition.cc, ...) say what an operation needs and does; what they keep for themselves
// is the program's (threads/program_state.h).
//
// One instance, because the C hooks need one. Everything runs on one kernel thread (the threads
// backend hands over so that one runs at a time).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/options.h"
#include "model/outcome.h"
#include "model/trace.h"
#include "threads/accesses.h"
#include "threads/carriers.h"
#include "threads/end_of_execution.h"
#include "threads/memory/memory_state.h"
#include "threads/program_state.h"
#include "threads/round_watch.h"
#include "threads/scheduler.h"
#include "threads/sync_objects.h"

namespace ricercar::inline threads {

class Recorder;

struct ExecutionOptions : ScheduleOptions {
  Backend backend = Backend::fibers;
  bool whole_program = false;
  bool is_node = false;             // of a cluster: others may go on at any point
  bool contexts = false;            // note for each step where it was called from
  OpenTrace* open_trace = nullptr;  // the caller's; null: the trace dies with the process

  bool points_at(Points level) const { return points >= level; }
  // Races say where points are, even if they are no bugs.
  bool looks_for_races() const { return races || points == Points::racy; }
};

class Execution : private Scheduler {
 public:
  explicit Execution(ProgramState& program) : program_(program) {}

  // --- The parts. ---

  Scheduler& scheduler() { return *this; }
  using Scheduler::clock;
  using Scheduler::steps;
  using Scheduler::tasks;
  using Scheduler::turns;
  Accesses accesses;
  Carriers carriers{task_entry};
  EndOfExecution end;
  SyncObjects objects;

  // --- For the search, outside of an execution. ---

  void configure(const ExecutionOptions& options);
  const ExecutionOptions& options() const { return options_; }
  // Runs body(argument) as the main thread of one execution under the strategy's decisions.
  const Outcome& run(Strategy& strategy, void* (*body)(void*), void* argument);
  bool active() const { return active_; }
  void set_recorder(Recorder* recorder);
  Recorder* recorder() const { return recorder_; }
  // How far executions are told from now on, if they go round for ever.
  void tell_up_to(EndlessEnd told) { told_ = told; }
  EndlessEnd told() const { return told_; }
  // What the tasks that had not ended would have done next.
  std::vector<Step> left() const;
  // Fails if the state of the search itself is broken.
  void check_invariants();

  // --- For the primitives, inside of an execution. ---

  Task& self() { return tasks.current(); }

  // Announces the running task's next operation and returns when the search has chosen it. The
  // caller then performs it; nothing else runs in between.
  void point(OperationKind kind, const void* object, std::uint64_t site, std::uint8_t size = 0) {
    point_at(kind, one_address(reinterpret_cast<std::uint64_t>(object)), site, size);
  }
  // The same for memory that is known by its only address (one_address).
  void point_at(OperationKind kind, std::uint64_t object, std::uint64_t site,
                std::uint8_t size = 0) {
    tasks.announce(self().id, {object, site, kind, size});
    reschedule();
  }
  // A step in which nothing is decided: create, join, initialise, ...
  Step& note(OperationKind kind, const void* object, std::uint64_t site, std::uint64_t value = 0);
  // A value choice among n >= 1 alternatives for the running task.
  std::uint32_t choose_value(std::uint32_t n, OperationKind kind, const void* object,
                             std::uint64_t site);

  TaskId new_task(TaskId creator, void* (*routine)(void*), void* argument, std::size_t stack_size);
  [[noreturn]] void end_task();
  // Ends the execution. Never returns to the task that calls it.
  [[noreturn]] void fail(Outcome outcome);
  [[noreturn]] void fail(OutcomeKind kind, std::string message, std::uint64_t site,
                         const void* object = nullptr);
  [[noreturn]] void finish();
  // Ends the execution, unless it goes on through such a finding.
  void found(Outcome outcome);

  // Null: nobody looks for races.
  RaceDetector* races() { return options_.looks_for_races() ? &accesses.race_detector : nullptr; }

 private:
  static constexpr std::uint64_t short_execution = 40;  // steps

  void reset();
  void inherit(Task& task);
  void reschedule();
  Task* next_task();
  Task* next_to_advance();
  void receive_signals(Task& self);
  void note_more(const Task& task);
  void pass_obstacle();
  void get_unstuck();
  [[noreturn]] void cut();
  void limit_reached();
  std::uint64_t period_at_limit() const;
  void watch_round();
  void leave_round();
  void name_late_signals();
  [[noreturn]] void judge_round();
  bool leaves_nobody_out(Trace round) const;
  std::string describe_round(Trace round);
  [[noreturn]] static void task_entry();

  bool active_ = false;
  bool notes_more_ = false;  // of every step: contexts, heap
  bool body_ended_ = false;
  Recorder* recorder_ = nullptr;
  ExecutionOptions options_;
  EndlessEnd told_;
  std::uint64_t steps_before_ = 0;  // of the last execution
  RoundWatch round_watch_{*this};
  ProgramState& program_;
};

extern Execution execution;

// As `point`, for a wait that no decision ends: somebody calls `advance` for the task, or its
// deadline comes (then it returns true).
bool wait_to_advance(OperationKind kind, const void* object, std::uint64_t site);
// The running task is about to wait for a lock that is taken. Fails with a deadlock if that closes
// a circle of owners.
void look_for_cycle(OperationKind kind, const void* object, std::uint64_t site);

// The address after the call of a hook: the site of the operation that it announces.
#define RICERCAR_SITE() reinterpret_cast<std::uint64_t>(__builtin_return_address(0))

}  // namespace ricercar::inline threads
