#include "threads/execution.h"

#include <algorithm>
#include <utility>

#include "threads/blocking.h"
#include "threads/calls.h"
#include "threads/memory/heap.h"
#include "threads/object_life.h"
#include "threads/recorder.h"
#include "threads/signals.h"
#include "threads/spin.h"
#include "threads/thread.h"
#include "threads/timer_descriptor.h"

namespace ricercar::inline threads {

// Hooks write into it before any constructor has run.
constinit ProgramState program_state;

// Constructed after the search heap is there (priority 101) and before any ordinary constructor.
Execution execution __attribute__((init_priority(200))) (program_state);

void Execution::configure(const ExecutionOptions& options) {
  RICERCAR_CHECK(!active_);
  options_ = options;
  steps.write_into(options.open_trace, options.max_steps);
  accesses.sharing.note_into(&steps.open());
  carriers.use(options.backend);
  tasks.set_company(options.is_node);
  if (options.contexts) accesses.contexts.resize(1024);
  accesses.heap_move.begin_search();
}

void Execution::reset() {
  steps_before_ = steps.size();
  const bool is_told_less = told_.steps != 0 && told_.steps < options_.max_steps;
  Scheduler::begin_execution(is_told_less ? told_.steps : options_.max_steps);
  accesses.long_run.begin_execution();
  end.begin_execution();
  steps.open().passed = steps.open().plain_accesses = 0;
  round_watch_.over();
  accesses.event = 0;
  body_ended_ = false;
  program_.begin_execution(options_.seed);
  objects.begin_execution();
  accesses.sharing.begin_execution();
  if (options_.looks_for_races()) accesses.race_detector.begin_execution();
}

const Outcome& Execution::run(Strategy& strategy, void* (*body)(void*), void* argument) {
  reset();
  follow(strategy);
  accesses.notes_blocks = strategy.as<WantsHeap>() != nullptr;
  accesses.heap_move.begin_execution();
  if (accesses.notes_blocks) accesses.heap_uses.begin_execution(accesses.heap_move);
  notes_more_ = options_.contexts || accesses.notes_blocks || accesses.heap_move.has_moved();
  accesses.are_watched = recorder_ != nullptr || accesses.notes_blocks;
  accesses.may_be_points = options_.points_at(Points::shared) ||
                           (options_.points == Points::racy && accesses.sharing.knows_any());
  accesses.are_quiet = !accesses.are_watched && !accesses.may_be_points;
  accesses.may_race = false;
  Task& main = tasks[new_task(no_task, body, argument, default_stack_size)];
  active_ = true;
  controlled_flag = true;
  turns.forget_advances();
  tasks.set_current(main);
  main.state = TaskState::live;
  turns.enable(main.id);
  carriers.enter(main);
  controlled_flag = false;
  active_ = false;
  return end.outcome();
}

void Execution::set_recorder(Recorder* recorder) {
  recorder_ = recorder;
  program_.call_listeners.set_recorder(recorder);
}

// --- Tasks ---

// What a thread has from its creator.
void Execution::inherit(Task& task) {
  if (task.creator != no_task) {
    const Task& parent = tasks[task.creator];
    task.processors = parent.processors;
    task.blocked_signals = parent.blocked_signals;
    task.creation_context = self().context;
  } else if (program_state.imports.signals) {
    task.blocked_signals = mask_of_kernel();
  }
}

TaskId Execution::new_task(TaskId creator, void* (*routine)(void*), void* argument,
                           std::size_t stack_size) {
  const TaskId id = tasks.free_slot();
  if (id == no_task) {
    fail(OutcomeKind::hang,
         "more than " + std::to_string(max_tasks) + " threads are alive at once; Ricercar's limit",
         0);
  }
  if (tasks.was_used(id)) {
    carriers.forget_memory(tasks[id], memory_ended);
  }
  Task& task = tasks.begin(id, creator);
  task.routine = routine;
  task.argument = argument;
  inherit(task);
  if (options_.looks_for_races() && creator != no_task) {
    accesses.race_detector.task_created(creator, id);
    accesses.may_race = true;
  }
  carriers.prepare(task, stack_size, steps_before_ >= short_execution);
  turns.advance(id);
  return id;
}

void Execution::task_entry() {
  Task& task = execution.self();
  task.state = TaskState::live;
  run_thread(task);
}

void Execution::end_task() {
  Task& task = self();
  note(OperationKind::end, nullptr, 0);
  tasks.end(task);
  turns.disable(task.id);
  turns.written(task);
  if (task.joiner != no_task) turns.advance(task.joiner);
  if (task.creator == no_task) body_ended_ = true;
  reschedule();
  RICERCAR_CHECK(!"an ended task was chosen");
  __builtin_unreachable();
}

// --- Steps ---

Step& Execution::note(OperationKind kind, const void* object, std::uint64_t site,
                      std::uint64_t value) {
  Step& step =
      Scheduler::note(kind, one_address(reinterpret_cast<std::uint64_t>(object)), site, value);
  if (__builtin_expect(notes_more_, 0)) note_more(self());
  if (__builtin_expect(recorder_ != nullptr, 0)) {
    recorder_->announce(*this, site);
    recorder_->step_happened(*this);
  }
  return step;
}

// What the last step has to say besides its operation.
void Execution::note_more(const Task& task) {
  Step& step = steps.last();
  if (options_.contexts) accesses.note_context(steps.size() - 1, task.context);
  if (accesses.notes_blocks) accesses.block_used(*this, task.id, step.object);
  step.object = accesses.heap_move.undo(step.object);
}

inline Task* Execution::next_task() {
  Task* task;
  while (__builtin_expect((task = Scheduler::decide(accesses.heap_uses.all())) == nullptr, 0))
    pass_obstacle();
  if (__builtin_expect(notes_more_, 0)) note_more(*task);
  if (__builtin_expect(turns.is_filtered(), 0) && (steps.last().flags & step_timeout) != 0) {
    time_has_moved(clock.now());
  }
  if (__builtin_expect(recorder_ != nullptr, 0)) recorder_->step_happened(*this);
  return task;
}

Task* Execution::next_to_advance() {
  Task& task = tasks[turns.next_to_advance()];
  if (options_.contexts) accesses.event = task.context;
  return &task;
}

void Execution::reschedule() {
  accesses.point_reached(steps.open());
  Task* self = &this->self();
  if (__builtin_expect(recorder_ != nullptr, 0)) {
    recorder_->announce(*this, tasks.pending(self->id).site);
  }
  Task* next = turns.has_to_advance() ? next_to_advance() : next_task();
  if (next != self) {
    tasks.set_current(*next);
    carriers.switch_tasks(self, next);
    if (__builtin_expect(self->arrival == SignalArrival::here, 0)) receive_signals(*self);
  }
}

// The handlers may do anything; then the operation is announced again.
void Execution::receive_signals(Task& self) {
  const Operation next = tasks.pending(self.id);
  const bool is_point = accesses.last_is_point;
  const std::uint64_t event = accesses.event;
  run_handlers(self);
  reset_spin(self);
  tasks.announce(self.id, next);
  accesses.last_is_point = is_point;
  accesses.event = event;
  reschedule();
}

bool wait_to_advance(OperationKind kind, const void* object, std::uint64_t site) {
  Task& task = execution.self();
  execution.turns.disable(task.id);
  task.timed_out = false;
  execution.point(kind, object, site);
  execution.turns.enable(task.id);
  return task.timed_out;
}

std::uint32_t Execution::choose_value(std::uint32_t n, OperationKind kind, const void* object,
                                      std::uint64_t site) {
  if (n <= 1) return 0;
  const std::uint32_t chosen = Scheduler::choose_value(
      n, {reinterpret_cast<std::uint64_t>(object), site, kind, 0}, accesses.heap_uses.all());
  if (chosen == Scheduler::nothing) cut();
  Step& step = note(kind, object, site, chosen);
  step.flags |= step_value;
  step.options = static_cast<std::uint16_t>(std::min<std::uint32_t>(n, 0xffff));
  return chosen;
}

// What holds between any two steps.
void Execution::check_invariants() {
  Scheduler::check_invariants();
  if (options_.looks_for_races()) accesses.race_detector.check_invariants();
  objects.for_each([this](const SyncObject& object) {
    RICERCAR_CHECK(object.owner == no_task || tasks.was_used(object.owner));
    object.contenders.for_each([this](TaskId id) { RICERCAR_CHECK(tasks.was_used(id)); });
    for (const TaskId id : object.waiters) RICERCAR_CHECK(tasks.was_used(id));
  });
}

}  // namespace ricercar::inline threads
