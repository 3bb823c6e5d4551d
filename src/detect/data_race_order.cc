// Happens-before: the part of the race detector that knows tasks, objects, atomics and fences.
#include <algorithm>

#include "base/check.h"
#include "detect/data_race.h"

namespace ricercar::inline detect {
namespace {

// More slots than tasks, for numbers that are used again although their last task has not been
// joined.
constexpr std::uint32_t max_slots = 4 * max_tasks;
constexpr std::uint32_t no_slot = max_slots;
// Clocks start again from 1 when an execution of 2^31 steps might not fit any more.
constexpr std::uint32_t clock_restart = std::uint32_t{1} << 31;

constexpr bool acquires(Order order) {
  return order == Order::consume || order == Order::acquire || order >= Order::acq_rel;
}
constexpr bool releases(Order order) { return order >= Order::release; }

constexpr std::uint64_t object_name(std::uint64_t address) { return address << 1; }
constexpr std::uint64_t atomic_name(std::uint64_t address) { return address << 1 | 1; }

}  // namespace

RaceDetector::RaceDetector() { begin_execution(); }

void RaceDetector::begin_execution() {
  for (std::uint32_t slot = 0; slot < slots_used_; ++slot) {
    last_clock_ = std::max(last_clock_, slots_[slot]->clock);
  }
  for (const Incarnation& old : incarnations_) {
    tasks_[index(old.task)] = nullptr;
    epochs_[index(old.task)] = 0;
  }
  anybody_ignores_ = false;
  slots_used_ = 0;
  idle_slots_.clear();
  incarnations_.clear();
  objects_.begin_execution();
  shadow_.begin_execution();
  if (last_clock_ >= clock_restart) {
    shadow_.wipe();
    last_clock_ = 0;
  }
  TaskClocks& main = start_task(task_id(0), fresh_slot());
  main.now.clear();
  advance(main);
}

// Tasks and slots.

void RaceDetector::advance(TaskClocks& clocks) {
  RICERCAR_CHECK(clocks.clock != ~std::uint32_t{0});
  ++clocks.clock;
  clocks.now.set(clocks.slot, clocks.clock);
  epochs_[index(clocks.task)] = access_key::make_epoch(clocks.clock, clocks.slot);
  if constexpr (checks_every_step) check_clocks(clocks);
}

void RaceDetector::check_clocks(const TaskClocks& clocks) const {
  RICERCAR_CHECK(clocks.now[clocks.slot] == clocks.clock);
  for (std::uint32_t slot = 0; slot < slots_used_; ++slot) {
    const std::uint32_t done = slots_[slot]->clock;
    RICERCAR_CHECK(clocks.now[slot] <= done);
    RICERCAR_CHECK(clocks.observed[slot] <= done);
    RICERCAR_CHECK(clocks.fenced[slot] <= done);
  }
}

void RaceDetector::check_invariants() const {
  for (std::uint32_t slot = 0; slot < slots_used_; ++slot) check_clocks(*slots_[slot]);
}

void RaceDetector::task_created(TaskId parent, TaskId child) {
  TaskClocks& creator = clocks_of(parent);
  TaskClocks& created = start_task(child, slot_for(creator, child));
  created.now.assign(creator.now);
  advance(created);
  advance(creator);
}

void RaceDetector::task_joined(TaskId joiner, TaskId ended) {
  TaskClocks& clocks = clocks_of(ended);
  clocks_of(joiner).now.join(clocks.now);
  if constexpr (checks_every_step) check_clocks(clocks_of(joiner));
  if (clocks.joined) return;
  clocks.joined = true;
  idle_slots_.push_back(clocks.slot);
}

// A slot whose last task, if any, happens before the child: going on with its clock is then exact.
std::uint32_t RaceDetector::slot_for(const TaskClocks& parent, TaskId child) {
  const std::uint32_t idle = idle_slot_for(parent);
  if (idle != no_slot) return idle;
  const TaskClocks* last = tasks_[index(child)];
  const bool last_is_known = last != nullptr && parent.now[last->slot] >= last->clock;
  if (!last_is_known && slots_used_ < max_slots) return fresh_slot();
  // Out of slots: the last task of this number seems to happen before the new one. Races between
  // the two are missed; no false one is found.
  RICERCAR_CHECK(last != nullptr);
  if (last->joined) std::erase(idle_slots_, last->slot);
  return last->slot;
}

std::uint32_t RaceDetector::idle_slot_for(const TaskClocks& parent) {
  constexpr std::size_t looked_at = 8;
  const std::size_t count = idle_slots_.size();
  for (std::size_t i = count; i > 0 && i + looked_at > count; --i) {
    const std::uint32_t slot = idle_slots_[i - 1];
    if (parent.now[slot] < slots_[slot]->clock) continue;
    idle_slots_.erase(idle_slots_.begin() + static_cast<std::ptrdiff_t>(i - 1));
    return slot;
  }
  return no_slot;
}

std::uint32_t RaceDetector::fresh_slot() {
  if (slots_used_ == slots_.size()) slots_.push_back(std::make_unique<TaskClocks>());
  TaskClocks& clocks = *slots_[slots_used_];
  clocks.task = no_task;
  clocks.slot = slots_used_;
  clocks.clock = last_clock_;
  return slots_used_++;
}

RaceDetector::TaskClocks& RaceDetector::start_task(TaskId task, std::uint32_t slot) {
  RICERCAR_CHECK(index(task) < max_tasks);
  TaskClocks& clocks = *slots_[slot];
  if (clocks.task != no_task && tasks_[index(clocks.task)] == &clocks) {
    tasks_[index(clocks.task)] = nullptr;
    epochs_[index(clocks.task)] = 0;
  }
  clocks.task = task;
  clocks.joined = false;
  clocks.ignored = 0;
  clocks.observed.clear();
  clocks.fenced.clear();
  tasks_[index(task)] = &clocks;
  incarnations_.push_back({task, slot, clocks.clock + 1});
  return clocks;
}

TaskId RaceDetector::task_at(std::uint32_t slot, std::uint32_t clock) const {
  const auto found =
      std::find_if(incarnations_.rbegin(), incarnations_.rend(),
                   [&](const Incarnation& i) { return i.slot == slot && i.first_clock <= clock; });
  RICERCAR_CHECK(found != incarnations_.rend());
  return found->task;
}

// Synchronisation objects. An object that is empty is named anew, because the end of the memory
// that it was in has ended the name.

VectorClock& RaceDetector::obtain(std::uint64_t name, std::uint64_t address) {
  VectorClock& clock = objects_.obtain(name);
  if (clock.empty()) shadow_.add_name(address);
  return clock;
}

void RaceDetector::acquire(TaskId task, std::uint64_t object) {
  const VectorClock* carried = objects_.find(object_name(object));
  if (carried == nullptr) return;
  TaskClocks& clocks = clocks_of(task);
  if (!ignores_synchronisation(clocks)) clocks.now.join(*carried);
  if constexpr (checks_every_step) check_clocks(clocks);
}

void RaceDetector::release(TaskId task, std::uint64_t object) {
  TaskClocks& clocks = clocks_of(task);
  if (ignores_synchronisation(clocks)) return;
  obtain(object_name(object), object).join(clocks.now);
  advance(clocks);
}

void RaceDetector::release_store(TaskId task, std::uint64_t object) {
  TaskClocks& clocks = clocks_of(task);
  if (ignores_synchronisation(clocks)) return;
  obtain(object_name(object), object).assign(clocks.now);
  advance(clocks);
}

void RaceDetector::object_destroyed(std::uint64_t object) {
  if (VectorClock* carried = objects_.find(object_name(object))) carried->clear();
}

// Atomics. The clock of an atomic is what its last value carries: what happened before the heads of
// all release sequences, real ones and those that release fences head, that the value is in.

void RaceDetector::observe(TaskClocks& clocks, const VectorClock* carried, Order order) {
  if (carried == nullptr || carried->empty()) return;
  (acquires(order) ? clocks.now : clocks.observed).join(*carried);
  if constexpr (checks_every_step) check_clocks(clocks);
}

const Race* RaceDetector::atomic_load(TaskId task, std::uint64_t address, std::uint32_t size,
                                      Order order, std::uint64_t site, std::uint64_t event) {
  TaskClocks& clocks = clocks_of(task);
  if (!ignores_synchronisation(clocks)) {
    observe(clocks, objects_.find(atomic_name(address)), order);
  }
  return access(task, address, size, 0, site, event);
}

const Race* RaceDetector::atomic_store(TaskId task, std::uint64_t address, std::uint32_t size,
                                       Order order, std::uint64_t site, std::uint64_t event) {
  TaskClocks& clocks = clocks_of(task);
  const Race* race = access(task, address, size, access_key::write, site, event);
  if (ignores_synchronisation(clocks)) return race;
  if (releases(order)) {
    obtain(atomic_name(address), address).assign(clocks.now);
    advance(clocks);
  } else if (!clocks.fenced.empty()) {
    obtain(atomic_name(address), address).assign(clocks.fenced);
  } else if (VectorClock* carried = objects_.find(atomic_name(address))) {
    carried->clear();
  }
  return race;
}

const Race* RaceDetector::atomic_update(TaskId task, std::uint64_t address, std::uint32_t size,
                                        Order order, std::uint64_t site, std::uint64_t event) {
  TaskClocks& clocks = clocks_of(task);
  if (ignores_synchronisation(clocks)) {
    return access(task, address, size, access_key::write, site, event);
  }
  VectorClock* carried = objects_.find(atomic_name(address));
  observe(clocks, carried, order);
  const Race* race = access(task, address, size, access_key::write, site, event);
  const VectorClock& added = releases(order) ? clocks.now : clocks.fenced;
  if (!added.empty()) {
    if (carried == nullptr || carried->empty()) carried = &obtain(atomic_name(address), address);
    carried->join(added);
  }
  if (releases(order)) advance(clocks);
  return race;
}

void RaceDetector::fence(TaskId task, Order order) {
  TaskClocks& clocks = clocks_of(task);
  if (ignores_synchronisation(clocks)) return;
  if (acquires(order)) {
    clocks.now.join(clocks.observed);
    clocks.observed.clear();
  }
  if (releases(order)) {
    clocks.fenced.assign(clocks.now);
    advance(clocks);
  }
}

void RaceDetector::end_names() {
  for (const std::uint64_t address : named_) {
    for (const std::uint64_t name : {object_name(address), atomic_name(address)}) {
      if (VectorClock* carried = objects_.find(name)) carried->clear();
    }
  }
  named_.clear();
}

}  // namespace ricercar::inline detect
