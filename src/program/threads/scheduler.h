// One decision after the other: offers the search those who may be chosen, writes the step that it
// chooses, and says whose turn it is. Who then runs the task to its next point is somebody else's
// matter: fibers or kernel threads in an execution, a few lines of script in a test.
//
// Needs no process. Not thread-safe: in an execution one task runs at a time.
#pragma once

#include <array>
#include <cstdint>
#include <exception>
#include <string>

#include "base/search_heap.h"
#include "model/choice.h"
#include "model/trace_hash.h"
#include "strategy/strategy.h"
#include "threads/clock.h"
#include "threads/step_list.h"
#include "threads/tasks.h"
#include "threads/turns.h"

namespace ricercar::inline threads {

namespace detail {

inline constexpr std::size_t kind_count = sizeof operation_kinds / sizeof operation_kinds[0];

inline constexpr auto writing_kinds = [] {
  std::array<std::uint8_t, kind_count> table{};
  for (std::size_t i = 0; i < kind_count; ++i) {
    const auto kind = static_cast<OperationKind>(i);
    // Attempts write only if they succeed, and then say so themselves.
    const bool is_attempt = info(kind).waits_for == WaitsFor::attempt;
    table[i] = access_of(kind) == Access::write && !is_attempt ? 1 : 0;
  }
  return table;
}();

}  // namespace detail

class Scheduler {
 public:
  // Why there is no next task.
  enum class Pause : std::uint8_t {
    limit,  // of steps
    stuck,  // nobody can go on
    cut,    // the strategy has given the execution up, or has failed
  };
  static constexpr std::uint32_t nothing = ~std::uint32_t{0};
  static constexpr std::uint32_t again = ~std::uint32_t{1};

  Tasks tasks;
  Turns turns;
  StepList steps;
  VirtualClock clock;

  // The trace has a place already: StepList::write_into.
  void begin_execution(std::uint64_t step_limit);
  // From now on this strategy decides.
  void follow(Strategy& strategy);

  // The task that performs its next operation now: the step is written before the operation
  // happens; the operation adds its value. Null: nobody does, see `pause`.
  Task* decide(HeapTrace heap);
  Pause pause() const { return pause_; }
  // A value choice among n >= 2 alternatives for the running task; `nothing`: it was cut.
  std::uint32_t choose_value(std::uint32_t n, const Operation& operation, HeapTrace heap);

  // A step in which nothing is decided: create, join, initialise, ...
  Step& note(OperationKind kind, std::uint64_t object, std::uint64_t site, std::uint64_t value);

  // When a task is woken at the latest. Asking for that depends on the clock.
  void set_deadline(Task& task, std::uint64_t nanoseconds) {
    steps.touches_world();
    turns.set_deadline(tasks, task, nanoseconds);
  }
  void clear_deadline(Task& task) {
    if (!task.timed) return;
    steps.touches_world();
    turns.clear_deadline(tasks, task);
  }
  // The running task gives way: it is not chosen again before others had a chance (fairness).
  void yielded() { turns.yielded(tasks, tasks.current(), steps.size()); }

  // What Step::open begins with.
  std::uint8_t step_open() const { return step_open_; }
  void set_step_open(std::uint8_t open) { step_open_ = open; }

  bool shows_states() const { return shows_states_; }
  // False: the strategy has had enough.
  bool show_state(const TaskSet& options, TaskId running);

  void set_step_limit(std::uint64_t limit) { step_limit_ = limit; }
  std::uint64_t step_limit() const { return step_limit_; }
  // Safe to call from a signal handler.
  void ask_to_stop() { step_limit_ = 0; }
  bool is_asked_to_stop() const { return step_limit_ == 0; }

  // What the strategy threw, or nothing.
  const std::string& strategy_error() const { return strategy_error_; }
  // It threw because the program did not behave as before under the same decisions.
  bool was_nondeterministic() const { return was_nondeterministic_; }
  void forget_strategy_error() { strategy_error_.clear(); }

  // What holds between any two steps.
  void check_invariants() const;

 private:
  Task* paused(Pause why) {
    pause_ = why;
    return nullptr;
  }
  void note_strategy_error(const std::exception& error);
  Task* decide_again(HeapTrace heap);
  std::uint32_t ask(const ChoicePoint& point);
  Task* perform(TaskId next, std::uint32_t options, bool preempts);

  // Hot: touched at every step.
  std::uint64_t step_limit_ = 0;
  Strategy* strategy_ = nullptr;
  TaskId last_ = no_task;  // who performed the last step
  bool shows_states_ = false;
  bool hashes_states_ = false;
  bool sees_every_point_ = false;
  std::uint8_t step_open_ = 0;
  Pause pause_ = Pause::stuck;
  KnowsStates* states_ = nullptr;  // the strategy, if it does
  TraceHash state_hash_;
  std::string strategy_error_;
  bool was_nondeterministic_ = false;
};

// The strategy may throw (a program that behaves differently, a user's own part). The exception
// cannot pass the program's frames, so the execution is cut and the search finds it in
// `strategy_error`.
[[gnu::always_inline]] inline std::uint32_t Scheduler::ask(const ChoicePoint& point) {
  try {
    SharedAllocation shared;
    const std::size_t chosen = strategy_->choose(point);
    if (chosen < point.options.size()) [[likely]]
      return static_cast<std::uint32_t>(chosen);
    if (chosen == Strategy::again) return again;
    RICERCAR_CHECK(chosen == Strategy::cut);
  } catch (const std::exception& error) {
    note_strategy_error(error);
  } catch (...) {
    strategy_error_ = "the strategy threw something that is no exception";
  }
  return nothing;
}

[[gnu::always_inline]] inline Task* Scheduler::perform(TaskId next, std::uint32_t options,
                                                       bool preempts) {
  const Operation& operation = tasks.pending(next);
  Task* task = &tasks[next];
  Step& step = steps.add_decided();
  step.site = operation.site;
  step.object = operation.object;
  step.value = 0;
  step.task = next;
  step.kind = operation.kind;
  step.flags = static_cast<std::uint8_t>((preempts ? step_preempts : 0) | task->step_flags);
  step.open = step_open_;
  step.size = operation.size;
  step.options = static_cast<std::uint16_t>(options);
  last_ = next;
  task->last_step = steps.size();
  turns.written(*task, detail::writing_kinds[static_cast<std::uint8_t>(operation.kind)]);
  return task;
}

inline Step& Scheduler::note(OperationKind kind, std::uint64_t object, std::uint64_t site,
                             std::uint64_t value) {
  const Task& self = tasks.current();
  Step& step = steps.add();
  step = {site, object, value, self.id, kind, self.step_flags, 0, 0, 0};
  return step;
}

[[gnu::always_inline]] inline Task* Scheduler::decide(HeapTrace heap) {
  if constexpr (checks_every_step) check_invariants();
  if (__builtin_expect(steps.size() >= step_limit_, 0)) return paused(Pause::limit);
  const TaskSet& options = turns.options(tasks);
  const std::uint32_t count = options.size();
  if (__builtin_expect(count == 0, 0)) return paused(Pause::stuck);
  const TaskId running = last_ != no_task && options.contains(last_) ? last_ : no_task;
  if (__builtin_expect(shows_states_, 0) && !show_state(options, running)) {
    return paused(Pause::cut);
  }
  TaskId next;
  if (count == 1 && !sees_every_point_) {
    next = options.first();
  } else {
    const std::uint32_t chosen =
        ask({ChoiceKind::schedule, steps.size(), running,
             OptionList(&options, count, tasks.all_pending()), steps.trace(), heap});
    if (__builtin_expect(chosen >= again, 0)) {
      return chosen == again ? decide_again(heap) : paused(Pause::cut);
    }
    next = options.nth(chosen);
  }
  Task* task = perform(next, count, running != no_task && next != running);
  if (__builtin_expect(turns.is_filtered(), 0) && !turns.is_ready(next)) {
    task->timed_out = true;
    steps.last().flags |= step_timeout;
    clock.advance_to(task->deadline);
  }
  return task;
}

inline void Scheduler::begin_execution(std::uint64_t step_limit) {
  tasks.begin_execution();
  turns.begin_execution();
  steps.begin_execution();
  clock.begin_execution();
  step_limit_ = step_limit;
  last_ = no_task;
  if (!strategy_error_.empty()) strategy_error_.clear();
}

}  // namespace ricercar::inline threads
