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
  scheduler_.steps.write_into(options.open_trace, options.max_steps);
  sharing_.note_into(&scheduler_.steps.open());
  carriers_.use(options.backend);
  if (options.contexts) contexts_.resize(1024);
  heap_move_.begin_search();
}

void Execution::reset() {
  steps_before_ = trace().size();
  scheduler_.begin_execution(options_.max_steps);
  long_run_.begin_execution();
  end_.begin_execution();
  scheduler_.steps.open().passed = scheduler_.steps.open().plain_accesses = 0;
  round_watch_.over();
  event_ = 0;
  body_ended_ = false;
  program_.begin_execution(options_.seed);
  objects_.begin_execution();
  if (options_.points == Points::shared) sharing_.begin_execution();
  if (options_.races) race_detector_.begin_execution();
}

const Outcome& Execution::run(Strategy& strategy, void* (*body)(void*), void* argument) {
  reset();
  scheduler_.follow(strategy);
  notes_heap_ = strategy.as<WantsHeap>() != nullptr;
  heap_move_.begin_execution();
  if (notes_heap_) heap_uses_.begin_execution(heap_move_);
  notes_more_ = options_.contexts || notes_heap_ || heap_move_.has_moved();
  watches_accesses_ = recorder_ != nullptr || notes_heap_;
  quiet_accesses_ = !watches_accesses_ && !points_at(Points::shared);
  looks_for_races_ = false;
  Task& main = task(new_task(no_task, body, argument, default_stack_size));
  active_ = true;
  controlled_flag = true;
  turns().forget_advances();
  tasks().set_current(main);
  main.state = TaskState::live;
  enable(main.id);
  carriers_.enter(main);
  controlled_flag = false;
  active_ = false;
  return end_.outcome();
}

// --- Tasks ---

// What a thread has from its creator.
void Execution::inherit(Task& task) {
  if (task.creator != no_task) {
    const Task& parent = tasks()[task.creator];
    task.processors = parent.processors;
    task.blocked_signals = parent.blocked_signals;
    task.creation_context = self().context;
  } else if (program_state.imports.signals) {
    task.blocked_signals = mask_of_kernel();
  }
}

TaskId Execution::new_task(TaskId creator, void* (*routine)(void*), void* argument,
                           std::size_t stack_size) {
  const TaskId id = tasks().free_slot();
  if (id == no_task) {
    fail(OutcomeKind::hang,
         "more than " + std::to_string(max_tasks) + " threads are alive at once; Ricercar's limit",
         0);
  }
  if (tasks().was_used(id)) {
    carriers_.forget_memory(task(id), [this](std::uint64_t address, std::uint64_t size) {
      memory_ended(address, size);
    });
  }
  Task& task = tasks().begin(id, creator);
  task.routine = routine;
  task.argument = argument;
  inherit(task);
  if (options_.races && creator != no_task) {
    race_detector_.task_created(creator, id);
    looks_for_races_ = true;
  }
  carriers_.prepare(task, stack_size, steps_before_ >= short_execution);
  advance(id);
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
  tasks().end(task);
  disable(task.id);
  memory_written();
  if (task.joiner != no_task) advance(task.joiner);
  if (task.creator == no_task) body_ended_ = true;
  reschedule();
  RICERCAR_CHECK(!"an ended task was chosen");
  __builtin_unreachable();
}

void Execution::memory_ended(std::uint64_t address, std::uint64_t size) {
  if (options_.races) race_detector_.allocated(address, size);
  objects_end(address, size, false, 0);
}

// --- Steps ---

Step& Execution::note(OperationKind kind, const void* object, std::uint64_t site,
                      std::uint64_t value) {
  Step& step =
      scheduler_.note(kind, one_address(reinterpret_cast<std::uint64_t>(object)), site, value);
  if (__builtin_expect(notes_more_, 0)) note_more(self());
  if (__builtin_expect(recorder_ != nullptr, 0)) {
    recorder_->announce(*this, site);
    recorder_->step_happened(*this);
  }
  return step;
}

inline Task* Execution::decide() {
  Task* task;
  while (__builtin_expect((task = scheduler_.decide(heap())) == nullptr, 0)) pass_obstacle();
  if (__builtin_expect(notes_more_, 0)) note_more(*task);
  if (__builtin_expect(turns().is_filtered(), 0) && (step().flags & step_timeout) != 0) {
    time_has_moved(clock().now());
  }
  if (__builtin_expect(recorder_ != nullptr, 0)) recorder_->step_happened(*this);
  return task;
}

Task* Execution::next_to_advance() {
  Task& task = tasks()[turns().next_to_advance()];
  if (options_.contexts) event_ = task.context;
  return &task;
}

void Execution::reschedule() {
  begin_uninterrupted();
  Task* self = &this->self();
  if (__builtin_expect(recorder_ != nullptr, 0)) {
    recorder_->announce(*this, tasks().pending(self->id).site);
  }
  Task* next = turns().has_to_advance() ? next_to_advance() : decide();
  if (next != self) {
    tasks().set_current(*next);
    carriers_.switch_tasks(self, next);
    if (__builtin_expect(self->arrival == SignalArrival::here, 0)) receive_signals(*self);
  }
}

// The handlers may do anything; then the operation is announced again.
void Execution::receive_signals(Task& self) {
  const Operation next = tasks().pending(self.id);
  const bool is_point = last_access_is_point_;
  const std::uint64_t event = event_;
  run_handlers(self);
  reset_spin(self);
  tasks().announce(self.id, next);
  last_access_is_point_ = is_point;
  event_ = event;
  reschedule();
}

bool Execution::wait_to_advance(OperationKind kind, const void* object, std::uint64_t site) {
  Task& task = self();
  disable(task.id);
  task.timed_out = false;
  point(kind, object, site);
  enable(task.id);
  return task.timed_out;
}

std::uint32_t Execution::choose_value(std::uint32_t n, OperationKind kind, const void* object,
                                      std::uint64_t site) {
  if (n <= 1) return 0;
  const std::uint32_t chosen =
      scheduler_.choose_value(n, {reinterpret_cast<std::uint64_t>(object), site, kind, 0}, heap());
  if (chosen == Scheduler::nothing) cut();
  Step& step = note(kind, object, site, chosen);
  step.flags |= step_value;
  step.options = static_cast<std::uint16_t>(std::min<std::uint32_t>(n, 0xffff));
  return chosen;
}

void Execution::set_deadline(Task& task, std::uint64_t nanoseconds) {
  touches_world();
  turns().set_deadline(tasks(), task, nanoseconds);
}

void Execution::clear_deadline(Task& task) {
  if (!task.timed) return;
  touches_world();
  turns().clear_deadline(tasks(), task);
}

// What holds between any two steps.
void Execution::check_invariants() {
  scheduler_.check_invariants();
  if (options_.races) race_detector_.check_invariants();
  objects_.for_each([this](const SyncObject& object) {
    RICERCAR_CHECK(object.owner == no_task || tasks().was_used(object.owner));
    object.contenders.for_each([this](TaskId id) { RICERCAR_CHECK(tasks().was_used(id)); });
    for (const TaskId id : object.waiters) RICERCAR_CHECK(tasks().was_used(id));
  });
}

}  // namespace ricercar::inline threads
