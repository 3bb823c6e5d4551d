#include "threads/cancel.h"

#include <errno.h>

#include <utility>

#include "threads/execution.h"
#include "threads/thread.h"

namespace ricercar::inline threads {
namespace {

void order(const Task& task, bool acquires) {
  RaceDetector* races = execution.races();
  if (races == nullptr) return;
  const auto object = reinterpret_cast<std::uint64_t>(&task.cancel_requested);
  if (acquires) {
    races->acquire(execution.self().id, object);
  } else {
    races->release(execution.self().id, object);
  }
}

bool takes_requests(const Task& task) { return task.cancel_requested && !task.cancel_disabled; }

[[noreturn]] void take_request(Task& self) {
  self.cancel_disabled = true;
  self.cancel_requested = false;
  order(self, true);
  thread_exit(PTHREAD_CANCELED);
}

// Ends the wait as if its time were over. One that was woken and takes its mutex back has to wait
// for that.
void wake(Task& target) {
  if (execution.tasks.pending(target.id).kind == OperationKind::relock) return;
  target.cancel_woken = true;
  execution.scheduler().set_deadline(target, execution.clock.now());
}

}  // namespace

int thread_cancel(pthread_t handle, std::uint64_t site) {
  Task* target = task_of(handle);
  if (target == nullptr) return ESRCH;
  execution.point(OperationKind::cancel, &target->cancel_requested, site);
  execution.steps.last().value = index(target->id);
  if (target->state == TaskState::ended) return 0;
  target->cancel_requested = true;
  order(*target, false);
  if (target->cancel_disabled) return 0;
  if (target->cancel_point) {
    wake(*target);
  } else if (target->cancel_at_once && target == &execution.self()) {
    take_request(*target);
  } else if (target->cancel_at_once) {
    execution.fail(OutcomeKind::hang,
                   "cancels a thread with PTHREAD_CANCEL_ASYNCHRONOUS outside its cancellation "
                   "points, which is not modelled by Ricercar",
                   site);
  }
  return 0;
}

int set_cancel_state(int state, int* old) {
  if (state != PTHREAD_CANCEL_ENABLE && state != PTHREAD_CANCEL_DISABLE) return EINVAL;
  const bool before =
      std::exchange(execution.self().cancel_disabled, state != PTHREAD_CANCEL_ENABLE);
  if (old != nullptr) *old = before ? PTHREAD_CANCEL_DISABLE : PTHREAD_CANCEL_ENABLE;
  return 0;
}

int set_cancel_type(int type, int* old) {
  if (type != PTHREAD_CANCEL_DEFERRED && type != PTHREAD_CANCEL_ASYNCHRONOUS) return EINVAL;
  Task& self = execution.self();
  const bool before = std::exchange(self.cancel_at_once, type != PTHREAD_CANCEL_DEFERRED);
  if (old != nullptr) *old = before ? PTHREAD_CANCEL_ASYNCHRONOUS : PTHREAD_CANCEL_DEFERRED;
  if (self.cancel_at_once && takes_requests(self)) take_request(self);
  return 0;
}

void enter_cancellation_point(std::uint64_t site) {
  Task& self = execution.self();
  execution.note(OperationKind::cancel_look, &self.cancel_requested, site, self.cancel_requested);
  if (takes_requests(self)) take_request(self);
  self.cancel_point = true;
  self.cancel_woken = false;
}

// A wait that ended for another reason leaves the request to the next cancellation point.
void leave_cancellation_point() {
  Task& self = execution.self();
  self.cancel_point = false;
  if (self.cancel_woken && self.timed_out && takes_requests(self)) take_request(self);
}

}  // namespace ricercar::inline threads
