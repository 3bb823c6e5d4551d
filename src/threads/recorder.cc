#include "threads/recorder.h"

#include <link.h>
#include <unwind.h>

#include <cstring>
#include <utility>

#include "base/search_heap.h"
#include "model/step_hash.h"
#include "threads/execution.h"
#include "threads/memory/heap.h"
#include "threads/own_code.h"

namespace ricercar {
namespace {

template <typename T, typename Container>
Array<T> shared_copy(const Container& from) {
  Array<T> to{search_allocate_array<T>(from.size()), from.size()};
  std::copy(from.begin(), from.end(), to.data);
  return to;
}

struct Unwinding {
  std::uint64_t frames[64];
  std::uint64_t addresses[64];
  std::uint32_t count = 0;
};

// The runtime's own frames on top of the stack are not the program's business.
_Unwind_Reason_Code add_frame(_Unwind_Context* context, void* argument) {
  auto& unwinding = *static_cast<Unwinding*>(argument);
  const std::uint64_t address = _Unwind_GetIP(context);
  // What the unwinder calls the canonical frame address of a frame is that of the one it called.
  if (unwinding.count > 0 && unwinding.addresses[unwinding.count - 1] == 0) {
    unwinding.addresses[unwinding.count - 1] = _Unwind_GetCFA(context);
  }
  if (address == 0) return _URC_END_OF_STACK;
  if (is_own_code(address)) return _URC_NO_REASON;
  if (unwinding.count == 64) return _URC_END_OF_STACK;
  unwinding.addresses[unwinding.count] = 0;
  unwinding.frames[unwinding.count++] = address;
  return _URC_NO_REASON;
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

std::uint64_t value_at(std::uint64_t address, std::uint32_t size) {
  std::uint64_t value = 0;
  std::memcpy(&value, reinterpret_cast<const void*>(address), size < 8 ? size : 8);
  return value;
}

}  // namespace

StackRef Recorder::current_stack() {
  Unwinding unwinding;
  // The unwinder takes locks and initialises itself once, which is not the program's doing.
  const bool was_controlled = std::exchange(controlled_flag, false);
  _Unwind_Backtrace(add_frame, &unwinding);
  controlled_flag = was_controlled;
  std::uint64_t hash = unwinding.count;
  for (std::uint32_t i = 0; i < unwinding.count; ++i) {
    hash = mix64(mix64(hash ^ unwinding.frames[i]) ^ unwinding.addresses[i]);
  }
  const auto [known, inserted] = known_stacks_.try_emplace(hash);
  if (inserted) {
    known->second = {static_cast<std::uint32_t>(frames_.size()), unwinding.count};
    frames_.insert(frames_.end(), unwinding.frames, unwinding.frames + unwinding.count);
    frame_addresses_.insert(frame_addresses_.end(), unwinding.addresses,
                            unwinding.addresses + unwinding.count);
  }
  return known->second;
}

// What the runtime does for the program, such as starting threads from before main, has a place but
// no stack.
StackRef Recorder::stack_of_site(std::uint64_t site) {
  if (site == 0) return {};
  const StackRef stack{static_cast<std::uint32_t>(frames_.size()), 1};
  frames_.push_back(site);
  frame_addresses_.push_back(0);
  return stack;
}

void Recorder::add(const RecordedEvent& event) {
  settle_write();
  events_.push_back(event);
  if (events_.size() > max_events) {
    events_.pop_front();
    ++dropped_;
  }
}

// The hook of a write comes before the write: the value is read when the next event comes.
void Recorder::settle_write() {
  if (!unsettled_) return;
  unsettled_ = false;
  Step& step = events_.back().step;
  step.value = value_at(step.object, step.size);
}

void Recorder::announce(Execution& x) {
  const std::uint32_t task = index(x.self().id);
  if (task_stacks_.size() <= task) task_stacks_.resize(task + 1);
  task_stacks_[task] = current_stack();
}

std::vector<RecordedModule> loaded_modules() {
  std::vector<RecordedModule> modules;
  dl_iterate_phdr(add_module, &modules);
  return modules;
}

void Recorder::step_happened(Execution& x) {
  const Step& step = x.step();
  const std::uint32_t task = index(step.task);
  if (task_stacks_.size() <= task) task_stacks_.resize(task + 1);
  const bool has_stack = task_stacks_[task].size != 0;
  const StackRef stack = has_stack ? task_stacks_[task] : stack_of_site(step.site);
  add({step, x.trace().size() - 1, stack});
  if (step.kind == OperationKind::create) {
    creations_.resize(std::max<std::size_t>(creations_.size(), step.value + 1));
    creations_[step.value] = stack;
  }
}

void Recorder::plain_access(Execution& x, std::uint64_t address, std::uint32_t size, bool is_write,
                            std::uint64_t site) {
  const StackRef stack = current_stack();
  access_stacks_[x.event_number()] = stack;
  if (x.access_is_step()) {
    // The access is a step already; its value is what is missing.
    settle_write();
    if (!events_.empty()) {
      events_.back().step.value = value_at(address, size);
      unsettled_ = is_write && size <= 8;
    }
    return;
  }
  Step step{};
  step.site = site;
  step.object = address;
  step.task = x.self().id;
  step.kind = is_write ? OperationKind::write : OperationKind::read;
  step.size = static_cast<std::uint8_t>(size < 255 ? size : 255);
  step.value = value_at(address, size);
  add({step, x.trace().size(), stack});
  unsettled_ = is_write && size <= 8;
}

void Recorder::heap_event(Execution& x, bool allocated, std::uint64_t address, std::uint64_t size) {
  if (allocated) {
    allocation_at_[address] = allocations_.size();
    allocations_.push_back({address, size, x.self().id, no_task, current_stack(), {}});
    return;
  }
  if (!allocation_at_.contains(address)) add_older_block(address, size);
  RecordedAllocation& allocation = allocations_[allocation_at_.at(address)];
  allocation.freed_by = x.self().id;
  allocation.freed_stack = current_stack();
}

// A block from before the execution: nobody knows who allocated it.
void Recorder::add_older_block(std::uint64_t address, std::uint64_t size) {
  allocation_at_[address] = allocations_.size();
  allocations_.push_back({address, size, no_task, no_task, {}, {}});
}

void Recorder::note_older_blocks() {
  for (const RecordedEvent& event : events_) {
    const HeapBlock block = heap_block_of(event.step.object);
    if (block.address == 0 || allocation_at_.contains(block.address)) continue;
    add_older_block(block.address, block.size);
  }
}

StackRef Recorder::stack_of_event(std::uint64_t event) const {
  const auto found = access_stacks_.find(event);
  return found == access_stacks_.end() ? StackRef{} : found->second;
}

void Recorder::execution_ended(Execution& x, const Outcome& outcome) {
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
  if (outcome.kind != OutcomeKind::ok) outcome_.stack = current_stack();
  if (outcome.kind == OutcomeKind::data_race) {
    outcome_.other_stack = stack_of_event(outcome.other_event);
  }
  if (outcome.kind == OutcomeKind::lock_misuse && outcome.other_task != no_task) {
    outcome_.other_stack = where_destroyed(outcome.object);
  }
  if (index(x.self().id) < task_stacks_.size() && outcome.kind != OutcomeKind::deadlock) {
    task_stacks_[index(x.self().id)] = outcome_.stack;
  }
}

void Recorder::note_leak(const Outcome& leak) {
  if (outcome_.kind != OutcomeKind::ok || !leak.is_bug()) return;
  outcome_.kind = leak.kind;
  outcome_.task = leak.task;
  outcome_.site = leak.site;
  std::strncpy(outcome_.message, leak.message.c_str(), sizeof outcome_.message - 1);
  if (index(leak.task) < creations_.size()) outcome_.stack = creations_[index(leak.task)];
}

StackRef Recorder::where_taken(std::uint64_t object, TaskId task) const {
  for (auto event = events_.rbegin(); event != events_.rend(); ++event) {
    if (event->step.object != object || event->step.task != task) continue;
    if (event->step.kind != OperationKind::unlock) return event->stack;
  }
  return {};
}

StackRef Recorder::where_destroyed(std::uint64_t object) const {
  for (auto event = events_.rbegin(); event != events_.rend(); ++event) {
    const bool is_end = event->step.kind == OperationKind::destroy;
    if (is_end && event->step.object == object) return event->stack;
  }
  return {};
}

void Recorder::note_holds(Execution& x, Recording& recording) {
  std::vector<RecordedHold> holds;
  x.objects().for_each([&](SyncObject& object) {
    if (object.kind != ObjectKind::mutex && object.kind != ObjectKind::rwlock) return;
    if (object.owner != no_task) {
      holds.push_back({object.address, object.owner, where_taken(object.address, object.owner)});
    }
    if (object.count == 0 || object.kind != ObjectKind::rwlock) return;
    object.readers.for_each([&](TaskId reader) {
      holds.push_back({object.address, reader, where_taken(object.address, reader)});
    });
  });
  recording.holds = shared_copy<RecordedHold>(holds);
}

void Recorder::note_end(Execution& x, Recording& recording) {
  std::vector<RecordedTask> tasks;
  task_stacks_.resize(x.task_count());
  creations_.resize(x.task_count());
  for (std::uint32_t i = 0; i < x.task_count(); ++i) {
    const Task& task = x.task(task_id(i));
    RecordedTask record{};
    record.id = task.id;
    record.creator = task.creator;
    record.ended = task.state == TaskState::ended;
    record.detached = task.detached;
    record.start_routine = i == 0 ? 0 : reinterpret_cast<std::uint64_t>(task.routine);
    record.stack_low = reinterpret_cast<std::uint64_t>(task.fiber->stack.low);
    record.stack_high = record.stack_low + task.fiber->stack.size;
    std::strncpy(record.name, task.name, sizeof record.name - 1);
    record.stack = task_stacks_[i];
    record.creation = creations_[i];
    record.blocked = !record.ended && x.is_blocked(task.id);
    record.waiting = x.pending(task.id);
    tasks.push_back(record);
  }
  recording.tasks = shared_copy<RecordedTask>(tasks);
}

Recording* Recorder::finish(Execution& x) {
  // Values are added to a step after it was written: take them from the trace now.
  const Trace trace = x.trace();
  for (RecordedEvent& event : events_) {
    const bool plain =
        event.step.kind == OperationKind::read || event.step.kind == OperationKind::write;
    if (!plain && event.step_index < trace.size()) event.step = trace[event.step_index];
  }
  note_older_blocks();
  SharedAllocation shared;
  auto* recording = search_allocate_array<Recording>(1);
  *recording = {};
  recording->outcome = outcome_;
  recording->trace_hash = hash_of(trace);
  recording->steps = trace.size();
  recording->truncated = dropped_ != 0;
  recording->period = x.livelock_period();
  recording->events = shared_copy<RecordedEvent>(events_);
  note_end(x, *recording);
  note_holds(x, *recording);
  recording->frames = shared_copy<std::uint64_t>(frames_);
  recording->frame_addresses = shared_copy<std::uint64_t>(frame_addresses_);
  recording->allocations = shared_copy<RecordedAllocation>(allocations_);
  recording->modules = shared_copy<RecordedModule>(loaded_modules());
  return recording;
}

}  // namespace ricercar
