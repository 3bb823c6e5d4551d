// In a SyncObject of a barrier: limit (how many must arrive), waiters (who has arrived).
#include <errno.h>

#include "threads/execution.h"
#include "threads/object_life.h"
#include "threads/pthread_objects.h"
#include "threads/real.h"
#include "threads/signals.h"

namespace ricercar::inline threads {
namespace {

// glibc's layout: the number of threads is the third word.
constexpr std::size_t count_word = 2;

SyncObject& barrier_at(pthread_barrier_t* barrier) {
  bool fresh;
  SyncObject& object = execution.objects.at(barrier, ObjectKind::barrier, fresh);
  if (fresh) object.limit = reinterpret_cast<const unsigned*>(barrier)[count_word];
  return object;
}

}  // namespace

int barrier_initialise(pthread_barrier_t* barrier, const pthread_barrierattr_t* attributes,
                       unsigned count, std::uint64_t site) {
  SyncObject& object = barrier_at(barrier);
  before_initialising(object, count, site);
  const int error = real_pthread_barrier_init(barrier, attributes, count);
  if (error != 0) return error;
  initialised(object);
  object.limit = count;
  return 0;
}

int barrier_destroy(pthread_barrier_t* barrier, std::uint64_t site) {
  SyncObject& object = barrier_at(barrier);
  before_destroying(object, site);
  destroyed(object, site);
  return 0;
}

int barrier_wait(pthread_barrier_t* barrier, std::uint64_t site) {
  SyncObject& object = barrier_at(barrier);
  const TaskId self = execution.self().id;
  RaceDetector* races = execution.races();
  object_point(OperationKind::barrier_arrive, object, site);
  if (races != nullptr) races->release(self, object.address);
  if (object.waiters.size() + 1 < object.limit) {
    object.waiters.push_back(self);
    wait_to_advance(OperationKind::barrier_leave, barrier, site);
    execution.note(OperationKind::barrier_leave, barrier, site);
    if (races != nullptr) races->acquire(self, object.address);
    take_late_signals();
    return 0;
  }
  for (const TaskId waiter : object.waiters) execution.turns.advance(waiter);
  object.waiters.clear();
  if (races != nullptr) races->acquire(self, object.address);
  return PTHREAD_BARRIER_SERIAL_THREAD;
}

}  // namespace ricercar::inline threads
