// The running execution of the threads world: puts its parts together. The scheduler decides, the
// carriers run the tasks, detectors look on, and the end says what came of it. The primitives
// (mutex.cc, condition.cc, ...) say what an operation needs and does.
//
// One instance, because the C hooks need one. Everything runs on one kernel thread (the threads
// backend hands over so that one runs at a time).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "detect/data_race.h"
#include "model/options.h"
#include "model/outcome.h"
#include "model/trace.h"
#include "threads/carriers.h"
#include "threads/end_of_execution.h"
#include "threads/heap_uses.h"
#include "threads/long_run.h"
#include "threads/memory/aliases.h"
#include "threads/program_state.h"
#include "threads/round_watch.h"
#include "threads/scheduler.h"
#include "threads/sharing.h"
#include "threads/sync_objects.h"

namespace ricercar::inline threads {

class Recorder;

struct ExecutionOptions : ScheduleOptions {
  Backend backend = Backend::fibers;
  bool whole_program = false;
  bool contexts = false;            // note for each step where it was called from
  OpenTrace* open_trace = nullptr;  // the caller's; null: the trace dies with the process
};

class Execution {
 public:
  explicit Execution(ProgramState& program) : program_(program) {}

  // --- The parts. ---

  Scheduler& scheduler() { return scheduler_; }
  Tasks& tasks() { return scheduler_.tasks; }
  const Tasks& tasks() const { return scheduler_.tasks; }
  Turns& turns() { return scheduler_.turns; }
  const Turns& turns() const { return scheduler_.turns; }
  VirtualClock& clock() { return scheduler_.clock; }
  Carriers& carriers() { return carriers_; }
  EndOfExecution& end() { return end_; }
  RaceDetector& race_detector() { return race_detector_; }
  SyncObjects& objects() { return objects_; }
  Sharing& sharing() { return sharing_; }

  // --- For the search, outside of an execution. ---

  void configure(const ExecutionOptions& options);
  const ExecutionOptions& options() const { return options_; }
  // Runs body(argument) as the main thread of one execution under the strategy's decisions.
  const Outcome& run(Strategy& strategy, void* (*body)(void*), void* argument);
  bool active() const { return active_; }
  Trace trace() const { return scheduler_.steps.trace(); }
  // What happened to the heap, if the strategy wants to know.
  HeapTrace heap() const { return heap_uses_.all(); }
  // ExecutionOptions::contexts: of each step of the trace.
  std::span<const ContextId> contexts() const { return std::span(contexts_).first(trace().size()); }
  void set_recorder(Recorder* recorder);
  Recorder* recorder() const { return recorder_; }
  // After an execution without a bug: the first thread that ended and was neither joined nor
  // detached.
  Outcome leaked_thread() const;
  // What the tasks that had not ended would have done next.
  std::vector<Step> left() const;
  // Ends it now, without a verdict.
  [[noreturn]] void stop();
  // Called instead of going back to the search when an execution ends (the threads backend).
  void (*finish_hook)() = nullptr;
  // Fails if the state of the search itself is broken.
  void check_invariants();

  // --- For the primitives, inside of an execution. ---

  Task& self() { return scheduler_.tasks.current(); }
  Task& task(TaskId id) { return scheduler_.tasks[id]; }
  std::uint32_t task_count() const { return scheduler_.tasks.count(); }
  // Only one task is alive: what it does cannot be interleaved with anything.
  bool alone() const { return scheduler_.tasks.live() == 1; }

  // Announces the running task's next operation and returns when the search has chosen it. The
  // caller then performs it; nothing else runs in between.
  void point(OperationKind kind, const void* object, std::uint64_t site, std::uint8_t size = 0) {
    point_at(kind, one_address(reinterpret_cast<std::uint64_t>(object)), site, size);
  }
  // The same for memory that is known by its only address (one_address).
  void point_at(OperationKind kind, std::uint64_t object, std::uint64_t site,
                std::uint8_t size = 0) {
    tasks().announce(self().id, {object, site, kind, size});
    reschedule();
  }
  // As `point`, for a wait that no decision ends: somebody calls `advance` for the task, or its
  // deadline comes (then it returns true).
  bool wait_to_advance(OperationKind kind, const void* object, std::uint64_t site);
  // Runs a waiting task to its next point before the next decision: nothing that others see happens
  // until then, so there is nothing to decide.
  void advance(TaskId id) { turns().advance(id); }

  void enable(TaskId id) { turns().enable(id); }
  void disable(TaskId id) { turns().disable(id); }
  void enable(const TaskSet& tasks) { turns().enable(tasks); }
  void disable(const TaskSet& tasks) { turns().disable(tasks); }

  // A step in which nothing is decided: create, join, initialise, ...
  Step& note(OperationKind kind, const void* object, std::uint64_t site, std::uint64_t value = 0);
  // The address of an object as steps name it.
  std::uint64_t name_of(std::uint64_t address) const { return heap_move_.undo(address); }
  // The step that the running task performs now.
  Step& step() { return scheduler_.steps.last(); }

  // A value choice among n >= 1 alternatives for the running task.
  std::uint32_t choose_value(std::uint32_t n, OperationKind kind, const void* object,
                             std::uint64_t site);

  // What happens now depends on the order of all such things (StepList::touches_world).
  void touches_world() { scheduler_.steps.touches_world(); }
  void set_deadline(Task& task, std::uint64_t nanoseconds);
  void clear_deadline(Task& task);
  // The running task gives way: it is not chosen again before others had a chance (fairness).
  void yielded() { turns().yielded(tasks(), self(), scheduler_.steps.size()); }
  void memory_written() { turns().written(self()); }

  TaskId new_task(TaskId creator, void* (*routine)(void*), void* argument, std::size_t stack_size);
  [[noreturn]] void end_task();
  // Ends the execution. Never returns to the task that calls it.
  [[noreturn]] void fail(Outcome outcome);
  [[noreturn]] void fail(OutcomeKind kind, std::string message, std::uint64_t site,
                         const void* object = nullptr);
  [[noreturn]] void finish();
  // Ends the execution, unless it goes on through such a finding.
  void found(Outcome outcome);
  // A short cut for races: true if the execution goes on.
  bool passes_race(std::uint64_t site, std::uint64_t other_site);
  // The running task is about to wait for a lock that is taken. Fails with a deadlock if that
  // closes a circle of owners.
  void look_for_cycle(OperationKind kind, const void* object, std::uint64_t site);

  bool points_at(Points level) const { return options_.points >= level; }
  RaceDetector* races() { return options_.races ? &race_detector_ : nullptr; }
  // Whether a plain access can be part of a race. What happens before a second task is created, or
  // after all others were joined, is ordered with everything: it need not even be noted.
  bool looks_for_races() const { return looks_for_races_; }
  void all_joined() { looks_for_races_ = false; }
  // What was there is gone: what comes to these addresses next is new.
  void memory_ended(std::uint64_t address, std::uint64_t size);

  // --- For accesses to memory. ---

  // A plain access comes that may be a point: whether it is one.
  bool looks_at(std::uint64_t address, std::uint32_t size, bool is_write) {
    last_access_is_point_ =
        options_.points == Points::memory || sharing_.is_point(self().id, address, size, is_write);
    return last_access_is_point_;
  }
  // The plain access that happens now has a step of its own.
  bool access_is_step() const {
    return points_at(Points::shared) && !alone() && last_access_is_point_;
  }
  // An access that is no point (LongRun). `may_spin`: it is a read of instrumented code.
  void count_uninterrupted(std::uint64_t site, bool may_spin = false) {
    if (__builtin_expect(long_run_.count(), 0)) look_at_long_run(site, may_spin);
  }
  void count_atomic(std::uint64_t site) {
    if (__builtin_expect(long_run_.count_atomic(), 0)) look_at_long_run(site, false);
  }
  // The same as count_uninterrupted. False: it is time to look.
  bool counts_quietly() { return long_run_.counts_quietly(); }
  // So many plain accesses that are no points the execution has made.
  std::uint64_t plain_accesses() const {
    return scheduler_.steps.open().plain_accesses + long_run_.accesses();
  }
  // Plain accesses are no points, and nobody but the detectors wants to know of them.
  bool has_quiet_accesses() const { return quiet_accesses_; }
  bool anybody_spins() const { return scheduler_.turns.anybody_spins(); }
  // Before a plain read that is a point: whether the running task spins. What code that is not
  // instrumented does in such a loop is not seen, so spinning there proves no livelock.
  void check_plain_spin(std::uint64_t site);

  // A number for the access that happens now: that of the recorder, or where the running task was
  // called from, if that is noted.
  std::uint64_t event_number() const { return event_; }
  void set_event_context(ContextId context) { event_ = context; }
  // What the race detector is told of next; only while there is a recorder.
  void record_access(std::uint64_t address, std::uint32_t size, bool is_write, std::uint64_t site);
  void record_atomic(int order, std::uint64_t site);
  void record_heap(bool allocated, std::uint64_t address, std::uint64_t size, std::uint64_t site);
  void record_place(std::uint64_t site);
  // Somebody wants to know of every plain access.
  bool watches_accesses() const { return watches_accesses_; }
  void note_plain_access(std::uint64_t address, std::uint32_t size, bool is_write,
                         std::uint64_t site);
  // The running task uses memory, or frees a block.
  void note_use(std::uint64_t address) {
    if (notes_heap_) use_heap(self(), address);
  }
  void block_freed(std::uint64_t address, std::uint64_t size);
  // Whether anything depends on what is allocated and freed.
  bool wants_heap_events() const {
    return options_.races || !quiet_accesses_ || objects_.any_in_heap();
  }

 private:
  static constexpr std::uint64_t short_execution = 40;  // steps

  void reset();
  void inherit(Task& task);
  void reschedule();
  Task* decide();
  Task* next_to_advance();
  void receive_signals(Task& self);
  void note_more(const Task& task);
  void use_heap(const Task& task, std::uint64_t address);
  void look_at_long_run(std::uint64_t site, bool may_spin);
  void look_for_plain_spin(std::uint64_t site);
  void begin_uninterrupted() {
    scheduler_.steps.open().plain_accesses += long_run_.accesses();
    long_run_.restart();
  }
  void give_way(std::uint64_t site);
  void pass_obstacle();
  void get_unstuck();
  [[noreturn]] void cut();
  void limit_reached();
  void watch_round();
  void leave_round();
  void name_late_signals();
  [[noreturn]] void judge_round();
  bool leaves_nobody_out(Trace round) const;
  std::string describe_round(Trace round);
  [[noreturn]] static void task_entry();

  // Hot: touched at every step.
  Scheduler scheduler_;
  LongRun long_run_;
  std::uint64_t event_ = 0;  // see event_number
  bool last_access_is_point_ = false;
  bool notes_more_ = false;  // of every step: contexts, heap
  bool notes_heap_ = false;
  bool watches_accesses_ = false;
  bool quiet_accesses_ = false;
  bool looks_for_races_ = false;
  bool active_ = false;
  bool body_ended_ = false;
  Recorder* recorder_ = nullptr;
  ExecutionOptions options_;

  std::uint64_t steps_before_ = 0;  // of the last execution
  Carriers carriers_{task_entry};
  EndOfExecution end_;
  RoundWatch round_watch_{scheduler_};
  ProgramState& program_;
  SyncObjects objects_;
  RaceDetector race_detector_;
  Sharing sharing_;
  HeapUses heap_uses_;
  HeapMove heap_move_;
  std::vector<ContextId> contexts_;
};

extern Execution execution;

// The address after the call of a hook: the site of the operation that it announces.
#define RICERCAR_SITE() reinterpret_cast<std::uint64_t>(__builtin_return_address(0))

}  // namespace ricercar::inline threads
