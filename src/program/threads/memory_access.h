// What every access of instrumented code to memory goes through: use-after-free, races, choice
// points, and the trace of a detailed replay.
#pragma once

#include <cstddef>
#include <cstdint>

#include "threads/clean_stack.h"
#include "threads/execution.h"
#include "threads/memory/aliases.h"
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
// An access by a task that is alone is no point. With Points::shared it counts for what threads
// share.
void note_access_alone(std::uint64_t address, std::uint32_t size, bool is_write);

// The search may switch to another task before this access: asked once for each.
inline bool is_access_point(std::uint64_t address, std::uint32_t size, bool is_write) {
  Execution& x = execution;
  if (!x.points_at(Points::shared)) return false;
  if (!x.alone()) return x.looks_at(address, size, is_write);
  note_access_alone(address, size, is_write);
  return false;
}

inline void access_point(bool is_point, std::uint64_t address, std::uint32_t size, bool is_write,
                         std::uint64_t site, bool may_spin = false) {
  Execution& x = execution;
  if (is_point) {
    x.point(is_write ? OperationKind::write : OperationKind::read,
            reinterpret_cast<const void*>(address), site,
            static_cast<std::uint8_t>(size < 255 ? size : 255));
  } else {
    x.count_uninterrupted(site, may_spin);
  }
}

// The running task writes something that others may see.
inline void note_write() {
  reset_spin(execution.self());
  execution.memory_written();
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
      x.memory_written();
    }
  }
  if (__builtin_expect(x.watches_accesses(), 0)) {
    x.note_plain_access(address, size, is_write, site);
  }
  if (x.looks_for_races()) {
    RaceDetector& races = x.race_detector();
    const TaskId self = x.self().id;
    const std::uint64_t event = x.event_number();
    const Race* race = is_write ? races.write(self, address, size, site, event)
                                : races.read(self, address, size, site, event);
    if (__builtin_expect(race != nullptr, 0)) report_race(*race);
  }
}

// A plain read or write of instrumented code. The caller has checked that a controlled task runs.
inline void plain_access(std::uint64_t address, std::uint32_t size, bool is_write,
                         std::uint64_t site) {
  Execution& x = execution;
  address = one_address(address);
  const bool is_point = is_access_point(address, size, is_write);
  if (is_point && !is_write) x.check_plain_spin(site);
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
  const bool is_quiet = x.has_quiet_accesses() && !memory_has_aliases && !x.anybody_spins() &&
                        heap_state(address) != HeapState::freed && x.counts_quietly();
  if (!is_quiet) [[unlikely]] {
    return full_access(address, size, is_write, site);
  }
  Task& self = x.self();
  if (is_write && self.fiber->stack.contains(address)) {
    note_stack_write(*self.fiber, address);
  } else if (is_write) {
    reset_spin(self);
    x.memory_written();
  }
  if (!x.looks_for_races()) return;
  if (x.race_detector().is_repeated(self.id, address, size, is_write)) [[likely]]
    return;
  compare_access(address, size, is_write, site);
}

// What a function of the C library reads or writes for the program. A read is no sign of spinning:
// the caller may not be instrumented, so that what else it does is not seen.
void library_access(const void* memory, std::size_t size, bool is_write, std::uint64_t site);

}  // namespace ricercar::inline threads
