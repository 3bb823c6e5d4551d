// The running execution of the threads world: its tasks, what each would do next, which of them
// can, and the trace. The primitives (mutex.cc, condition.cc, ...) say what an operation needs and
// does; this class asks the strategy and switches.
//
// One instance, because the C hooks need one. Everything runs on one kernel thread (the threads
// backend hands over so that one runs at a time).
#pragma once

#include <cstdint>
#include <exception>
#include <span>
#include <string>
#include <vector>

#include "check/data_race.h"
#include "model/choice.h"
#include "model/open_trace.h"
#include "model/options.h"
#include "model/outcome.h"
#include "model/trace.h"
#include "model/trace_hash.h"
#include "strategy/strategy.h"
#include "threads/clock.h"
#include "threads/finding_filter.h"
#include "threads/heap_uses.h"
#include "threads/memory/aliases.h"
#include "threads/round_watch.h"
#include "threads/sharing.h"
#include "threads/sync_objects.h"
#include "threads/task.h"

namespace ricercar {

class Recorder;

struct ExecutionOptions {
  Points points = Points::atomic;
  Backend backend = Backend::fibers;
  bool races = true;
  bool spurious_wakeups = false;
  bool weak_failures = false;
  bool whole_program = false;
  bool contexts = false;  // note for each step where it was called from
  std::uint64_t max_steps = 100000;
  std::uint64_t seed = 1;
  OpenTrace* open_trace = nullptr;  // the caller's; null: the trace dies with the process
};

// How many steps an execution may write at most: it goes past the limit by the steps in which
// nothing is decided.
constexpr std::uint64_t trace_room(std::uint64_t max_steps) { return max_steps + (1 << 16); }

class Execution {
 public:
  // --- For the search, outside of an execution. ---

  void configure(const ExecutionOptions& options);
  const ExecutionOptions& options() const { return options_; }
  // Runs body(argument) as the main thread of one execution under the strategy's decisions.
  const Outcome& run(Strategy& strategy, void* (*body)(void*), void* argument);
  Trace trace() const { return {steps_, step_count_}; }
  // What happened to the heap, if the strategy wants to know.
  HeapTrace heap() const { return heap_uses_.all(); }
  // Findings that the execution goes on through; without a filter there are none. The filter stays
  // the caller's.
  void set_finding_filter(FindingFilter* filter) { finding_filter_ = filter; }
  // How many there were so far.
  std::uint64_t passed() const { return passed_; }
  // Some tasks have waited for each other, and the execution went on without them. If nothing else
  // went wrong, that is its outcome.
  struct Circle {
    std::uint64_t steps = 0;   // before it closed; 0: there was none
    std::uint64_t passed = 0;  // findings before it
    Outcome outcome;
  };
  const Circle& circle() const { return circle_; }
  bool ended_in_circle() const { return ended_in_circle_; }
  // ExecutionOptions::contexts: of each step of the trace, and of a task that has not ended.
  std::span<const ContextId> contexts() const { return std::span(contexts_).first(step_count_); }
  ContextId context(TaskId id) const { return tasks_[index(id)].context; }
  void set_recorder(Recorder* recorder);
  Recorder* recorder() const { return recorder_; }
  bool active() const { return active_; }
  // Before any execution: the handle that the task of this number will have in every one of them.
  pthread_t reserve_slot(TaskId id, Backend backend, std::size_t stack_size);
  // After an execution without a bug: the first thread that ended and was neither joined nor
  // detached.
  Outcome leaked_thread() const;
  // Makes the lenders of so many tasks, so that forked children need not.
  void prepare_lenders(std::uint32_t tasks);
  // What the tasks that had not ended would have done next.
  std::vector<Step> left() const;
  // What the strategy threw in the last execution, or nothing.
  const std::string& strategy_error() const { return strategy_error_; }
  // It threw because the program did not behave as before under the same decisions.
  bool was_nondeterministic() const { return was_nondeterministic_; }
  bool is_blocked(TaskId id) const { return !ready_.contains(id) && !due_.contains(id); }
  bool reached_step_limit() const { return reached_step_limit_; }
  std::uint64_t livelock_period() const { return livelock_period_; }
  // Ends the execution soon; safe to call from a signal handler.
  void ask_to_stop() { step_limit_ = 0; }
  // Ends it now, without a verdict.
  [[noreturn]] void stop();
  // The strategy ended the last execution, because it was of no use any more.
  bool was_cut() const { return was_cut_; }
  // The last execution was ended before it had come to its own end: it says nothing.
  bool was_stopped() const { return was_stopped_; }
  // Called instead of going back to the search when an execution ends (the threads backend).
  void (*finish_hook)() = nullptr;

  // --- For the primitives, inside of an execution. ---

  Task& self() { return *current_; }
  Task& task(TaskId id) { return tasks_[index(id)]; }
  std::uint32_t task_count() const { return task_count_; }
  const Operation& pending(TaskId id) const { return pending_[index(id)]; }
  void set_pending(TaskId id, OperationKind kind, std::uint64_t object, std::uint64_t site) {
    pending_[index(id)] = {object, site, kind, 0};
  }

  // Announces the running task's next operation and returns when the search has chosen it. The
  // caller then performs it; nothing else runs in between.
  void point(OperationKind kind, const void* object, std::uint64_t site, std::uint8_t size = 0) {
    point_at(kind, one_address(reinterpret_cast<std::uint64_t>(object)), site, size);
  }
  // The same for memory that is known by its only address (one_address).
  void point_at(OperationKind kind, std::uint64_t object, std::uint64_t site,
                std::uint8_t size = 0) {
    pending_[index(current_->id)] = {object, site, kind, size};
    reschedule();
  }
  // As `point`, for a wait that no decision ends: somebody calls `advance` for the task, or its
  // deadline comes (then it returns true).
  bool wait_to_advance(OperationKind kind, const void* object, std::uint64_t site);
  // Runs a waiting task to its next point before the next decision: nothing that others see happens
  // until then, so there is nothing to decide.
  void advance(TaskId id);

  void enable(TaskId id) { ready_.insert(id); }
  void disable(TaskId id) { ready_.erase(id); }
  void enable(const TaskSet& tasks) { ready_.add(tasks); }
  void disable(const TaskSet& tasks) { ready_.remove(tasks); }

  // A step in which nothing is decided: create, join, initialise, ...
  Step& note(OperationKind kind, const void* object, std::uint64_t site, std::uint64_t value = 0);
  // The address of an object as steps name it.
  std::uint64_t name_of(std::uint64_t address) const { return heap_move_.undo(address); }
  // The step that the running task performs now.
  Step& step() { return steps_[step_count_ - 1]; }

  // A value choice among n >= 1 alternatives for the running task.
  std::uint32_t choose_value(std::uint32_t n, OperationKind kind, const void* object,
                             std::uint64_t site);

  // Virtual time.
  VirtualClock& clock() { return clock_; }
  // What happens now depends on the order of all such things: the clock is asked, a random number
  // is drawn.
  void touches_world() {
    if (slot_ != nullptr) slot_->flags |= step_world;
  }
  void set_deadline(Task& task, std::uint64_t nanoseconds);
  void clear_deadline(Task& task);
  // The running task gives way: it is not chosen again before others had a chance (fairness).
  void yielded();

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

  bool points_at(Points level) const { return options_.points >= level; }
  RaceDetector* races() { return options_.races ? &race_detector_ : nullptr; }
  // Whether a plain access can be part of a race. What happens before a second task is created, or
  // after all others were joined, is ordered with everything: it need not even be noted.
  bool looks_for_races() const { return looks_for_races_; }
  void all_joined() { looks_for_races_ = false; }
  // What was there is gone: what comes to these addresses next is new.
  void memory_ended(std::uint64_t address, std::uint64_t size);
  RaceDetector& race_detector() { return race_detector_; }
  SyncObjects& objects() { return objects_; }
  Sharing& sharing() { return sharing_; }
  // A plain access comes that may be a point: whether it is one.
  bool looks_at(std::uint64_t address, std::uint32_t size, bool is_write) {
    last_access_is_point_ = options_.points == Points::memory ||
                            sharing_.is_point(current_->id, address, size, is_write);
    return last_access_is_point_;
  }
  // The plain access that happens now has a step of its own.
  bool access_is_step() const {
    return points_at(Points::shared) && !alone() && last_access_is_point_;
  }

  // Only one task is alive: what it does cannot be interleaved with anything.
  bool alone() const { return live_count_ == 1; }
  // Code that runs on and on without any point is looked at now and then: a loop that waits for a
  // plain variable lets the others run. `may_spin`: it is a read of instrumented code.
  void count_uninterrupted(std::uint64_t site, bool may_spin = false) {
    if (__builtin_expect(++uninterrupted_ > next_look_, 0)) look_at_long_run(site, may_spin);
  }
  // Plain accesses are no points, and nobody but the detectors wants to know of them.
  bool has_quiet_accesses() const { return quiet_accesses_; }
  // Counts as count_uninterrupted does. False: it is time to look.
  bool counts_quietly() {
    if (__builtin_expect(uninterrupted_ >= next_look_, 0)) return false;
    ++uninterrupted_;
    return true;
  }
  bool anybody_spins() const { return any_spinning_; }
  // So many plain accesses that are no points the execution has made.
  std::uint64_t plain_accesses() const { return open_->plain_accesses + uninterrupted_; }

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
    if (notes_heap_) use_heap(*current_, address);
  }
  void block_freed(std::uint64_t address, std::uint64_t size);
  // Whether anything depends on what is allocated and freed.
  bool wants_heap_events() const {
    return options_.races || !quiet_accesses_ || objects_.any_in_heap();
  }

  std::uint32_t annotated_fibers = 0;  // so many fibers of its own the program has named

  // Before a plain read that is a point: whether the running task spins. What code that is not
  // instrumented does in such a loop is not seen, so spinning there proves no livelock.
  void check_plain_spin(std::uint64_t site);
  // The running task has come back to a read-only operation in the same state: it waits for others.
  void spins();
  std::uint64_t writes() const { return writes_; }
  void memory_written() {
    ++writes_;
    ++current_->writes;
    if (__builtin_expect(any_spinning_, 0)) wake_spinning();
  }
  // The running task is about to wait for a lock that is taken. Fails with a deadlock if the owner
  // waits, over other owners, for the running task: nobody outside of the circle can ever break it.
  void look_for_cycle(OperationKind kind, const void* object, std::uint64_t site);

  // Each step can be preceded by the delivery of a signal to its task.
  void expect_signals() { step_open_ = needs_life; }
  bool is_ready(TaskId id) const { return ready_.contains(id); }

 private:
  friend class Recorder;

  static constexpr std::uint64_t max_uninterrupted = 1 << 20;
  static constexpr std::uint64_t first_look = 1 << 10;  // after so many plain accesses
  static constexpr std::uint64_t short_execution = 40;  // steps

  void reset();
  void make_trace();
  void note_more(const Task& task);
  Task* next_to_advance();
  void use_heap(const Task& task, std::uint64_t address);
  void look_at_long_run(std::uint64_t site, bool may_spin);
  void look_for_plain_spin(std::uint64_t site);
  void end_look();
  void begin_uninterrupted();
  void give_way(std::uint64_t site);
  void reschedule();
  void receive_signals(Task& self);
  Task* decide();
  std::uint32_t ask(const ChoicePoint& point);
  void note_strategy_error(const std::exception& error);
  void show_state(const TaskSet& options, TaskId running);
  Task* perform(TaskId next, std::uint32_t options, bool preempts);
  const TaskSet& filtered_options();
  void apply_fairness(TaskSet& options);
  Task* stuck();
  void limit_reached();
  void watch_round();
  void leave_round();
  void name_late_signals();
  [[noreturn]] void judge_round();
  bool leaves_nobody_out(Trace round) const;
  std::string describe_round(Trace round);
  void refresh_due();
  void wake_spinning();
  void switch_tasks(Task* from, Task* to);
  static void handover(Task* from, Task* to);
  static void await_handover(Task& task);
  void prepare_slot(Task& task, std::size_t stack_size);
  void start_real_thread(Task& task, std::size_t stack_size);
  TaskId free_slot();
  void inherit(Task& task);
  void forget_memory(const Task& ended);
  std::string describe_blocked();
  std::string describe_blocked(TaskId id);
  [[noreturn]] static void task_entry();
  static void* real_thread_entry(void* task);

  // Hot: touched at every step.
  Task* current_ = nullptr;
  Step* steps_ = nullptr;
  OpenTrace* open_ = nullptr;
  Step* slot_ = nullptr;  // that of the last decision
  std::uint64_t step_count_ = 0;
  std::uint64_t step_limit_ = 0;
  std::uint64_t writes_ = 0;         // steps and plain accesses that others may see
  std::uint64_t uninterrupted_ = 0;  // plain accesses since the last point
  std::uint64_t next_look_ = first_look;
  std::uint64_t event_ = 0;  // see event_number
  std::uint32_t live_count_ = 0;
  TaskId last_ = no_task;  // who performed the last step
  bool filter_ = false;    // some tasks have deadlines or have yielded
  bool any_spinning_ = false;
  bool last_access_is_point_ = false;
  bool notes_more_ = false;  // of every step: contexts, heap
  bool notes_heap_ = false;
  bool watches_accesses_ = false;
  bool quiet_accesses_ = false;
  bool looks_for_races_ = false;
  std::uint8_t step_open_ = 0;  // what Step::open begins with
  Recorder* recorder_ = nullptr;
  Strategy* strategy_ = nullptr;
  KnowsStates* states_ = nullptr;  // the strategy, if it does
  std::uint32_t advance_count_ = 0;
  TaskSet ready_;
  Operation pending_[max_tasks];

  std::uint64_t steps_before_ = 0;  // of the last execution
  std::uint32_t task_count_ = 0;
  Task tasks_[max_tasks];
  Fiber fibers_[max_tasks];
  TaskId advance_[max_tasks];

  TaskSet options_buffer_;
  TaskSet due_;  // whose deadline is the earliest
  TaskSet timed_;
  TaskSet yielders_;  // have a non-empty waits_for
  TaskSet spinning_;
  // The look at a task that runs on without a point: accesses and comparisons that are left of it.
  std::uint64_t look_left_ = 0;
  std::uint32_t comparisons_left_ = 0;
  bool any_plain_spin_ = false;  // some of those that spin read plain memory
  // With so many writes nobody is taken to spin on plain memory: all that is left to run does.
  std::uint64_t patient_at_ = no_patience;
  static constexpr std::uint64_t no_patience = ~std::uint64_t{0};

  bool active_ = false;
  bool body_ended_ = false;
  Circle circle_;
  bool ended_in_circle_ = false;
  FindingFilter* finding_filter_ = nullptr;
  std::uint64_t passed_ = 0;
  bool reached_step_limit_ = false;
  bool was_stopped_ = false;
  bool was_cut_ = false;
  bool shows_states_ = false;  // the strategy wants to know them
  bool hashes_states_ = false;
  TraceHash state_hash_;
  std::uint64_t livelock_period_ = 0;
  RoundWatch round_watch_;
  std::vector<Step> left_at_limit_;
  ExecutionOptions options_;
  OpenTrace own_trace_;  // without ExecutionOptions::open_trace
  Context search_context_;
  Outcome outcome_;
  std::string strategy_error_;
  bool was_nondeterministic_ = false;
  VirtualClock clock_;
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

}  // namespace ricercar
