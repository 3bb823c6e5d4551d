// In a SyncObject of a semaphore: count (its value), contenders (tasks that want to take).
#include <errno.h>
#include <limits.h>

#include "threads/cancel.h"
#include "threads/execution.h"
#include "threads/object_life.h"
#include "threads/pthread_objects.h"
#include "threads/real.h"
#include "threads/signals.h"
#include "threads/spin.h"

namespace ricercar::inline threads {
namespace {

// A semaphore that was made outside of the execution brings its value along.
SyncObject& semaphore_at(sem_t* semaphore) {
  bool fresh;
  SyncObject& object = execution.objects.at(semaphore, ObjectKind::semaphore, fresh);
  if (fresh) {
    int value = 0;
    real_sem_getvalue(semaphore, &value);
    object.count = static_cast<std::uint32_t>(value);
  }
  return object;
}

void note_open(const SyncObject& object) {
  if (object.count > 0) execution.steps.last().open |= open_to_one;
}

void take(SyncObject& object) {
  note_open(object);
  if (--object.count == 0) execution.turns.disable(object.contenders);
  if (RaceDetector* races = execution.races()) {
    races->acquire(execution.self().id, object.address);
  }
}

OperationKind kind_of(Wait wait) {
  if (wait == Wait::never) return OperationKind::semaphore_try_wait;
  return wait == Wait::forever ? OperationKind::semaphore_wait
                               : OperationKind::semaphore_timed_wait;
}

}  // namespace

int semaphore_initialise(sem_t* semaphore, unsigned value, std::uint64_t site) {
  if (value > SEM_VALUE_MAX) return EINVAL;
  bool fresh;
  SyncObject& object = execution.objects.at(semaphore, ObjectKind::semaphore, fresh);
  before_initialising(object, value, site);
  real_sem_init(semaphore, 0, value);
  initialised(object);
  object.count = value;
  if (value == 0) execution.turns.disable(object.contenders);
  return 0;
}

int semaphore_destroy(sem_t* semaphore, std::uint64_t site) {
  SyncObject& object = semaphore_at(semaphore);
  before_destroying(object, site);
  destroyed(object, site);
  return 0;
}

int semaphore_wait(sem_t* semaphore, Wait wait, std::uint64_t deadline, std::uint64_t site,
                   bool is_posix) {
  SyncObject& object = semaphore_at(semaphore);
  Task& self = execution.self();
  if (wait == Wait::never) {
    check_spin(self, site);
    object_point(kind_of(wait), object, site);
    if (object.count > 0) {
      take(object);
      execution.turns.written(execution.self());
      return 0;
    }
    execution.steps.last().flags |= step_failed;
    return EAGAIN;
  }
  interruption_begins(self, site);
  if (is_posix) cancellation_begins(site);
  object.contenders.insert(self.id);
  if (object.count == 0) execution.turns.disable(self.id);
  self.timed_out = false;
  if (wait == Wait::until_deadline) execution.scheduler().set_deadline(self, deadline);
  object_point(kind_of(wait), object, site);
  object.contenders.erase(self.id);
  execution.scheduler().clear_deadline(self);
  execution.turns.enable(self.id);
  if (was_interrupted(self)) {
    if (!leave_for_handlers(self) || !is_posix) return EINTR;
    return semaphore_wait(semaphore, wait, deadline, site);
  }
  if (is_posix) cancellation_ends();
  if (self.timed_out) {
    execution.scheduler().yielded();
    return ETIMEDOUT;
  }
  take(object);
  return 0;
}

int semaphore_post(sem_t* semaphore, std::uint64_t site) {
  SyncObject& object = semaphore_at(semaphore);
  object_point(OperationKind::semaphore_post, object, site);
  note_open(object);
  if (object.count == SEM_VALUE_MAX) return EOVERFLOW;
  if (RaceDetector* races = execution.races()) {
    races->release(execution.self().id, object.address);
  }
  ++object.count;
  execution.steps.last().value = object.count;
  execution.turns.enable(object.contenders);
  return 0;
}

void semaphore_assign(sem_t* semaphore, unsigned value, std::uint64_t site) {
  SyncObject& object = semaphore_at(semaphore);
  object_point(OperationKind::semaphore_post, object, site);
  note_open(object);
  if (RaceDetector* races = execution.races()) {
    races->release(execution.self().id, object.address);
  }
  object.count = value;
  execution.steps.last().value = value;
  if (value == 0) {
    execution.turns.disable(object.contenders);
  } else {
    execution.turns.enable(object.contenders);
  }
}

int semaphore_value(sem_t* semaphore, std::uint64_t site) {
  SyncObject& object = semaphore_at(semaphore);
  object_point(OperationKind::semaphore_value, object, site);
  note_open(object);
  execution.steps.last().value = object.count;
  return static_cast<int>(object.count);
}

}  // namespace ricercar::inline threads
