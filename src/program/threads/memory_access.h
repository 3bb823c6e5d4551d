// What every access of instrumented code to memory goes through: use-after-free, races, choice
// points, and the trace of a detailed replay.
#pragma once

#include <cstddef>
#include <cstdint>

#include "threads/clean_stack.h"
#include "threads/execution.h"
#include "threads/memory/heap.h"
#include "threads/spin.h"

namespace ricercar::inline threads {

// Both end the execution, unless it goes on through what was found (Execution::found).
void report_use_after_free(std::uint64_t address, std::uint32_t size, bool is_write,
                           std::uint64_t site);
// `is_free`: the later access is the end of the memory's life.
void report_race(const Race& race, bool is_free = false);

inline void check_freed(std::uint64_t address, std::uint32_t size, bool is_write,
                        std::uint64_t site) {
  if (__builtin_expect(heap_state(address) == HeapState::freed, 0)) {
    report_use_after_free(address, size, is_write, site);
  }
}

// Whether what the running task does is ordered with all that others have done: nobody else is
// alive, and everybody has been joined. Who has ended without that may as well have run later.
bool is_ordered();

// An access that is no point (LongRun). `may_spin`: it is a read of instrumented code.
void look_at_long_run(std::uint64_t site, bool may_spin);
inline void count_uninterrupted(std::uint64_t site, bool may_spin = false) {
  if (__builtin_expect(execution.accesses.long_run.count(), 0)) look_at_long_run(site, may_spin);
}
inline void count_atomic(std::uint64_t site) {
  if (__builtin_expect(execution.accesses.long_run.count_atomic(), 0)) {
    look_at_long_run(site, false);
  }
}
// Before a plain read that is a point: whether the running task spins. What code that is not
// instrumented does in such a loop is not seen, so spinning there proves no livelock.
void check_plain_spin(std::uint64_t site);

// What the race detector is told of next; only while there is a recorder.
void record_atomic(int order, std::uint64_t site);
void record_heap(bool allocated, std::uint64_t address, std::uint64_t size, std::uint64_t site);
void record_place(std::uint64_t site);
void note_plain_access(std::uint64_t address, std::uint32_t size, bool is_write,
                       std::uint64_t site);
// The running task frees a block.
void block_freed(std::uint64_t address, std::uint64_t size);
// Whether anything depends on what is allocated and freed.
inline bool wants_heap_events() {
  return execution.options().looks_for_races() || !execution.accesses.are_quiet ||
         execution.objects.any_in_heap();
}

// The search may switch to another task before this access: asked once for each.
inline bool is_access_point(std::uint64_t address, std::uint32_t size, bool is_write) {
  Execution& x = execution;
  if (!x.accesses.may_be_points) return false;
  if (x.tasks.alone_for_good()) return false;
  x.accesses.last_is_point = x.options().points == Points::memory ||
                             x.accesses.sharing.is_point(x.self().id, address, size, is_write);
  return x.accesses.last_is_point;
}

inline void access_point(bool is_point, std::uint64_t address, std::uint32_t size, bool is_write,
                         std::uint64_t site, bool may_spin = false) {
  Execution& x = execution;
  if (is_point) {
    x.point(is_write ? OperationKind::write : OperationKind::read,
            reinterpret_cast<const void*>(address), site,
            static_cast<std::uint8_t>(size < 255 ? size : 255));
  } else {
    count_uninterrupted(site, may_spin);
  }
}

// The running task writes something that others may see.
inline void note_write() {
  reset_spin(execution.self());
  execution.turns.written(execution.self());
}

// The access happens now.
inline void note_access(std::uint64_t address, std::uint32_t size, bool is_write,
                        std::uint64_t site) {
  Execution& x = execution;
  check_freed(address, size, is_write, site);
  if (is_write) {
    Fiber& fiber = *x.self().fiber;
    // A write to the task's own stack is part of the state that the spin detector compares.
    if (fiber.stack.contains(address)) {
      note_stack_write(fiber, address);
    } else {
      reset_spin(x.self());
      x.turns.written(x.self());
    }
  }
  if (__builtin_expect(x.accesses.are_watched, 0)) {
    note_plain_access(address, size, is_write, site);
  }
  if (x.accesses.may_race) {
    RaceDetector& races = x.accesses.race_detector;
    const TaskId self = x.self().id;
    const std::uint64_t event = x.accesses.event;
    const Race* race = is_write ? races.write(self, address, size, site, event)
                                : races.read(self, address, size, site, event);
    if (__builtin_expect(race != nullptr, 0)) report_race(*race);
  }
}

// A plain read or write of instrumented code. The caller has checked that a controlled task runs.
inline void plain_access(std::uint64_t address, std::uint32_t size, bool is_write,
                         std::uint64_t site) {
  address = one_address(address);
  const bool is_point = is_access_point(address, size, is_write);
  if (is_point && !is_write) check_plain_spin(site);
  access_point(is_point, address, size, is_write, site, !is_write);
  note_access(address, size, is_write, site);
}

// As plain_access, where nearly always nothing but a few comparisons has to be done. Instrumented
// code calls it everywhere, so what is left is a call of its own, and the last thing that happens.
void full_access(std::uint64_t address, std::uint32_t size, bool is_write, std::uint64_t site);
void compare_access(std::uint64_t address, std::uint32_t size, bool is_write, std::uint64_t site);

[[gnu::always_inline]] inline void quick_access(std::uint64_t address, std::uint32_t size,
                                                bool is_write, std::uint64_t site) {
  Execution& x = execution;
  const bool is_quiet = x.accesses.are_quiet && !memory_state.aliases.any() &&
                        !x.turns.anybody_spins() && heap_state(address) != HeapState::freed &&
                        x.accesses.long_run.counts_quietly();
  if (!is_quiet) [[unlikely]] {
    return full_access(address, size, is_write, site);
  }
  Task& self = x.self();
  if (is_write && self.fiber->stack.contains(address)) {
    note_stack_write(*self.fiber, address);
  } else if (is_write) {
    reset_spin(self);
    x.turns.written(x.self());
  }
  if (!x.accesses.may_race) return;
  if (x.accesses.race_detector.is_repeated(self.id, address, size, is_write)) [[likely]]
    return;
  compare_access(address, size, is_write, site);
}

// What a function of the C library reads or writes for the program. A read is no sign of spinning:
// the caller may not be instrumented, so that what else it does is not seen.
void library_access(const void* memory, std::size_t size, bool is_write, std::uint64_t site);

}  // namespace ricercar::inline threads
