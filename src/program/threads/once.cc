// In a SyncObject of a once control or a guard: owner (who initialises), waiters. Whether it is
// done is in the program's memory, where the C library and compiled code look for it too.
#include "threads/once.h"

#include "threads/execution.h"
#include "threads/memory_access.h"
#include "threads/object_life.h"
#include "threads/signals.h"

namespace ricercar::inline threads {
namespace {

constexpr int once_done = 2;  // glibc's value of a control whose routine has run

SyncObject& once_at(void* address) {
  bool fresh;
  return execution.objects.at(address, ObjectKind::once, fresh);
}

void acquire(void* address) {
  if (RaceDetector* races = execution.races()) {
    races->acquire(execution.self().id, reinterpret_cast<std::uint64_t>(address));
  }
}

void let_others_go(SyncObject& object) {
  if (RaceDetector* races = execution.races()) {
    races->release(execution.self().id, object.address);
  }
  object.owner = no_task;
  for (const TaskId waiter : object.waiters) execution.turns.advance(waiter);
  object.waiters.clear();
}

// Becomes the one who initialises (true), or finds that it has been done (false).
template <typename Done>
bool enter(void* address, std::uint64_t site, Done done) {
  SyncObject& object = once_at(address);
  object_point(OperationKind::once, object, site);
  while (!done()) {
    if (object.owner == no_task) {
      object.owner = execution.self().id;
      acquire(address);  // an attempt that failed happened before
      return true;
    }
    if (object.owner == execution.self().id) {
      execution.fail(OutcomeKind::deadlock, "a one-time initialisation waits for itself", site,
                     address);
    }
    object.waiters.push_back(execution.self().id);
    wait_to_advance(OperationKind::once, address, site);
    execution.note(OperationKind::once, address, site);
    take_late_signals();
  }
  acquire(address);
  return false;
}

// Gives the control back if the routine throws. A destructor, not a handler: the exception belongs
// to the program's C++ library.
class Turn {
 public:
  explicit Turn(pthread_once_t* control) : control_(control) {}
  ~Turn() {
    if (finished_) __atomic_store_n(control_, once_done, __ATOMIC_RELEASE);
    execution.note(OperationKind::once, control_, 0, finished_ ? 1 : 0);
    let_others_go(once_at(control_));
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  void finished() { finished_ = true; }

 private:
  pthread_once_t* control_;
  bool finished_ = false;
};

}  // namespace

int once_call(pthread_once_t* control, void (*routine)(), std::uint64_t site) {
  const auto done = [control] { return *control == once_done; };
  if (!enter(control, site, done)) return 0;
  Turn turn(control);
  routine();
  turn.finished();
  return 0;
}

int guard_acquire(std::uint64_t* guard, std::uint64_t site) {
  auto* first_byte = reinterpret_cast<unsigned char*>(guard);
  return enter(guard, site, [first_byte] { return *first_byte != 0; }) ? 1 : 0;
}

// Compiled code looks at the first byte with an atomic load before it calls guard_acquire.
void guard_release(std::uint64_t* guard, std::uint64_t site) {
  if (execution.recorder() != nullptr) record_place(site);
  if (RaceDetector* races = execution.races()) {
    races->atomic_store(execution.self().id, reinterpret_cast<std::uint64_t>(guard), 1,
                        Order::release, site, execution.accesses.event);
  }
  *reinterpret_cast<unsigned char*>(guard) = 1;
  execution.note(OperationKind::once, guard, site, 1);
  let_others_go(once_at(guard));
}

void guard_abort(std::uint64_t* guard, std::uint64_t site) {
  execution.note(OperationKind::once, guard, site, 0);
  let_others_go(once_at(guard));
}

}  // namespace ricercar::inline threads
