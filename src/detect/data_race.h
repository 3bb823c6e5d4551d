// An exact happens-before data-race detector over a running execution.
//
// After FastTrack (Flanagan and Freund, PLDI 2009): accesses are stamped with epochs, and a vector
// clock for each task, synchronisation object and atomic carries happens-before. Departures:
//  * A granule of 8 bytes keeps a set of accesses with byte masks instead of one write epoch and an
//    adaptive read clock. An access leaves the set only when a later one that happens after it
//    races with everything that it races with. This is exact for all sizes and alignments, and for
//    atomic accesses, which race with plain ones but not with each other.
//  * Release sequences and fences follow C++20 (6.9.2.1). An acquire of order `consume` is an
//    acquire, as in every compiler.
//  * Vector clocks are indexed by slots, not tasks. A task takes over the slot of one that ended
//    before its creation, so that clocks are as wide as the number of tasks that run at a time.
//  * Clocks go on from one execution to the next: an epoch of an earlier execution never equals one
//    of this execution, so the fast path need not look at stamps.
//  * The standard makes a deallocation happen before the next allocation of the same memory
//    (17.6.3.6). That edge is an accident of the allocator and is left out: fresh memory has no
//    history, and its allocation orders nothing.
//
// A race is reported at the second access, for the first race on a byte in an execution; what
// follows on that byte may or may not be reported. Tasks other than task 0 must have been created
// by task_created. Not thread-safe: one kernel thread runs everything.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/check.h"
#include "detect/object_clocks.h"
#include "detect/shadow_memory.h"
#include "detect/vector_clock.h"
#include "model/ids.h"

namespace ricercar::inline detect {

struct Race {
  // The first byte that both accesses touch, and how many bytes from there on (at most 8).
  std::uint64_t address;
  std::uint32_t size;
  TaskId task;
  std::uint64_t site;
  bool is_write;
  TaskId other_task;  // of the earlier access
  std::uint64_t other_site;
  bool other_is_write;
  bool is_atomic;
  bool other_is_atomic;
  std::uint64_t other_event;
};

// The numbers of __ATOMIC_RELAXED and so on.
enum class Order : std::uint8_t { relaxed, consume, acquire, release, acq_rel, seq_cst };

class RaceDetector {
 public:
  RaceDetector();

  // Forgets everything; task 0 exists.
  void begin_execution();

  // A number may be used again in an execution once its task has ended.
  void task_created(TaskId parent, TaskId child);
  void task_joined(TaskId joiner, TaskId ended);

  // Synchronisation objects (mutex, condition variable, semaphore, barrier, ...), named by address.
  // They have nothing to do with an atomic at the same address.
  void acquire(TaskId task, std::uint64_t object);
  void release(TaskId task, std::uint64_t object);        // adds to what the object carries
  void release_store(TaskId task, std::uint64_t object);  // replaces what the object carries
  void object_destroyed(std::uint64_t object);

  // Annotations: what the detector does not look at in this task from now on, any of them together.
  // Synchronisation that is ignored orders nothing.
  static constexpr std::uint8_t ignored_reads = 1;
  static constexpr std::uint8_t ignored_writes = 2;
  static constexpr std::uint8_t ignored_synchronisation = 4;
  void ignore(TaskId task, std::uint8_t what) {
    clocks_of(task).ignored = what;
    anybody_ignores_ = true;
  }

  // Accesses. They return the first race that the access is in, or nullptr; what is returned is
  // valid until the next call. `event` is given back as other_event.
  //
  // An atomic object is named by its first byte. A failed compare-exchange is an atomic_load with
  // the order for failure.
  const Race* atomic_load(TaskId task, std::uint64_t address, std::uint32_t size, Order order,
                          std::uint64_t site, std::uint64_t event);
  const Race* atomic_store(TaskId task, std::uint64_t address, std::uint32_t size, Order order,
                           std::uint64_t site, std::uint64_t event);
  const Race* atomic_update(TaskId task, std::uint64_t address, std::uint32_t size, Order order,
                            std::uint64_t site, std::uint64_t event);
  void fence(TaskId task, Order order);

  const Race* read(TaskId task, std::uint64_t address, std::uint32_t size, std::uint64_t site,
                   std::uint64_t event) {
    return access(task, address, size, access_key::plain, site, event);
  }
  const Race* write(TaskId task, std::uint64_t address, std::uint32_t size, std::uint64_t site,
                    std::uint64_t event) {
    return access(task, address, size, access_key::plain | access_key::write, site, event);
  }

  // The same task has made an access in the same epoch that races with all that this one would:
  // there is nothing to find, and nothing to note.
  bool is_repeated(TaskId task, std::uint64_t address, std::uint32_t size, bool is_write) {
    return is_covered(task, address, size,
                      is_write ? access_key::plain | access_key::write : access_key::plain);
  }

  // As read and write, for an access that is not.
  const Race* compare(TaskId task, std::uint64_t address, std::uint32_t size, bool is_write,
                      std::uint64_t site, std::uint64_t event) {
    const std::uint64_t kind = is_write ? access_key::plain | access_key::write : access_key::plain;
    if (is_first(task, address, size, kind, site, event)) return nullptr;
    return general_access(task, address, size, kind, site, event);
  }

  // Fresh memory has no history. Freeing is a write. Both end the lives of the objects and atomics
  // in the memory.
  void allocated(std::uint64_t address, std::uint64_t size);
  const Race* freed(TaskId task, std::uint64_t address, std::uint64_t size, std::uint64_t site,
                    std::uint64_t event);

  // Nobody knows more of a task than it has done.
  void check_invariants() const;

 private:
  friend struct RaceDetectorPeer;  // for a test of clocks that come to their end

  struct TaskClocks {
    TaskId task = no_task;
    std::uint32_t slot = 0;
    std::uint32_t clock = 0;  // its own component of `now`
    bool joined = false;      // its slot is in `idle_slots_`
    std::uint8_t ignored = 0;
    VectorClock now;       // what happens before the task's next operation
    VectorClock observed;  // what relaxed loads have read: part of `now` from an acquire fence on
    VectorClock fenced;    // `now` at the last release fence: what relaxed stores carry
  };
  // Which task had a slot from a clock on.
  struct Incarnation {
    TaskId task;
    std::uint32_t slot;
    std::uint32_t first_clock;
  };
  // An access under way, possibly of many granules. Functions that are not inlined take it by
  // value: whoever calls them can then keep it in registers.
  struct Request {
    const TaskClocks& task;
    std::uint64_t key;  // without its bytes
    AccessPlace place;
  };

  const Race* access(TaskId task, std::uint64_t address, std::uint32_t size, std::uint64_t kind,
                     std::uint64_t site, std::uint64_t event) {
    if (is_covered(task, address, size, kind)) [[likely]]
      return nullptr;
    if (is_first(task, address, size, kind, site, event)) return nullptr;
    return general_access(task, address, size, kind, site, event);
  }

  // The same epoch has an access that races with all that this one races with.
  bool is_covered(TaskId task, std::uint64_t address, std::uint32_t size, std::uint64_t kind) {
    const auto offset = static_cast<std::uint32_t>(address % ShadowMemory::granule_size);
    if (size > ShadowMemory::granule_size - offset) return false;
    return shadow_.has_covered(address,
                               epochs_[index(task)] | kind | access_key::byte_mask(offset, size));
  }

  // It is the first one of its granule, and is noted.
  bool is_first(TaskId task, std::uint64_t address, std::uint32_t size, std::uint64_t kind,
                std::uint64_t site, std::uint64_t event) {
    const auto offset = static_cast<std::uint32_t>(address % ShadowMemory::granule_size);
    if (size > ShadowMemory::granule_size - offset || size == 0 || anybody_ignores_) return false;
    return shadow_.record_first(
        address, epochs_[index(task)] | kind | access_key::byte_mask(offset, size), {site, event});
  }

  const Race* general_access(TaskId task, std::uint64_t address, std::uint64_t size,
                             std::uint64_t kind, std::uint64_t site, std::uint64_t event);
  void access_range(Request request, std::uint64_t address, std::uint64_t end);
  [[gnu::always_inline]] void access_granule(const Request& request, std::uint64_t granule,
                                             std::uint64_t mask);
  void overwrite_page(Request request, std::uint64_t address);
  bool check_overflow(Request request, std::uint64_t key, ShadowCell& cell, std::uint64_t granule,
                      RecordedAccess** free);
  std::uint64_t check_in_cell(const Request& request, std::uint64_t key, const ShadowCell& cell,
                              std::uint32_t place, std::uint64_t granule);
  std::uint64_t check(const Request& request, std::uint64_t key, std::uint64_t other,
                      const AccessPlace& other_place, std::uint64_t granule);
  [[gnu::cold]] void report(Request request, std::uint64_t key, const RecordedAccess& other,
                            std::uint64_t granule);

  TaskClocks& clocks_of(TaskId task) {
    RICERCAR_CHECK(index(task) < max_tasks && tasks_[index(task)] != nullptr);
    return *tasks_[index(task)];
  }
  std::uint32_t slot_for(const TaskClocks& parent, TaskId child);
  std::uint32_t idle_slot_for(const TaskClocks& parent);
  std::uint32_t fresh_slot();
  TaskClocks& start_task(TaskId task, std::uint32_t slot);
  void advance(TaskClocks& clocks);
  void check_clocks(const TaskClocks& clocks) const;
  TaskId task_at(std::uint32_t slot, std::uint32_t clock) const;

  VectorClock& obtain(std::uint64_t name, std::uint64_t address);
  static bool ignores_synchronisation(const TaskClocks& clocks) {
    return __builtin_expect((clocks.ignored & ignored_synchronisation) != 0, 0);
  }
  void observe(TaskClocks& clocks, const VectorClock* carried, Order order);
  void end_names();

  std::array<std::uint64_t, max_tasks> epochs_ = {};  // by task; 0: no such task
  std::array<TaskClocks*, max_tasks> tasks_ = {};     // by task; nullptr: no such task
  std::vector<std::unique_ptr<TaskClocks>> slots_;    // the first `slots_used_` are in use
  std::uint32_t slots_used_ = 0;
  std::vector<std::uint32_t> idle_slots_;  // of tasks that have been joined
  std::vector<Incarnation> incarnations_;  // in the order of creation
  std::uint32_t last_clock_ = 0;           // of all earlier executions
  ShadowMemory shadow_;
  ObjectClocks objects_;
  std::vector<std::uint64_t> named_;  // empty between calls
  Race race_ = {};
  bool anybody_ignores_ = false;  // in this execution; see ignore
  const Race* found_ = nullptr;   // the first race of the access under way
};

}  // namespace ricercar::inline detect
