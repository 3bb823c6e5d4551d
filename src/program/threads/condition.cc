// In a SyncObject of a condition variable: waiters, in the order of arrival. A task that waits is
// blocked with the wait as its pending operation; a signal turns that into the operation of taking
// the mutex back, which it then contends for like everybody else.
#include "threads/condition.h"

#include <errno.h>

#include <algorithm>

#include "threads/cancel.h"
#include "threads/execution.h"
#include "threads/mutex.h"
#include "threads/object_life.h"
#include "threads/real.h"
#include "threads/signals.h"

namespace ricercar::inline threads {
namespace {

constexpr unsigned clock_bit = 2;  // of glibc's wrefs: the variable measures CLOCK_MONOTONIC

SyncObject& condition_at(pthread_cond_t* condition) {
  bool fresh;
  return execution.objects.at(condition, ObjectKind::condition, fresh);
}

// Lets a waiter go: from now on its next operation is to lock its mutex.
void wake(SyncObject& condition, std::size_t position) {
  const TaskId id = condition.waiters[position];
  condition.waiters.erase(condition.waiters.begin() + static_cast<std::ptrdiff_t>(position));
  Task& task = execution.tasks[id];
  task.signalled = true;
  execution.scheduler().clear_deadline(task);
  auto* mutex = static_cast<SyncObject*>(task.wait_mutex);
  execution.tasks.announce(id, {mutex->address, task.wait_site, OperationKind::relock, 0});
  mutex->contenders.insert(id);
  // It may be enabled already, for a wake-up without a reason.
  if (mutex->owner == no_task) {
    execution.turns.enable(id);
  } else {
    execution.turns.disable(id);
  }
}

// The waiter was chosen without a signal: its deadline came, or it wakes spuriously. It still has
// to take the mutex back.
void leave_unsignalled(SyncObject& condition, SyncObject& mutex, Task& self) {
  std::erase(condition.waiters, self.id);
  execution.scheduler().clear_deadline(self);
  execution.turns.enable(self.id);
  mutex_contend(mutex);
  execution.point(OperationKind::relock, reinterpret_cast<void*>(mutex.address), self.wait_site);
}

}  // namespace

clockid_t condition_clock(const pthread_cond_t* condition) {
  return (condition->__data.__wrefs & clock_bit) != 0 ? CLOCK_MONOTONIC : CLOCK_REALTIME;
}

int condition_initialise(pthread_cond_t* condition, const pthread_condattr_t* attributes,
                         std::uint64_t site) {
  SyncObject& object = condition_at(condition);
  before_initialising(object, 0, site);
  const int error = real_pthread_cond_init(condition, attributes);
  if (error == 0) initialised(object);
  return error;
}

int condition_destroy(pthread_cond_t* condition, std::uint64_t site) {
  SyncObject& object = condition_at(condition);
  before_destroying(object, site);
  destroyed(object, site);
  return 0;
}

int condition_wait(pthread_cond_t* condition, pthread_mutex_t* mutex, const std::uint64_t* deadline,
                   std::uint64_t site) {
  cancellation_begins(site);
  SyncObject& object = condition_at(condition);
  SyncObject& lock = mutex_at(mutex);
  Task& self = execution.self();
  const auto kind = deadline != nullptr ? OperationKind::timed_wait : OperationKind::wait;
  const std::uint32_t lock_life = lock.life;
  object_point(kind, object, site);
  execution.steps.last().value = execution.accesses.heap_move.undo(lock.address);
  expect_alive(lock, lock_life, site);
  const std::uint32_t depth = mutex_release_for_wait(lock, site);
  object.waiters.push_back(self.id);
  self.signalled = false;
  self.timed_out = false;
  self.wait_mutex = &lock;
  self.wait_site = site;
  execution.turns.disable(self.id);
  if (deadline != nullptr) execution.scheduler().set_deadline(self, *deadline);
  if (execution.options().spurious_wakeups) execution.turns.enable(self.id);
  execution.point(OperationKind::wake, condition, site);
  bool timed_out = false;
  if (was_interrupted(self)) {
    std::erase(object.waiters, self.id);
    leave_for_handlers(self);
    leave_unsignalled(object, lock, self);
  } else if (!self.signalled) {
    timed_out = self.timed_out;
    if (!timed_out) execution.steps.last().flags |= step_spurious;
    execution.scheduler().yielded();
    leave_unsignalled(object, lock, self);
  }
  expect_alive(lock, lock_life, site);
  lock.contenders.erase(self.id);
  mutex_take(lock, depth, site);
  self.timed_out = timed_out;
  take_late_signals();
  cancellation_ends();
  return timed_out ? ETIMEDOUT : 0;
}

int condition_signal(pthread_cond_t* condition, std::uint64_t site) {
  SyncObject& object = condition_at(condition);
  object_point(OperationKind::signal, object, site);
  if (object.waiters.empty()) {
    execution.steps.last().flags |= step_failed;
    return 0;
  }
  Step& signal = execution.steps.last();
  const auto waiters = static_cast<std::uint32_t>(object.waiters.size());
  const std::uint32_t chosen =
      execution.choose_value(waiters, OperationKind::signal, condition, site);
  signal.value = index(object.waiters[chosen]);
  wake(object, chosen);
  return 0;
}

int condition_broadcast(pthread_cond_t* condition, std::uint64_t site) {
  SyncObject& object = condition_at(condition);
  object_point(OperationKind::broadcast, object, site);
  execution.steps.last().value = object.waiters.size();
  while (!object.waiters.empty()) wake(object, 0);
  return 0;
}

}  // namespace ricercar::inline threads
