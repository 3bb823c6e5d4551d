// In a SyncObject of a mutex: owner, count (depth of recursion), contenders.
#include "threads/mutex.h"

#include <errno.h>

#include <string>

#include "threads/execution.h"
#include "threads/object_life.h"
#include "threads/real.h"
#include "threads/signals.h"
#include "threads/spin.h"

namespace ricercar::inline threads {
namespace {

[[noreturn]] void misuse(const char* what, const SyncObject& object, std::uint64_t site) {
  execution.fail(OutcomeKind::lock_misuse, what, site, address_of(object));
}

bool is_recursive(const SyncObject& object) { return object.type == PTHREAD_MUTEX_RECURSIVE; }
bool is_checked(const SyncObject& object) { return object.type == PTHREAD_MUTEX_ERRORCHECK; }

[[noreturn]] void deadlock(const SyncObject& object, std::uint64_t site, const char* what) {
  // It is shown where it waits, as all others are that cannot go on.
  const TaskId self = execution.self().id;
  execution.note(OperationKind::lock, address_of(object), site);
  execution.tasks.announce(self, {object.address, site, OperationKind::lock, 0});
  execution.turns.disable(self);
  execution.fail(OutcomeKind::deadlock, what, site, address_of(object));
}

// The owner locks again: what happens depends on the type.
int lock_again(SyncObject& object, Wait wait, std::uint64_t site) {
  if (is_recursive(object)) {
    ++object.count;
    execution.note(OperationKind::lock, address_of(object), site, object.count);
    return 0;
  }
  if (wait == Wait::never) return EBUSY;
  if (is_checked(object)) return EDEADLK;
  if (wait == Wait::until_deadline) return -1;
  deadlock(
      object, site,
      ("T" + std::to_string(index(object.owner)) + " locks a mutex that it holds already").c_str());
}

OperationKind kind_of(Wait wait) {
  if (wait == Wait::never) return OperationKind::try_lock;
  return wait == Wait::forever ? OperationKind::lock : OperationKind::timed_lock;
}

int try_lock(SyncObject& object, std::uint64_t site) {
  if (object.owner == no_task) {
    execution.turns.written(
        execution.self());  // first: it lets spinning tasks go, some of which want this mutex
    mutex_take(object, 1, site);
    return 0;
  }
  execution.steps.last().flags |= step_failed;
  return EBUSY;
}

int lock(SyncObject& object, Wait wait, std::uint64_t deadline, std::uint64_t site) {
  Task& self = execution.self();
  if (object.owner == self.id) {
    const int result = lock_again(object, wait, site);
    if (result >= 0) return result;
  }
  // Somebody who waits for a taken mutex is blocked, not spinning.
  if (wait == Wait::never || object.owner == no_task) check_spin(self, site);
  if (wait == Wait::never) {
    object_point(OperationKind::try_lock, object, site);
    return try_lock(object, site);
  }
  mutex_contend(object);
  if (wait == Wait::until_deadline) {
    self.timed_out = false;
    execution.scheduler().set_deadline(self, deadline);
  } else if (object.owner != no_task) {
    look_for_cycle(OperationKind::lock, address_of(object), site);
  }
  object_point(kind_of(wait), object, site);
  object.contenders.erase(self.id);
  if (was_interrupted(self)) {
    leave_for_handlers(self);
    return lock(object, wait, deadline, site);
  }
  if (wait == Wait::until_deadline) {
    execution.scheduler().clear_deadline(self);
    if (self.timed_out) {
      execution.turns.enable(self.id);
      return ETIMEDOUT;
    }
  }
  mutex_take(object, 1, site);
  return 0;
}

int unlock(SyncObject& object, std::uint64_t site) {
  Task& self = execution.self();
  if (object.owner == self.id && object.count > 1) {
    --object.count;
    Step& step = execution.note(OperationKind::unlock, address_of(object), site, object.count);
    step.open = recursive_lock;
    return 0;
  }
  object_point(OperationKind::unlock, object, site);
  if (object.owner != self.id) {
    if (is_checked(object) || is_recursive(object)) return EPERM;
    misuse(object.owner == no_task ? "unlocks a mutex that is not locked"
                                   : "unlocks a mutex that another thread holds",
           object, site);
  }
  if (is_recursive(object)) execution.steps.last().open |= recursive_lock;
  object.owner = no_task;
  --self.held_locks;
  ++self.releases;
  execution.turns.enable(object.contenders);
  if (RaceDetector* races = execution.races()) races->release_store(self.id, object.address);
  return 0;
}

int destroy(SyncObject& object, std::uint64_t site) {
  before_destroying(object, site);
  destroyed(object, site);
  return 0;
}

SyncObject& spin_at(pthread_spinlock_t* lock) {
  bool fresh;
  SyncObject& object = execution.objects.at(const_cast<int*>(lock), ObjectKind::mutex, fresh);
  if (fresh) object.type = spin_lock_type;
  return object;
}

}  // namespace

SyncObject& mutex_at(pthread_mutex_t* mutex) {
  bool fresh;
  SyncObject& object = execution.objects.at(mutex, ObjectKind::mutex, fresh);
  if (fresh) {
    object.type = mutex_type(mutex);
    object.destroyed = has_destroyed_mark(object);
  }
  return object;
}

void mutex_contend(SyncObject& object) {
  const TaskId self = execution.self().id;
  object.contenders.insert(self);
  if (object.owner != no_task) execution.turns.disable(self);
}

void mutex_take(SyncObject& object, std::uint32_t depth, std::uint64_t site) {
  Task& self = execution.self();
  RICERCAR_CHECK(object.owner == no_task);
  execution.steps.last().open |= open_to_one;
  object.owner = self.id;
  object.count = depth;
  object.site = site;
  ++self.held_locks;
  execution.turns.disable(object.contenders);
  if (RaceDetector* races = execution.races()) races->acquire(self.id, object.address);
}

std::uint32_t mutex_release_for_wait(SyncObject& object, std::uint64_t site) {
  Task& self = execution.self();
  if (object.owner != self.id) {
    misuse("waits on a condition variable with a mutex that it does not hold", object, site);
  }
  const std::uint32_t depth = object.count;
  object.owner = no_task;
  --self.held_locks;
  ++self.releases;
  execution.turns.enable(object.contenders);
  if (RaceDetector* races = execution.races()) races->release_store(self.id, object.address);
  return depth;
}

int mutex_initialise(pthread_mutex_t* mutex, const pthread_mutexattr_t* attributes,
                     std::uint64_t site) {
  bool fresh;
  SyncObject& object = execution.objects.at(mutex, ObjectKind::mutex, fresh);
  before_initialising(object, 0, site);
  const int error = real_pthread_mutex_init(mutex, attributes);
  if (error != 0) return error;
  initialised(object);
  object.type = mutex_type(mutex);
  return 0;
}

int mutex_destroy(pthread_mutex_t* mutex, std::uint64_t site) {
  return destroy(mutex_at(mutex), site);
}

int mutex_lock(pthread_mutex_t* mutex, Wait wait, std::uint64_t deadline, std::uint64_t site) {
  return lock(mutex_at(mutex), wait, deadline, site);
}

int mutex_unlock(pthread_mutex_t* mutex, std::uint64_t site) {
  return unlock(mutex_at(mutex), site);
}

int spin_initialise(pthread_spinlock_t* lock, std::uint64_t site) {
  SyncObject& object = spin_at(lock);
  before_initialising(object, 0, site);
  *const_cast<int*>(lock) = 0;
  initialised(object);
  object.type = spin_lock_type;
  return 0;
}

int spin_destroy(pthread_spinlock_t* lock, std::uint64_t site) {
  return destroy(spin_at(lock), site);
}

int spin_lock(pthread_spinlock_t* lock_word, Wait wait, std::uint64_t site) {
  return lock(spin_at(lock_word), wait, 0, site);
}

int spin_unlock(pthread_spinlock_t* lock, std::uint64_t site) {
  return unlock(spin_at(lock), site);
}

}  // namespace ricercar::inline threads
