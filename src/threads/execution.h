// The running execution of the threads world: its tasks, what each would do next, which of them
// can, and the trace. The primitives (mutex.cc, condition.cc, ...) say what an operation needs and
// does; this class asks the strategy and switches.
//
// One instance, because the C hooks need one. Everything runs on one kernel thread (the threads
// backend hands over so that one runs at a time).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "check/data_race.h"
#include "model/choice.h"
#include "model/options.h"
#include "model/outcome.h"
#include "model/trace.h"
#include "strategy/strategy.h"
#include "threads/clock.h"
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
  std::uint64_t max_steps = 100000;
  std::uint64_t seed = 1;
};

class Execution {
 public:
  // --- For the search, outside of an execution. ---

  void configure(const ExecutionOptions& options);
  const ExecutionOptions& options() const { return options_; }
  // Runs body(argument) as the main thread of one execution under the strategy's decisions.
  const Outcome& run(Strategy& strategy, void* (*body)(void*), void* argument);
  Trace trace() const { return {steps_, step_count_}; }
  void set_recorder(Recorder* recorder) { recorder_ = recorder; }
  Recorder* recorder() const { return recorder_; }
  bool active() const { return active_; }
  bool reached_step_limit() const { return reached_step_limit_; }
  std::uint64_t livelock_period() const { return livelock_period_; }
  // Ends the execution soon; safe to call from a signal handler.
  void ask_to_stop() { step_limit_ = 0; }
  // Called instead of going back to the search when an execution ends (the threads backend).
  void (*finish_hook)() = nullptr;

  // --- For the primitives, inside of an execution. ---

  Task& self() { return *current_; }
  Task& task(TaskId id) { return tasks_[index(id)]; }
  std::uint32_t task_count() const { return task_count_; }
  const Operation& pending(TaskId id) const { return pending_[index(id)]; }

  // Announces the running task's next operation and returns when the search has chosen it. The
  // caller then performs it; nothing else runs in between.
  void point(OperationKind kind, const void* object, std::uint64_t site, std::uint8_t size = 0) {
    pending_[index(current_->id)] = {reinterpret_cast<std::uint64_t>(object), site, kind, size};
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
  // The step that the running task performs now.
  Step& step() { return steps_[step_count_ - 1]; }

  // A value choice among n >= 1 alternatives for the running task.
  std::uint32_t choose_value(std::uint32_t n, OperationKind kind, const void* object,
                             std::uint64_t site);

  // Virtual time.
  VirtualClock& clock() { return clock_; }
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

  bool points_at(Points level) const { return options_.points >= level; }
  RaceDetector* races() { return options_.races ? &race_detector_ : nullptr; }
  RaceDetector& race_detector() { return race_detector_; }
  SyncObjects& objects() { return objects_; }

  // The running task has come back to a read-only operation in the same state: it waits for others.
  void spins();
  void memory_written() {
    if (__builtin_expect(any_spinning_, 0)) wake_spinning();
  }
  bool check_cycle(TaskId task);

 private:
  friend class Recorder;

  void reset();
  void reschedule();
  Task* decide();
  Task* perform(TaskId next, std::uint32_t options, bool preempts);
  const TaskSet& filtered_options();
  void apply_fairness(TaskSet& options);
  [[noreturn]] void stuck();
  void limit_reached();
  void refresh_due();
  void wake_spinning();
  void switch_tasks(Task* from, Task* to);
  void handover(Task* to);
  void resumed();
  void prepare_slot(Task& task, std::size_t stack_size);
  void start_real_thread(Task& task, std::size_t stack_size);
  TaskId free_slot();
  std::string describe_blocked();
  static void task_entry();
  static void* real_thread_entry(void* task);

  // Hot: touched at every step.
  Task* current_ = nullptr;
  Step* steps_ = nullptr;
  std::uint64_t step_count_ = 0;
  std::uint64_t step_limit_ = 0;
  TaskId last_ = no_task;  // who performed the last step
  bool filter_ = false;    // some tasks have deadlines or have yielded
  bool any_spinning_ = false;
  Recorder* recorder_ = nullptr;
  Strategy* strategy_ = nullptr;
  std::uint32_t advance_count_ = 0;
  TaskSet ready_;
  Operation pending_[max_tasks];

  std::uint32_t task_count_ = 0;
  Task tasks_[max_tasks];
  Fiber fibers_[max_tasks];
  TaskId advance_[max_tasks];

  TaskSet options_buffer_;
  TaskSet due_;  // whose deadline is the earliest
  TaskSet timed_;
  TaskSet yielders_;  // have a non-empty waits_for
  TaskSet spinning_;

  bool active_ = false;
  bool body_ended_ = false;
  bool reached_step_limit_ = false;
  std::uint64_t livelock_period_ = 0;
  ExecutionOptions options_;
  Context search_context_;
  Outcome outcome_;
  VirtualClock clock_;
  SyncObjects objects_;
  RaceDetector race_detector_;
};

extern Execution execution;

// The address after the call of a hook: the site of the operation that it announces.
#define RICERCAR_SITE() reinterpret_cast<std::uint64_t>(__builtin_return_address(0))

}  // namespace ricercar
