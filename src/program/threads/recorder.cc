#include "threads/recorder.h"

#include <link.h>

#include <algorithm>
#include <cstring>
#include <iterator>

#include "base/search_heap.h"
#include "model/step_hash.h"
#include "threads/execution.h"
#include "threads/memory/heap.h"
#include "threads/own_code.h"

namespace ricercar::inline threads {
namespace {

template <typename T, typename Container>
Array<T> shared_copy(const Container& from) {
  Array<T> to{search_allocate_array<T>(from.size()), from.size()};
  std::copy(from.begin(), from.end(), to.data);
  return to;
}

int add_module(dl_phdr_info* object, std::size_t, void* result) {
  auto& modules = *static_cast<std::vector<RecordedModule>*>(result);
  const AddressRange range = range_of(*object);
  RecordedModule module{};
  std::strncpy(module.path, object->dlpi_name, sizeof module.path - 1);
  module.base = object->dlpi_addr;
  module.low = range.low;
  module.high = range.high;
  modules.push_back(module);
  return 0;
}

inline std::uint64_t value_at(std::uint64_t address, std::uint32_t size) {
  const auto* at = reinterpret_cast<const void*>(address);
  std::uint64_t value = 0;
  // Sizes that the compiler knows are single instructions.
  switch (size) {
    case 1:
      std::memcpy(&value, at, 1);
      break;
    case 2:
      std::memcpy(&value, at, 2);
      break;
    case 4:
      std::memcpy(&value, at, 4);
      break;
    default:
      std::memcpy(&value, at, size < 8 ? size : 8);
  }
  return value;
}

}  // namespace

RecordedEvent& Recorder::add(LastEvents& to) {
  settle_write();
  return to.add();
}

// The hook of a write comes before the write: the value is read when the next event comes.
void Recorder::settle_write() {
  if (unsettled_ == nullptr) return;
  unsettled_->value = value_at(unsettled_->object, unsettled_->size);
  unsettled_ = nullptr;
}

Recorder::Stack& Recorder::stack_of(TaskId task) {
  if (task_stacks_.size() <= index(task)) task_stacks_.resize(index(task) + 1);
  return task_stacks_[index(task)];
}

void Recorder::function_entered(Execution& x, const MachineFrame& frame) {
  stacks_.function_entered(x.self().id, frame);
}

void Recorder::announce(Execution& x, std::uint64_t site) {
  stack_of(x.self().id) = stacks_.current(x.self().id, site);
}

std::vector<RecordedModule> loaded_modules() {
  std::vector<RecordedModule> modules;
  dl_iterate_phdr(add_module, &modules);
  return modules;
}

void Recorder::step_happened(Execution& x) {
  const Step& step = x.steps.last();
  // What the runtime does for the program, such as starting threads from before main, has a place
  // but no stack.
  Stack number = stack_of(step.task);
  if (number == CallStacks::none) number = stacks_.of_site(step.site);
  const StackRef stack = stacks_[number];
  add(steps_) = {step, x.steps.size() - 1, stack, RecordedEvent::no_order};
  if (step.kind == OperationKind::create) {
    creations_.resize(std::max<std::size_t>(creations_.size(), step.value + 1));
    creations_[step.value] = stack;
    stacks_.task_created(task_id(static_cast<std::uint32_t>(step.value)));
  }
  end_if_last(x, step);
}

void Recorder::end_after(std::uint64_t steps, Outcome outcome) {
  last_step_ = steps;
  end_ = std::move(outcome);
}

void Recorder::end_if_last(Execution& x, const Step& step) {
  if (x.steps.size() != last_step_) return;
  Outcome outcome = end_;
  outcome.task = step.task;
  outcome.site = step.site;
  x.fail(std::move(outcome));
}

inline void Recorder::add_access(Execution& x, const Operation& operation, std::uint64_t value,
                                 Stack stack) {
  const Step step = {operation.site,
                     operation.object,
                     value,
                     x.self().id,
                     operation.kind,
                     0,
                     operation.size,
                     0,
                     0};
  add(accesses_) = {step, x.steps.size(), stacks_[stack], RecordedEvent::no_order};
}

inline bool Recorder::is_recorded(std::uint64_t access) {
  const bool is_in_part =
      part_.first == 0 ? recorded_ < most_accesses_at_first : access >= part_.first;
  ++(is_in_part ? recorded_ : left_out_);
  return is_in_part;
}

RecordedPart Recorder::next_part(const Execution& x) const {
  if (left_out_ != 0 && part_.first == 0) {
    return {x.accesses.plain(x.steps.open()) - most_accesses + 1, racing_access_};
  }
  const bool lacks_stack = racing_access_ != 0 && part_.wanted == 0;
  return lacks_stack ? RecordedPart{part_.first, racing_access_} : RecordedPart{};
}

// The access is a step already; its value is what is missing.
Recorder::Stack Recorder::step_access(Execution& x, std::uint64_t address, std::uint32_t size,
                                      bool is_write, std::uint64_t site) {
  settle_write();
  if (!steps_.empty()) {
    steps_.back().step.value = value_at(address, size);
    if (is_write && size <= 8) unsettled_ = &steps_.back().step;
  }
  return stacks_.current(x.self().id, site);
}

Recorder::Stack Recorder::plain_access(Execution& x, std::uint64_t address, std::uint32_t size,
                                       bool is_write, std::uint64_t site) {
  const bool is_start = x.tasks.count() == 1;
  if (is_start && ++accesses_of_the_start_ > most_accesses_of_the_start) return CallStacks::none;
  const bool is_step =
      x.accesses.may_be_points && !x.tasks.alone_for_good() && x.accesses.last_is_point;
  if (is_step) return step_access(x, address, size, is_write, site);
  if (!is_start) {
    const std::uint64_t access = x.accesses.plain(x.steps.open());
    if (access == part_.wanted) return stacks_.current(x.self().id, site);
    if (!is_recorded(access)) return access | number_of_access;
  }
  const Stack stack = stacks_.current(x.self().id, site);
  const auto kind = is_write ? OperationKind::write : OperationKind::read;
  const auto shown_size = static_cast<std::uint8_t>(size < 255 ? size : 255);
  add_access(x, {address, site, kind, shown_size}, value_at(address, size), stack);
  if (is_write && size <= 8) unsettled_ = &accesses_.back().step;
  return stack;
}

Recorder::Stack Recorder::atomic_access(Execution& x, std::uint8_t order, std::uint64_t site) {
  if (!x.options().points_at(Points::atomic)) return stacks_.current(x.self().id, site);
  if (!steps_.empty()) steps_.back().order = order;
  return stack_of(x.self().id);
}

void Recorder::name_step(Execution& x, const std::string& words) {
  RecordedCall call{};
  call.step_index = x.steps.size() - 1;
  std::strncpy(call.words, words.c_str(), sizeof call.words - 1);
  calls_.push_back(call);
}

Recorder::Stack Recorder::heap_event(Execution& x, bool allocated, std::uint64_t address,
                                     std::uint64_t size, std::uint64_t site) {
  const Stack stack = stacks_.current(x.self().id, site);
  if (allocated) {
    allocation_at_[address] = allocations_.size();
    allocations_.push_back({address, size, x.self().id, no_task, stacks_[stack], {}});
    return stack;
  }
  if (!allocation_at_.contains(address)) add_older_block(address, size);
  RecordedAllocation& allocation = allocations_[allocation_at_.at(address)];
  allocation.freed_by = x.self().id;
  allocation.freed_stack = stacks_[stack];
  if (x.tasks.count() > 1) note_free(x, address, site, stack);
  return stack;
}

void Recorder::note_free(Execution& x, std::uint64_t address, std::uint64_t site, Stack stack) {
  add_access(x, {address, site, OperationKind::release, 0}, 0, stack);
}

// A block from before the execution: nobody knows who allocated it.
void Recorder::add_older_block(std::uint64_t address, std::uint64_t size) {
  allocation_at_[address] = allocations_.size();
  allocations_.push_back({address, size, no_task, no_task, {}, {}});
}

void Recorder::note_older_blocks(Array<RecordedEvent> events) {
  HeapBlock last{};
  for (const RecordedEvent& event : events) {
    if (event.step.object - last.address < last.size) continue;
    last = heap_block_of(event.step.object);
    if (last.address == 0 || allocation_at_.contains(last.address)) continue;
    add_older_block(last.address, last.size);
  }
}

// The access that ends the execution has not happened: it is the outcome.
void Recorder::drop_last_access(const Outcome& outcome, std::uint64_t step_index) {
  if (outcome.kind != OutcomeKind::data_race || accesses_.empty()) return;
  const RecordedEvent& last = accesses_.back();
  const bool is_outcome = last.step_index == step_index && last.step.task == outcome.task &&
                          last.step.site == outcome.site;
  if (!is_outcome) return;
  unsettled_ = nullptr;
  accesses_.drop_last();
}

void Recorder::note_other_access(std::uint64_t event) {
  if ((event & number_of_access) != 0) {
    racing_access_ = event & ~number_of_access;
  } else {
    outcome_.other_stack = stacks_[event];
  }
}

void Recorder::execution_ended(Execution& x, const Outcome& outcome) {
  drop_last_access(outcome, x.steps.size());
  settle_write();
  outcome_ = {};
  outcome_.kind = outcome.kind;
  outcome_.task = outcome.task;
  outcome_.other_task = outcome.other_task;
  outcome_.is_write = outcome.is_write;
  outcome_.other_is_write = outcome.other_is_write;
  outcome_.number = outcome.number;
  outcome_.site = outcome.site;
  outcome_.object = outcome.object;
  outcome_.other_site = outcome.other_site;
  std::strncpy(outcome_.message, outcome.message.c_str(), sizeof outcome_.message - 1);
  if (outcome.kind == OutcomeKind::ok) return;
  if (x.steps.size() == last_step_) {
    // The last step is another task's, which did not run any more.
    outcome_.stack = stacks_[stack_of(outcome.task)];
    return;
  }
  const Stack here = stacks_.unwound(x.self().id);
  outcome_.stack = stacks_[here];
  if (outcome.kind == OutcomeKind::data_race) {
    note_other_access(outcome.other_event);
  }
  if (outcome.kind == OutcomeKind::lock_misuse && outcome.other_task != no_task) {
    outcome_.other_stack = where_destroyed(outcome.object);
  }
  // A deadlock may be noticed by anybody, even by a task that has ended.
  if (outcome.kind != OutcomeKind::deadlock) stack_of(x.self().id) = here;
}

void Recorder::note_leak(const Outcome& leak) {
  if (outcome_.kind != OutcomeKind::ok || !leak.is_bug()) return;
  outcome_.kind = leak.kind;
  outcome_.task = leak.task;
  outcome_.site = leak.site;
  std::strncpy(outcome_.message, leak.message.c_str(), sizeof outcome_.message - 1);
  if (index(leak.task) < creations_.size()) outcome_.stack = creations_[index(leak.task)];
}

// Who waits for what it holds itself has tried to take it once more: that is its last step then.
StackRef Recorder::where_taken(const Execution& x, std::uint64_t object, TaskId task) const {
  const Operation pending = x.turns.is_blocked(task) ? x.tasks.pending(task) : Operation{};
  const RecordedEvent* attempt = nullptr;
  for (std::size_t i = steps_.size(); i-- > 0;) {
    const RecordedEvent* event = &steps_[i];
    const Step& step = event->step;
    const bool is_failed = (step.flags & step_failed) != 0;
    if (step.object != object || step.task != task || is_failed) continue;
    if (step.kind == OperationKind::unlock && attempt != nullptr) break;
    if (step.kind == OperationKind::unlock) continue;
    const bool is_pending =
        pending.object == object && pending.kind == step.kind && pending.site == step.site;
    if (attempt != nullptr || !is_pending) return event->stack;
    attempt = event;
  }
  return attempt == nullptr ? StackRef{} : attempt->stack;
}

StackRef Recorder::where_destroyed(std::uint64_t object) const {
  for (std::size_t i = steps_.size(); i-- > 0;) {
    const OperationKind kind = steps_[i].step.kind;
    const bool is_end = kind == OperationKind::destroy || kind == OperationKind::key_delete;
    if (is_end && steps_[i].step.object == object) return steps_[i].stack;
  }
  return {};
}

void Recorder::note_holds(Execution& x, Recording& recording) {
  std::vector<RecordedHold> holds;
  x.objects.for_each([&](SyncObject& object) {
    if (object.kind != ObjectKind::mutex && object.kind != ObjectKind::rwlock) return;
    if (object.owner != no_task) {
      holds.push_back({object.address, object.owner, where_taken(x, object.address, object.owner)});
    }
    if (object.count == 0 || object.kind != ObjectKind::rwlock) return;
    object.readers.for_each([&](TaskId reader) {
      holds.push_back({object.address, reader, where_taken(x, object.address, reader)});
    });
  });
  recording.holds = shared_copy<RecordedHold>(holds);
}

void Recorder::note_end(Execution& x, Recording& recording) {
  std::vector<RecordedTask> tasks;
  task_stacks_.resize(x.tasks.count());
  creations_.resize(x.tasks.count());
  for (std::uint32_t i = 0; i < x.tasks.count(); ++i) {
    const Task& task = x.tasks[task_id(i)];
    RecordedTask record{};
    record.id = task.id;
    record.creator = task.creator;
    record.ended = task.state == TaskState::ended;
    record.detached = task.detached;
    record.start_routine = i == 0 ? 0 : reinterpret_cast<std::uint64_t>(task.routine);
    record.stack_low = reinterpret_cast<std::uint64_t>(task.fiber->stack.low);
    record.stack_high = record.stack_low + task.fiber->stack.size;
    std::strncpy(record.name, task.name, sizeof record.name - 1);
    record.stack = stacks_[task_stacks_[i]];
    record.creation = creations_[i];
    record.blocked = !record.ended && x.turns.is_blocked(task.id);
    record.waiting = x.tasks.pending(task.id);
    tasks.push_back(record);
  }
  recording.tasks = shared_copy<RecordedTask>(tasks);
}

// Values are added to a step after it was written: take them from the trace now.
void Recorder::take_values(Trace trace) {
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    RecordedEvent& event = steps_[i];
    const bool plain =
        event.step.kind == OperationKind::read || event.step.kind == OperationKind::write;
    if (!plain && event.step_index < trace.size()) event.step = trace[event.step_index];
  }
}

// An access comes before the step of the same index.
Array<RecordedEvent> Recorder::all_events() const {
  const SharedAllocation shared;
  const std::size_t count = steps_.size() + accesses_.size();
  Array<RecordedEvent> all{search_allocate_array<RecordedEvent>(count), count};
  std::size_t step = 0;
  std::size_t access = 0;
  for (RecordedEvent& event : all) {
    const bool is_step =
        access == accesses_.size() ||
        (step < steps_.size() && steps_[step].step_index < accesses_[access].step_index);
    event = is_step ? steps_[step++] : accesses_[access++];
  }
  return all;
}

Recording* Recorder::finish(Execution& x) {
  const Trace trace = x.steps.trace();
  take_values(trace);
  const Array<RecordedEvent> events = all_events();
  note_older_blocks(events);
  SharedAllocation shared;
  auto* recording = search_allocate_array<Recording>(1);
  *recording = {};
  recording->outcome = outcome_;
  recording->trace_hash = hash_of(trace);
  recording->steps = trace.size();
  recording->truncated = steps_.has_dropped() || accesses_.has_dropped() ||
                         accesses_of_the_start_ > most_accesses_of_the_start || left_out_ != 0;
  recording->next_part = next_part(x);
  recording->period = x.end.livelock_period();
  recording->events = events;
  note_end(x, *recording);
  note_holds(x, *recording);
  recording->allocations = shared_copy<RecordedAllocation>(allocations_);
  recording->calls = shared_copy<RecordedCall>(calls_);
  recording->modules = shared_copy<RecordedModule>(loaded_modules());
  stacks_.finish(*recording);
  return recording;
}

}  // namespace ricercar::inline threads
