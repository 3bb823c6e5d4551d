// In a SyncObject of a reader-writer lock: owner (the writer), readers, count (of read locks, which
// may be nested), contenders (want to write), waiters (want to read). Readers are not held up by
// waiting writers, which is glibc's default.
#include <errno.h>

#include <algorithm>

#include "threads/execution.h"
#include "threads/object_life.h"
#include "threads/pthread_objects.h"
#include "threads/real.h"
#include "threads/signals.h"

namespace ricercar::inline threads {
namespace {

[[noreturn]] void misuse(const char* what, const SyncObject& object, std::uint64_t site) {
  execution.fail(OutcomeKind::lock_misuse, what, site, address_of(object));
}

SyncObject& rwlock_at(pthread_rwlock_t* lock) {
  bool fresh;
  return execution.objects.at(lock, ObjectKind::rwlock, fresh);
}

bool readable(const SyncObject& object) { return object.owner == no_task; }
bool writable(const SyncObject& object) { return object.owner == no_task && object.count == 0; }

// What the lock lets pass before it changes.
void note_open(const SyncObject& object) {
  execution.steps.last().open |= static_cast<std::uint8_t>(
      (writable(object) ? open_to_one : 0) | (readable(object) ? open_to_readers : 0));
}

// After every change: who wants the lock and can have it is enabled, the others are not.
void refresh(SyncObject& object) {
  if (writable(object)) {
    execution.turns.enable(object.contenders);
  } else {
    execution.turns.disable(object.contenders);
  }
  for (const TaskId reader : object.waiters) {
    if (readable(object)) {
      execution.turns.enable(reader);
    } else {
      execution.turns.disable(reader);
    }
  }
}

void forget_waiter(SyncObject& object, TaskId task) {
  object.contenders.erase(task);
  std::erase(object.waiters, task);
}

bool wait_for(SyncObject& object, OperationKind kind, Wait wait, std::uint64_t deadline,
              std::uint64_t site);

// A signal has come while the task waited.
bool wait_after_handlers(SyncObject& object, OperationKind kind, Wait wait, std::uint64_t deadline,
                         std::uint64_t site) {
  Task& self = execution.self();
  const bool wants_to_write = object.contenders.contains(self.id);
  forget_waiter(object, self.id);
  leave_for_handlers(self);
  if (wants_to_write) {
    object.contenders.insert(self.id);
  } else {
    object.waiters.push_back(self.id);
  }
  return wait_for(object, kind, wait, deadline, site);
}

// Waits until the lock can be had; false if the deadline came first.
bool wait_for(SyncObject& object, OperationKind kind, Wait wait, std::uint64_t deadline,
              std::uint64_t site) {
  Task& self = execution.self();
  refresh(object);
  self.timed_out = false;
  if (wait == Wait::until_deadline) execution.scheduler().set_deadline(self, deadline);
  if (wait == Wait::forever && object.owner != no_task) {
    look_for_cycle(kind, address_of(object), site);
  }
  object_point(kind, object, site);
  if (was_interrupted(self)) return wait_after_handlers(object, kind, wait, deadline, site);
  forget_waiter(object, self.id);
  if (wait == Wait::until_deadline) execution.scheduler().clear_deadline(self);
  execution.turns.enable(self.id);
  return !self.timed_out;
}

void take_to_read(SyncObject& object, std::uint64_t site) {
  const TaskId self = execution.self().id;
  note_open(object);
  object.readers.insert(self);
  ++object.count;
  object.site = site;
  if (RaceDetector* races = execution.races()) races->acquire(self, object.address);
  refresh(object);
}

void take_to_write(SyncObject& object, std::uint64_t site) {
  const TaskId self = execution.self().id;
  note_open(object);
  object.owner = self;
  object.site = site;
  if (RaceDetector* races = execution.races()) {
    races->acquire(self, object.address);
    races->acquire(self, object.address + 1);  // what the readers released
  }
  refresh(object);
}

int failed() {
  execution.steps.last().flags |= step_failed;
  return EBUSY;
}

OperationKind by_wait(Wait wait, OperationKind plain, OperationKind attempt, OperationKind timed) {
  if (wait == Wait::never) return attempt;
  return wait == Wait::forever ? plain : timed;
}

}  // namespace

int rwlock_initialise(pthread_rwlock_t* lock, const pthread_rwlockattr_t* attributes,
                      std::uint64_t site) {
  SyncObject& object = rwlock_at(lock);
  before_initialising(object, 0, site);
  const int error = real_pthread_rwlock_init(lock, attributes);
  if (error == 0) initialised(object);
  return error;
}

int rwlock_destroy(pthread_rwlock_t* lock, std::uint64_t site) {
  SyncObject& object = rwlock_at(lock);
  before_destroying(object, site);
  destroyed(object, site);
  return 0;
}

int rwlock_read_lock(pthread_rwlock_t* lock, Wait wait, std::uint64_t deadline,
                     std::uint64_t site) {
  SyncObject& object = rwlock_at(lock);
  Task& self = execution.self();
  if (object.owner == self.id && wait == Wait::forever) return EDEADLK;
  const OperationKind kind = by_wait(wait, OperationKind::read_lock, OperationKind::try_read_lock,
                                     OperationKind::timed_read_lock);
  if (wait == Wait::never) {
    object_point(kind, object, site);
    note_open(object);
    if (!readable(object)) return failed();
    execution.turns.written(execution.self());
  } else {
    object.waiters.push_back(self.id);
    if (!wait_for(object, kind, wait, deadline, site)) return ETIMEDOUT;
  }
  take_to_read(object, site);
  return 0;
}

int rwlock_write_lock(pthread_rwlock_t* lock, Wait wait, std::uint64_t deadline,
                      std::uint64_t site) {
  SyncObject& object = rwlock_at(lock);
  Task& self = execution.self();
  if (object.owner == self.id && wait == Wait::forever) return EDEADLK;
  const OperationKind kind = by_wait(wait, OperationKind::write_lock, OperationKind::try_write_lock,
                                     OperationKind::timed_write_lock);
  if (wait == Wait::never) {
    object_point(kind, object, site);
    note_open(object);
    if (!writable(object)) return failed();
    execution.turns.written(execution.self());
  } else {
    object.contenders.insert(self.id);
    if (!wait_for(object, kind, wait, deadline, site)) return ETIMEDOUT;
  }
  take_to_write(object, site);
  return 0;
}

int rwlock_unlock(pthread_rwlock_t* lock, std::uint64_t site) {
  SyncObject& object = rwlock_at(lock);
  const TaskId self = execution.self().id;
  const bool writes = object.owner == self;
  object_point(writes ? OperationKind::write_unlock : OperationKind::read_unlock, object, site);
  note_open(object);
  RaceDetector* races = execution.races();
  if (writes) {
    object.owner = no_task;
    if (races != nullptr) races->release_store(self, object.address);
  } else if (object.readers.contains(self)) {
    // A task may hold several read locks; it stays a reader as long as any is left.
    if (--object.count == 0) {
      object.readers.clear();
    }
    if (races != nullptr) races->release(self, object.address + 1);
  } else {
    misuse("unlocks a reader-writer lock that it does not hold", object, site);
  }
  refresh(object);
  return 0;
}

}  // namespace ricercar::inline threads
