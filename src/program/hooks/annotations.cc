// The functions by which code tells a race detector what it cannot see: those of ThreadSanitizer
// and the older ones called dynamic annotations. Libraries such as abseil call them under
// -fsanitize=thread. And those of Ricercar itself.
#include <algorithm>
#include <cstring>

#include "threads/benign_races.h"
#include "threads/entry.h"
#include "threads/memory_access.h"
#include "threads/node_sockets.h"

namespace ricercar::inline hooks {
namespace {

std::uint64_t address_of(const volatile void* object) {
  return reinterpret_cast<std::uint64_t>(object);
}

// The detector, where there is something to tell it.
RaceDetector* detector() { return controlled() ? execution.races() : nullptr; }

void acquire(std::uint64_t object) {
  if (RaceDetector* races = detector()) races->acquire(execution.self().id, object);
}
void release(std::uint64_t object) {
  if (RaceDetector* races = detector()) races->release(execution.self().id, object);
}

// --- Ignoring ---

using Counter = std::uint16_t IgnoreCounters::*;

void tell_ignored() {
  const IgnoreCounters& count = execution.self().ignores;
  const int what = (count.reads != 0 ? RaceDetector::ignored_reads : 0) |
                   (count.writes != 0 ? RaceDetector::ignored_writes : 0) |
                   (count.synchronisation != 0 ? RaceDetector::ignored_synchronisation : 0);
  execution.races()->ignore(execution.self().id, static_cast<std::uint8_t>(what));
}

void ignore(Counter what) {
  if (detector() == nullptr) return;
  ++(execution.self().ignores.*what);
  tell_ignored();
}

// An end without a beginning is the program's mistake, and harmless.
void regard(Counter what) {
  if (detector() == nullptr || execution.self().ignores.*what == 0) return;
  --(execution.self().ignores.*what);
  tell_ignored();
}

constexpr Counter reads = &IgnoreCounters::reads;
constexpr Counter writes = &IgnoreCounters::writes;
constexpr Counter synchronisation = &IgnoreCounters::synchronisation;

// The inside of a lock of somebody's own: only what it says about itself counts.
void enter_lock_code() {
  ignore(reads);
  ignore(writes);
  ignore(synchronisation);
}
void leave_lock_code() {
  regard(synchronisation);
  regard(writes);
  regard(reads);
}

// --- Locks ---

// What readers release is for writers only, so it has a name of its own.
std::uint64_t readers_of(std::uint64_t lock) { return lock + 1; }

void locked(const volatile void* lock, bool is_write) {
  acquire(address_of(lock));
  if (is_write) acquire(readers_of(address_of(lock)));
}
void unlocks(const volatile void* lock, bool is_write) {
  release(is_write ? address_of(lock) : readers_of(address_of(lock)));
}
void destroyed(const volatile void* lock) {
  RaceDetector* races = detector();
  if (races == nullptr) return;
  races->object_destroyed(address_of(lock));
  races->object_destroyed(readers_of(address_of(lock)));
}

enum LockFlags : unsigned {
  read_lock = 1 << 3,
  try_lock_failed = 1 << 5,
};

// --- Fibers of the program's own ---

// What runs on a fiber is ordered, on whichever threads it runs.
void* current_fiber() {
  Task& self = execution.self();
  return self.annotated_fiber != nullptr ? self.annotated_fiber : &self;
}

void set_name(const char* name) {
  if (!controlled() || name == nullptr) return;
  Task& self = execution.self();
  const std::size_t length = std::min(std::strlen(name), sizeof self.name - 1);
  std::memcpy(self.name, name, length);
  self.name[length] = 0;
}

}  // namespace
}  // namespace ricercar::inline hooks

using namespace ricercar;

// --- ThreadSanitizer's interface ---

RICERCAR_HOOK void __tsan_acquire(void* object) { acquire(address_of(object)); }
RICERCAR_HOOK void __tsan_release(void* object) { release(address_of(object)); }
RICERCAR_HOOK void __tsan_ignore_thread_begin() {
  ignore(reads);
  ignore(writes);
}
RICERCAR_HOOK void __tsan_ignore_thread_end() {
  regard(writes);
  regard(reads);
}

RICERCAR_HOOK void __tsan_mutex_create(void*, unsigned) {}
RICERCAR_HOOK void __tsan_mutex_destroy(void* lock, unsigned) { destroyed(lock); }
RICERCAR_HOOK void __tsan_mutex_pre_lock(void*, unsigned) { enter_lock_code(); }
RICERCAR_HOOK void __tsan_mutex_post_lock(void* lock, unsigned flags, int) {
  leave_lock_code();
  if ((flags & try_lock_failed) == 0) locked(lock, (flags & read_lock) == 0);
}
RICERCAR_HOOK int __tsan_mutex_pre_unlock(void* lock, unsigned flags) {
  unlocks(lock, (flags & read_lock) == 0);
  enter_lock_code();
  return 1;  // so many levels of a recursive lock are given up
}
RICERCAR_HOOK void __tsan_mutex_post_unlock(void*, unsigned) { leave_lock_code(); }
RICERCAR_HOOK void __tsan_mutex_pre_signal(void*, unsigned) { enter_lock_code(); }
RICERCAR_HOOK void __tsan_mutex_post_signal(void*, unsigned) { leave_lock_code(); }
// Between these the lock runs code of its user's.
RICERCAR_HOOK void __tsan_mutex_pre_divert(void*, unsigned) { leave_lock_code(); }
RICERCAR_HOOK void __tsan_mutex_post_divert(void*, unsigned) { enter_lock_code(); }

RICERCAR_HOOK void* __tsan_get_current_fiber() {
  return controlled() ? current_fiber() : program_state.annotated_fibers.outside();
}
RICERCAR_HOOK void* __tsan_create_fiber(unsigned) {
  if (!controlled()) return program_state.annotated_fibers.outside();
  void* fiber = program_state.annotated_fibers.next();
  release(address_of(fiber));
  return fiber;
}
RICERCAR_HOOK void __tsan_destroy_fiber(void*) {}
RICERCAR_HOOK void __tsan_switch_to_fiber(void* fiber, unsigned) {
  if (!controlled()) return;
  release(address_of(current_fiber()));
  execution.self().annotated_fiber = fiber;
  acquire(address_of(fiber));
}
RICERCAR_HOOK void __tsan_set_fiber_name(void*, const char*) {}

// Objects that are written in another language: their methods count as accesses to their address.
RICERCAR_HOOK void* __tsan_external_register_tag(const char* type) {
  return const_cast<char*>(type);
}
RICERCAR_HOOK void __tsan_external_register_header(void*, const char*) {}
RICERCAR_HOOK void __tsan_external_assign_tag(void*, void*) {}
RICERCAR_HOOK void __tsan_external_read(void* address, void* caller, void*) {
  if (controlled()) plain_access(address_of(address), 1, false, address_of(caller));
}
RICERCAR_HOOK void __tsan_external_write(void* address, void* caller, void*) {
  if (controlled()) plain_access(address_of(address), 1, true, address_of(caller));
}
RICERCAR_HOOK void __tsan_flush_memory() {}

// --- Dynamic annotations. Each is told the file and line that it is in. ---

RICERCAR_HOOK void AnnotateHappensBefore(const char*, int, const volatile void* object) {
  release(address_of(object));
}
RICERCAR_HOOK void AnnotateHappensAfter(const char*, int, const volatile void* object) {
  acquire(address_of(object));
}
RICERCAR_HOOK void AnnotateCondVarSignal(const char*, int, const volatile void* condition) {
  release(address_of(condition));
}
RICERCAR_HOOK void AnnotateCondVarSignalAll(const char*, int, const volatile void* condition) {
  release(address_of(condition));
}
RICERCAR_HOOK void AnnotateCondVarWait(const char*, int, const volatile void* condition,
                                       const volatile void*) {
  acquire(address_of(condition));
}
RICERCAR_HOOK void AnnotatePCQCreate(const char*, int, const volatile void*) {}
RICERCAR_HOOK void AnnotatePCQDestroy(const char*, int, const volatile void*) {}
RICERCAR_HOOK void AnnotatePCQPut(const char*, int, const volatile void* queue) {
  release(address_of(queue));
}
RICERCAR_HOOK void AnnotatePCQGet(const char*, int, const volatile void* queue) {
  acquire(address_of(queue));
}

RICERCAR_HOOK void AnnotateIgnoreReadsBegin(const char*, int) { ignore(reads); }
RICERCAR_HOOK void AnnotateIgnoreReadsEnd(const char*, int) { regard(reads); }
RICERCAR_HOOK void AnnotateIgnoreWritesBegin(const char*, int) { ignore(writes); }
RICERCAR_HOOK void AnnotateIgnoreWritesEnd(const char*, int) { regard(writes); }
RICERCAR_HOOK void AnnotateIgnoreSyncBegin(const char*, int) { ignore(synchronisation); }
RICERCAR_HOOK void AnnotateIgnoreSyncEnd(const char*, int) { regard(synchronisation); }
RICERCAR_HOOK void AnnotateEnableRaceDetection(const char*, int, int enable) {
  program_state.benign_races.enable_reports(enable != 0, !controlled());
}

RICERCAR_HOOK void AnnotateBenignRaceSized(const char*, int, const volatile void* address,
                                           unsigned long size, const char*) {
  program_state.benign_races.add(address_of(address), size, !controlled());
}
RICERCAR_HOOK void AnnotateBenignRace(const char*, int, const volatile void* address, const char*) {
  program_state.benign_races.add(address_of(address), 1, !controlled());
}
// A race that a test of a detector waits for.
RICERCAR_HOOK void AnnotateExpectRace(const char*, int, const volatile void* address, const char*) {
  program_state.benign_races.add(address_of(address), 1, !controlled());
}
RICERCAR_HOOK void AnnotateFlushExpectedRaces(const char*, int) {}

RICERCAR_HOOK void AnnotateRWLockCreate(const char*, int, const volatile void*) {}
RICERCAR_HOOK void AnnotateRWLockCreateStatic(const char*, int, const volatile void*) {}
RICERCAR_HOOK void AnnotateRWLockDestroy(const char*, int, const volatile void* lock) {
  destroyed(lock);
}
RICERCAR_HOOK void AnnotateRWLockAcquired(const char*, int, const volatile void* lock,
                                          long is_write) {
  locked(lock, is_write != 0);
}
RICERCAR_HOOK void AnnotateRWLockReleased(const char*, int, const volatile void* lock,
                                          long is_write) {
  unlocks(lock, is_write != 0);
}

RICERCAR_HOOK void AnnotateNewMemory(const char*, int, const volatile void* address,
                                     unsigned long size) {
  if (RaceDetector* races = detector()) races->allocated(address_of(address), size);
}
RICERCAR_HOOK void AnnotateThreadName(const char*, int, const char* name) { set_name(name); }

// About tools of another kind, or advice that an exact detector does not need.
RICERCAR_HOOK void AnnotateFlushState(const char*, int) {}
RICERCAR_HOOK void AnnotateNoOp(const char*, int, const volatile void*) {}
RICERCAR_HOOK void AnnotateTraceMemory(const char*, int, const volatile void*) {}
RICERCAR_HOOK void AnnotateMutexIsUsedAsCondVar(const char*, int, const volatile void*) {}
RICERCAR_HOOK void AnnotateMutexIsNotPHB(const char*, int, const volatile void*) {}
RICERCAR_HOOK void AnnotatePublishMemoryRange(const char*, int, const volatile void*,
                                              unsigned long) {}
RICERCAR_HOOK void AnnotateUnpublishMemoryRange(const char*, int, const volatile void*,
                                                unsigned long) {}
RICERCAR_HOOK void AnnotateMemoryIsInitialized(const char*, int, const volatile void*,
                                               unsigned long) {}
RICERCAR_HOOK void AnnotateMemoryIsUninitialized(const char*, int, const volatile void*,
                                                 unsigned long) {}
RICERCAR_HOOK int RunningOnValgrind() { return 0; }
RICERCAR_HOOK double ValgrindSlowdown() { return 1; }
RICERCAR_HOOK const char* ThreadSanitizerQuery(const char*) { return "0"; }

// WebKit's names for three of them.
RICERCAR_HOOK void WTFAnnotateHappensBefore(const char*, int, const volatile void* object) {
  release(address_of(object));
}
RICERCAR_HOOK void WTFAnnotateHappensAfter(const char*, int, const volatile void* object) {
  acquire(address_of(object));
}
RICERCAR_HOOK void WTFAnnotateBenignRaceSized(const char*, int, const volatile void* address,
                                              unsigned long size, const char*) {
  program_state.benign_races.add(address_of(address), size, !controlled());
}

// The same, for code that includes ricercar.h.
RICERCAR_HOOK void ricercar_benign_race(const volatile void* address, std::uint64_t size) {
  program_state.benign_races.add(reinterpret_cast<std::uint64_t>(address), size, !controlled());
}

// --- What a node of a cluster says about itself: <ricercar/log.h> ---

RICERCAR_HOOK void ricercar_report(std::uint32_t what, const char* id, const char* names,
                                   const ricercar_value* values, std::uint32_t count) {
  if (!controlled()) return;
  Reported report;
  report.what = what;
  report.id = id;
  report.names = names;
  report.values = values;
  report.count = count;
  report_of_node(report);
}
