#include <errno.h>
#include <linux/futex.h>

#include <algorithm>

#include "threads/execution.h"
#include "threads/futex.h"
#include "threads/process.h"
#include "threads/signals.h"

namespace ricercar::inline threads {
namespace {

SyncObject& futex_at(std::uint32_t* word) {
  bool fresh;
  return execution.objects.at(word, ObjectKind::futex, fresh);
}

std::uint32_t number_of(const Task& task) {
  return static_cast<std::uint32_t>(process_id()) + index(task.id);
}

long failed(int error) {
  execution.steps.last().flags |= step_failed;
  errno = error;
  return -1;
}

void write_word(std::uint32_t* word, std::uint32_t value) {
  *word = value;
  execution.steps.last().value = value;
  execution.turns.written(execution.self());
}

// True: the running task owns the word now.
bool take_if_free(std::uint32_t* word, std::uint64_t site) {
  kernel_updates(word, site);
  if ((*word & FUTEX_TID_MASK) != 0) return false;
  write_word(word, number_of(execution.self()));
  return true;
}

bool is_owner(const std::uint32_t* word) {
  return (*word & FUTEX_TID_MASK) == number_of(execution.self());
}

long give_up(std::uint32_t* word, SyncObject& object) {
  std::erase(object.waiters, execution.self().id);
  if (object.waiters.empty()) *word &= ~static_cast<std::uint32_t>(FUTEX_WAITERS);
  execution.turns.written(execution.self());
  errno = ETIMEDOUT;
  return -1;
}

// The next owner is a choice.
void hand_over(std::uint32_t* word, SyncObject& object, std::uint64_t site) {
  const auto count = static_cast<std::uint32_t>(object.waiters.size());
  const std::uint32_t chosen = execution.choose_value(count, OperationKind::futex_wake, word, site);
  Task& next = execution.tasks[object.waiters[chosen]];
  object.waiters.erase(object.waiters.begin() + chosen);
  const std::uint32_t others = object.waiters.empty() ? 0 : FUTEX_WAITERS;
  *word = number_of(next) | others;
  execution.turns.written(execution.self());
  next.signalled = true;
  execution.scheduler().clear_deadline(next);
  execution.turns.advance(next.id);
}

}  // namespace

long pi_lock(std::uint32_t* word, const std::uint64_t* deadline, std::uint64_t site) {
  Task& self = execution.self();
  execution.point(deadline != nullptr ? OperationKind::futex_timed_wait : OperationKind::futex_wait,
                  word, site);
  if (is_owner(word)) return failed(EDEADLK);
  if (take_if_free(word, site)) return 0;
  write_word(word, *word | FUTEX_WAITERS);
  SyncObject& object = futex_at(word);
  object.waiters.push_back(self.id);
  self.signalled = false;
  self.futex_mask = 0;  // no ordinary wake-up reaches it
  if (deadline != nullptr) execution.scheduler().set_deadline(self, *deadline);
  wait_to_advance(OperationKind::wake, word, site);
  execution.scheduler().clear_deadline(self);
  if (was_interrupted(self)) {
    give_up(word, object);
    leave_for_handlers(self);
    return pi_lock(word, deadline, site);
  }
  if (!self.signalled) return give_up(word, object);
  execution.note(OperationKind::wake, word, site);
  kernel_updates(word, site);
  return 0;
}

long pi_try_lock(std::uint32_t* word, std::uint64_t site) {
  execution.point(OperationKind::futex_wait, word, site);
  if (is_owner(word)) return failed(EDEADLK);
  return take_if_free(word, site) ? 0 : failed(EWOULDBLOCK);
}

long pi_unlock(std::uint32_t* word, std::uint64_t site) {
  execution.point(OperationKind::futex_wake, word, site);
  if (!is_owner(word)) return failed(EPERM);
  kernel_updates(word, site);
  SyncObject& object = futex_at(word);
  if (object.waiters.empty()) {
    write_word(word, 0);
  } else {
    hand_over(word, object, site);
  }
  return 0;
}

}  // namespace ricercar::inline threads
