#include "threads/execution.h"

#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/error.h"
#include "base/search_heap.h"
#include "threads/benign_races.h"
#include "threads/blocking.h"
#include "threads/calls.h"
#include "threads/clean_stack.h"
#include "threads/memory/heap.h"
#include "threads/object_life.h"
#include "threads/real.h"
#include "threads/recorder.h"
#include "threads/signals.h"
#include "threads/spin.h"
#include "threads/thread.h"
#include "threads/timer_descriptor.h"

namespace ricercar {

// Constructed after the search heap is there (priority 101) and before any ordinary constructor.
Execution execution __attribute__((init_priority(200)));

namespace {

void* map_memory(std::size_t size) {
  const long got = system_call(SYS_mmap, 0, static_cast<long>(size), PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  RICERCAR_CHECK(got > 0);
  return reinterpret_cast<void*>(got);
}

std::size_t bytes_of_trace(std::uint64_t max_steps) {
  return trace_room(max_steps) * (sizeof(Step) + sizeof(std::uint32_t));
}

constexpr std::size_t kind_count = sizeof operation_kinds / sizeof operation_kinds[0];

constexpr auto writing_kinds = [] {
  std::array<std::uint8_t, kind_count> table{};
  for (std::size_t i = 0; i < kind_count; ++i) {
    const auto kind = static_cast<OperationKind>(i);
    // Attempts write only if they succeed, and then say so themselves.
    const bool is_attempt = info(kind).waits_for == WaitsFor::attempt;
    table[i] = access_of(kind) == Access::write && !is_attempt ? 1 : 0;
  }
  return table;
}();

constexpr std::size_t least_real_stack = 1 << 20;

// What is above this call on the stack belongs to the thread library.
void enter_real_thread(Task& task) {
  task.kernel_id = static_cast<int>(system_call(SYS_gettid));
  task.fiber->context.thread_pointer = current_thread_pointer();
  char* high = static_cast<char*>(__builtin_frame_address(0));
  task.fiber->stack = {high - least_real_stack, least_real_stack};
}

}  // namespace

void Execution::configure(const ExecutionOptions& options) {
  RICERCAR_CHECK(!active_);
  if (own_trace_.steps != nullptr) {
    system_call(SYS_munmap, reinterpret_cast<long>(own_trace_.steps),
                static_cast<long>(bytes_of_trace(options_.max_steps)));
    own_trace_ = {};
  }
  options_ = options;
  make_trace();
  if (options.contexts) contexts_.resize(1024);
  heap_move_.begin_search();
}

void Execution::make_trace() {
  open_ = options_.open_trace != nullptr ? options_.open_trace : &own_trace_;
  if (open_->steps == nullptr) {
    const std::uint64_t room = trace_room(options_.max_steps);
    own_trace_.steps = static_cast<Step*>(map_memory(bytes_of_trace(options_.max_steps)));
    own_trace_.accesses = reinterpret_cast<std::uint32_t*>(own_trace_.steps + room);
    open_ = &own_trace_;
  }
  steps_ = open_->steps;
  sharing_.note_into(open_);
}

void Execution::reset() {
  steps_before_ = step_count_;
  step_count_ = open_->step_count = 0;
  slot_ = nullptr;
  writes_ = 0;
  uninterrupted_ = open_->plain_accesses = 0;
  next_look_ = first_look;
  look_left_ = 0;
  any_plain_spin_ = false;
  patient_at_ = no_patience;
  event_ = 0;
  live_count_ = 0;
  step_limit_ = options_.max_steps;
  last_ = no_task;
  filter_ = false;
  any_spinning_ = false;
  advance_count_ = 0;
  task_count_ = 0;
  ready_.clear();
  due_.clear();
  timed_.clear();
  yielders_.clear();
  spinning_.clear();
  body_ended_ = false;
  circle_.steps = 0;
  ended_in_circle_ = false;
  passed_ = open_->passed = 0;
  reached_step_limit_ = false;
  was_stopped_ = false;
  was_cut_ = false;
  livelock_period_ = 0;
  round_watch_.over();
  left_at_limit_.clear();
  if (outcome_.is_bug()) outcome_ = Outcome{};
  if (!strategy_error_.empty()) strategy_error_.clear();
  blocked_calls_begin_execution();
  if (program_signals) signals_begin_execution();
  clock_.begin_execution();
  objects_.begin_execution();
  if (options_.points == Points::shared) sharing_.begin_execution();
  if (options_.races) race_detector_.begin_execution();
  annotated_fibers = 0;
  benign_races_begin_execution();
}

const Outcome& Execution::run(Strategy& strategy, void* (*body)(void*), void* argument) {
  reset();
  strategy_ = &strategy;
  states_ = strategy.as<KnowsStates>();
  shows_states_ = states_ != nullptr;
  hashes_states_ = shows_states_ && states_->wants_fingerprints();
  notes_heap_ = strategy.as<WantsHeap>() != nullptr;
  heap_move_.begin_execution();
  if (notes_heap_) heap_uses_.begin_execution(heap_move_);
  notes_more_ = options_.contexts || notes_heap_ || heap_move_.has_moved();
  watches_accesses_ = recorder_ != nullptr || notes_heap_;
  quiet_accesses_ = !watches_accesses_ && !points_at(Points::shared);
  looks_for_races_ = false;
  if (hashes_states_) state_hash_.begin();
  search_context_.thread_pointer = current_thread_pointer();
  new_task(no_task, body, argument, default_stack_size);
  active_ = true;
  controlled_flag = true;
  advance_count_ = 0;
  current_ = &tasks_[0];
  current_->state = TaskState::live;
  ready_.insert(current_->id);
  if (options_.backend == Backend::threads) {
    enter_real_thread(*current_);
    task_entry();
  }
  switch_context(search_context_, current_->fiber->context);
  controlled_flag = false;
  active_ = false;
  return outcome_;
}

// --- Tasks ---

TaskId Execution::free_slot() {
  if (task_count_ < max_tasks) return task_id(task_count_++);
  for (std::uint32_t i = 1; i < max_tasks; ++i) {
    const Task& old = tasks_[i];
    if (old.state != TaskState::ended || !(old.joined || old.detached)) continue;
    if (old.held_locks != 0) continue;  // its number says who holds them
    forget_memory(old);
    return task_id(i);
  }
  fail(OutcomeKind::hang,
       "more than " + std::to_string(max_tasks) + " threads are alive at once; Ricercar's limit",
       0);
}

// The next task of this slot gets the same stack and thread-local storage, as fresh memory. On real
// threads each one has its own.
void Execution::forget_memory(const Task& ended) {
  if (options_.backend == Backend::threads) return;
  const FiberStack& stack = ended.fiber->stack;
  const ThreadStorage storage = storage_of(*ended.fiber);
  memory_ended(reinterpret_cast<std::uint64_t>(stack.low), stack.size);
  memory_ended(storage.address, storage.size);
}

void Execution::memory_ended(std::uint64_t address, std::uint64_t size) {
  if (options_.races) race_detector_.allocated(address, size);
  objects_end(address, size, false, 0);
}

void Execution::prepare_slot(Task& task, std::size_t stack_size) {
  const bool is_main = task.creator == no_task;
  prepare_fiber(*task.fiber, index(task.id), stack_size, !is_main);
  if (is_main) task.fiber->context.thread_pointer = search_context_.thread_pointer;
  if (steps_before_ < short_execution) {
    clean_top(*task.fiber);
  } else {
    clean_stack(*task.fiber);
  }
  start_fiber(*task.fiber, task_entry);
}

pthread_t Execution::reserve_slot(TaskId id, Backend backend, std::size_t stack_size) {
  Task& task = tasks_[index(id)];
  task.fiber = &fibers_[index(id)];
  if (backend == Backend::threads) {
    task.reserved = true;
    start_real_thread(task, stack_size);
  } else {
    prepare_fiber(*task.fiber, index(id), stack_size, true);
  }
  return task.fiber->lender;
}

// What a thread has from its creator.
void Execution::inherit(Task& task) {
  if (task.creator != no_task) {
    const Task& parent = tasks_[index(task.creator)];
    task.processors = parent.processors;
    task.blocked_signals = parent.blocked_signals;
    task.creation_context = current_->context;
  } else if (program_signals) {
    task.blocked_signals = mask_of_kernel();
  }
}

TaskId Execution::new_task(TaskId creator, void* (*routine)(void*), void* argument,
                           std::size_t stack_size) {
  const TaskId id = free_slot();
  Task& task = tasks_[index(id)];
  task.fiber = &fibers_[index(id)];
  task.renew();
  task.id = id;
  task.creator = creator;
  task.routine = routine;
  task.argument = argument;
  inherit(task);
  ++live_count_;
  if (options_.races && creator != no_task) {
    race_detector_.task_created(creator, id);
    looks_for_races_ = true;
  }
  if (options_.backend == Backend::threads) {
    const bool is_there = std::exchange(task.reserved, false);
    if (creator != no_task && !is_there) start_real_thread(task, stack_size);
  } else {
    prepare_slot(task, stack_size);
  }
  advance_[advance_count_++] = id;
  return id;
}

void Execution::prepare_lenders(std::uint32_t tasks) {
  for (std::uint32_t i = 1; i < std::min(tasks, max_tasks); ++i) {
    if (fibers_[i].lender == 0) prepare_fiber(fibers_[i], i, default_stack_size, true);
  }
}

void Execution::task_entry() {
  Task& task = execution.self();
  task.state = TaskState::live;
  run_thread(task);
}

void Execution::end_task() {
  Task& task = *current_;
  note(OperationKind::end, nullptr, 0);
  task.state = TaskState::ended;
  --live_count_;
  ready_.erase(task.id);
  memory_written();
  if (task.joiner != no_task) advance(task.joiner);
  if (task.creator == no_task) body_ended_ = true;
  reschedule();
  RICERCAR_CHECK(!"an ended task was chosen");
  __builtin_unreachable();
}

// --- Steps ---

Step& Execution::note(OperationKind kind, const void* object, std::uint64_t site,
                      std::uint64_t value) {
  RICERCAR_CHECK(step_count_ < trace_room(options_.max_steps));
  Step& step = steps_[step_count_++];
  step = {site,  one_address(reinterpret_cast<std::uint64_t>(object)),
          value, current_->id,
          kind,  current_->step_flags,
          0,     0,
          0};
  open_->step_count = step_count_;
  if (__builtin_expect(notes_more_, 0)) note_more(*current_);
  if (__builtin_expect(recorder_ != nullptr, 0)) {
    recorder_->announce(*this, site);
    recorder_->step_happened(*this);
  }
  return step;
}

// The task performs its pending operation: the step is written before the operation happens; the
// operation adds its value.
inline Task* Execution::perform(TaskId next, std::uint32_t options, bool preempts) {
  const Operation& operation = pending_[index(next)];
  Task* task = &tasks_[index(next)];
  Step& step = steps_[step_count_];
  step.site = operation.site;
  step.object = operation.object;
  step.value = 0;
  step.task = next;
  step.kind = operation.kind;
  step.flags = static_cast<std::uint8_t>((preempts ? step_preempts : 0) | task->step_flags);
  step.open = step_open_;
  step.size = operation.size;
  step.options = static_cast<std::uint16_t>(options);
  open_->step_count = ++step_count_;
  slot_ = &step;
  if (__builtin_expect(notes_more_, 0)) note_more(*task);
  last_ = next;
  task->last_step = step_count_;
  const std::uint8_t writes = writing_kinds[static_cast<std::uint8_t>(operation.kind)];
  writes_ += writes;
  task->writes += writes;
  if (__builtin_expect(any_spinning_, 0) && writes != 0) wake_spinning();
  return task;
}

void Execution::note_strategy_error(const std::exception& error) {
  strategy_error_ = error.what();
  was_nondeterministic_ = dynamic_cast<const Nondeterminism*>(&error) != nullptr;
}

// The strategy may throw (a program that behaves differently, a user's own part). The exception
// cannot pass the program's frames, so the execution ends here and the search finds it in
// `strategy_error`.
[[gnu::always_inline]] inline std::uint32_t Execution::ask(const ChoicePoint& point) {
  try {
    SharedAllocation shared;
    const std::size_t chosen = strategy_->choose(point);
    if (chosen != Strategy::cut) [[likely]] {
      RICERCAR_CHECK(chosen < point.options.size());
      return static_cast<std::uint32_t>(chosen);
    }
  } catch (const std::exception& error) {
    note_strategy_error(error);
  } catch (...) {
    strategy_error_ = "the strategy threw something that is no exception";
  }
  was_cut_ = true;
  finish();
}

// Threads have no state that could be compared: what stands for it is the happens-before relation
// of everything so far, from which the state follows.
void Execution::show_state(const TaskSet& options, TaskId running) {
  const Fingerprint state = hashes_states_ ? state_hash_.extend(trace()) : Fingerprint{};
  try {
    SharedAllocation shared;
    if (states_->visit({state, options, running, trace(), nullptr})) return;
  } catch (const std::exception& error) {
    note_strategy_error(error);
  }
  was_cut_ = true;
  finish();
}

inline Task* Execution::decide() {
  if (__builtin_expect(step_count_ >= step_limit_, 0)) limit_reached();
  const TaskSet& options = filter_ ? filtered_options() : ready_;
  const std::uint32_t count = options.size();
  if (count == 0) return stuck();
  const TaskId running = last_ != no_task && options.contains(last_) ? last_ : no_task;
  if (__builtin_expect(shows_states_, 0)) show_state(options, running);
  TaskId next;
  if (count == 1) {
    next = options.first();
  } else {
    const ChoicePoint point{ChoiceKind::schedule,
                            step_count_,
                            running,
                            OptionList(&options, count, pending_),
                            trace(),
                            heap()};
    next = options.nth(ask(point));
  }
  Task* task = perform(next, count, running != no_task && next != running);
  if (__builtin_expect(filter_, 0) && !ready_.contains(next)) {
    task->timed_out = true;
    step().flags |= step_timeout;
    clock_.advance_to(task->deadline);
    time_has_moved(clock_.now());
  }
  if (__builtin_expect(recorder_ != nullptr, 0)) recorder_->step_happened(*this);
  return task;
}

Task* Execution::stuck() {
  if (poll_blocked_calls()) return decide();
  bool all_ended = true;
  bool only_detached = true;
  for (std::uint32_t i = 0; i < task_count_; ++i) {
    if (tasks_[i].state == TaskState::ended) continue;
    all_ended = false;
    if (!tasks_[i].detached) only_detached = false;
  }
  if (shows_states_) show_state(ready_, no_task);
  if (all_ended) finish();
  if (body_ended_ && only_detached) finish();
  if (any_plain_spin_) {
    patient_at_ = writes_;
    wake_spinning();
    return decide();
  }
  if (any_spinning_) {
    fail(OutcomeKind::livelock, "some threads spin, and nobody is left who could end it", 0);
  }
  name_late_signals();
  fail(OutcomeKind::deadlock, describe_blocked(), 0);
}

void Execution::look_at_long_run(std::uint64_t site, bool may_spin) {
  if (uninterrupted_ > max_uninterrupted) return give_way(site);
  if (may_spin && writes_ != patient_at_) look_for_plain_spin(site);
}

void Execution::check_plain_spin(std::uint64_t site) {
  if (writes_ == patient_at_) return;  // there is nobody else
  check_spin(*current_, site);
  if (any_spinning_ && spinning_.contains(current_->id)) any_plain_spin_ = true;
}

// As check_spin, for a read that is no point. A look takes a small part of the accesses so far and
// few comparisons, so that code which computes pays next to nothing. What a library that is not
// instrumented does in such a loop is not seen, so it is no livelock if nobody else is left: then
// the loop runs on, and ends or hangs.
void Execution::look_for_plain_spin(std::uint64_t site) {
  constexpr std::uint64_t part = 16;
  constexpr std::uint32_t most_comparisons = 16;
  Task& self = *current_;
  if (look_left_ == 0) {
    look_left_ = uninterrupted_ / part;
    comparisons_left_ = most_comparisons;
    reset_spin(self);
  }
  if (self.spin.site == site) --comparisons_left_;
  check_spin(self, site);
  if (any_spinning_ && spinning_.contains(self.id)) {
    end_look();
    any_plain_spin_ = true;
    point(OperationKind::yield, nullptr, site);
  } else if (--look_left_ == 0 || comparisons_left_ == 0) {
    end_look();
  }
}

void Execution::end_look() {
  look_left_ = 0;
  next_look_ = std::min(2 * uninterrupted_, max_uninterrupted);
}

inline void Execution::begin_uninterrupted() {
  open_->plain_accesses += uninterrupted_;
  uninterrupted_ = 0;
  next_look_ = first_look;
}

void Execution::give_way(std::uint64_t site) {
  begin_uninterrupted();
  if (ready_.size() == 1 && timed_.empty()) return;  // nobody to give way to
  point(OperationKind::yield, nullptr, site);
  yielded();
}

void Execution::set_recorder(Recorder* recorder) {
  recorder_ = recorder;
  set_call_recorder(recorder);
}

void Execution::record_access(std::uint64_t address, std::uint32_t size, bool is_write,
                              std::uint64_t site) {
  event_ = recorder_->plain_access(*this, address, size, is_write, site);
}

void Execution::record_atomic(int order, std::uint64_t site) {
  event_ = recorder_->atomic_access(*this, static_cast<std::uint8_t>(order), site);
}

void Execution::record_heap(bool allocated, std::uint64_t address, std::uint64_t size,
                            std::uint64_t site) {
  event_ = recorder_->heap_event(*this, allocated, address, size, site);
}

void Execution::record_place(std::uint64_t site) { event_ = recorder_->place(current_->id, site); }

void Execution::note_plain_access(std::uint64_t address, std::uint32_t size, bool is_write,
                                  std::uint64_t site) {
  note_use(address);
  if (recorder_ != nullptr) record_access(address, size, is_write, site);
}

// What the last step has to say besides its operation.
void Execution::note_more(const Task& task) {
  if (options_.contexts) {
    event_ = task.context;
    if (contexts_.size() < step_count_) contexts_.resize(2 * step_count_);
    contexts_[step_count_ - 1] = task.context;
  }
  Step& step = steps_[step_count_ - 1];
  if (notes_heap_) use_heap(task, step.object);
  step.object = name_of(step.object);
}

// What happens before there is a second task comes before everything that others do.
void Execution::use_heap(const Task& task, std::uint64_t address) {
  if (!heap_contains(address) || task_count_ < 2 || slot_ == nullptr) return;
  heap_uses_.use(task.id, address, step_count_ - 1, static_cast<std::uint64_t>(slot_ - steps_));
}

void Execution::block_freed(std::uint64_t address, std::uint64_t size) {
  if (options_.points == Points::shared && !alone()) sharing_.freed(current_->id, address, size);
  if (!notes_heap_ || task_count_ < 2 || slot_ == nullptr) return;
  heap_uses_.free(current_->id, address, step_count_ - 1);
}

Task* Execution::next_to_advance() {
  Task* task = &tasks_[index(advance_[--advance_count_])];
  if (options_.contexts) event_ = task->context;
  return task;
}

void Execution::reschedule() {
  begin_uninterrupted();
  if (__builtin_expect(recorder_ != nullptr, 0)) {
    recorder_->announce(*this, pending_[index(current_->id)].site);
  }
  Task* self = current_;
  Task* next = advance_count_ > 0 ? next_to_advance() : decide();
  if (next != self) {
    current_ = next;
    switch_tasks(self, next);
    if (__builtin_expect(self->arrival == SignalArrival::here, 0)) receive_signals(*self);
  }
}

// The handlers may do anything; then the operation is announced again.
void Execution::receive_signals(Task& self) {
  const Operation next = pending_[index(self.id)];
  const bool is_point = last_access_is_point_;
  const std::uint64_t event = event_;
  run_handlers(self);
  reset_spin(self);
  pending_[index(self.id)] = next;
  last_access_is_point_ = is_point;
  event_ = event;
  reschedule();
}

bool Execution::wait_to_advance(OperationKind kind, const void* object, std::uint64_t site) {
  ready_.erase(current_->id);
  current_->timed_out = false;
  point(kind, object, site);
  ready_.insert(current_->id);
  return current_->timed_out;
}

void Execution::advance(TaskId id) {
  RICERCAR_CHECK(advance_count_ < max_tasks);
  advance_[advance_count_++] = id;
}

std::uint32_t Execution::choose_value(std::uint32_t n, OperationKind kind, const void* object,
                                      std::uint64_t site) {
  if (n <= 1) return 0;
  const Operation operation{reinterpret_cast<std::uint64_t>(object), site, kind, 0};
  const ChoicePoint point{ChoiceKind::value, step_count_,
                          current_->id,      OptionList(current_->id, n, &operation),
                          trace(),           heap()};
  const std::uint32_t chosen = ask(point);
  Step& step = note(kind, object, site, chosen);
  step.flags |= step_value;
  step.options = static_cast<std::uint16_t>(std::min<std::uint32_t>(n, 0xffff));
  return chosen;
}

// --- Real threads instead of fibers, for debuggers ---

void Execution::start_real_thread(Task& task, std::size_t stack_size) {
  const OutOfControl runtime;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, std::max(stack_size, least_real_stack));
  task.handover = 0;
  pthread_t thread;
  RICERCAR_CHECK(real_pthread_create(&thread, &attributes, real_thread_entry, &task) == 0);
  pthread_attr_destroy(&attributes);
  task.fiber->lender = thread;
}

void* Execution::real_thread_entry(void* argument) {
  auto& task = *static_cast<Task*>(argument);
  enter_real_thread(task);
  use_handler_stack();
  controlled_flag = true;
  await_handover(task);
  task_entry();
  return nullptr;
}

void Execution::await_handover(Task& task) {
  while (__atomic_exchange_n(&task.handover, 0, __ATOMIC_ACQUIRE) == 0) {
    system_call(SYS_futex, reinterpret_cast<long>(&task.handover), FUTEX_WAIT_PRIVATE, 0);
  }
}

void Execution::handover(Task* from, Task* to) {
  // Another thread may take the task's place as soon as the next one runs, so this one must not
  // wait there. The first thread stays: debuggers and timers know the process by it.
  const bool leaves = from->state == TaskState::ended && from->creator != no_task;
  __atomic_store_n(&to->handover, 1, __ATOMIC_RELEASE);
  system_call(SYS_futex, reinterpret_cast<long>(&to->handover), FUTEX_WAKE_PRIVATE, 1);
  if (leaves) system_call(SYS_exit, 0);
  await_handover(*from);
}

void Execution::switch_tasks(Task* from, Task* to) {
  if (__builtin_expect(options_.backend == Backend::threads, 0)) {
    handover(from, to);
    return;
  }
  switch_context(from->fiber->context, to->fiber->context);
}

}  // namespace ricercar
