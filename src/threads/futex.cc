// In a SyncObject of a futex: waiters, in the order of arrival. The mask of a waiter is in its
// task.
#include "threads/futex.h"

#include <errno.h>

#include <algorithm>

#include "threads/execution.h"

namespace ricercar {
namespace {

SyncObject& futex_at(std::uint32_t* word) {
  bool fresh;
  return execution.objects().at(word, ObjectKind::futex, fresh);
}

long failed(int error) {
  execution.step().flags |= step_failed;
  errno = error;
  return -1;
}

// The positions of the waiters that the mask lets wake.
std::vector<std::uint32_t> candidates(const SyncObject& object, std::uint32_t mask) {
  std::vector<std::uint32_t> result;
  for (std::uint32_t i = 0; i < object.waiters.size(); ++i) {
    if ((execution.task(object.waiters[i]).futex_mask & mask) != 0) result.push_back(i);
  }
  return result;
}

void wake_one(SyncObject& object, std::uint32_t position) {
  Task& task = execution.task(object.waiters[position]);
  object.waiters.erase(object.waiters.begin() + position);
  task.signalled = true;
  execution.clear_deadline(task);
  execution.advance(task.id);
}

}  // namespace

long futex_wait(std::uint32_t* word, std::uint32_t expected, const std::uint64_t* deadline,
                std::uint32_t mask, std::uint64_t site) {
  Task& self = execution.self();
  const auto kind =
      deadline != nullptr ? OperationKind::futex_timed_wait : OperationKind::futex_wait;
  execution.point(kind, word, site);
  execution.step().value = *word;
  if (*word != expected) return failed(EAGAIN);
  SyncObject& object = futex_at(word);
  object.waiters.push_back(self.id);
  self.signalled = false;
  self.futex_mask = mask;
  if (deadline != nullptr) execution.set_deadline(self, *deadline);
  execution.wait_to_advance(OperationKind::wake, word, site);
  if (self.signalled) {
    execution.note(OperationKind::wake, word, site);
    return 0;
  }
  execution.clear_deadline(self);
  SyncObject& now = futex_at(
      reinterpret_cast<std::uint32_t*>(self.wait_object != 0 ? self.wait_object : object.address));
  self.wait_object = 0;
  std::erase(now.waiters, self.id);
  execution.yielded();
  errno = ETIMEDOUT;
  return -1;
}

// Which waiters wake is a choice: the kernel promises no order.
long futex_wake(std::uint32_t* word, std::uint32_t count, std::uint32_t mask, std::uint64_t site) {
  execution.point(OperationKind::futex_wake, word, site);
  Step& step = execution.step();
  SyncObject& object = futex_at(word);
  long woken = 0;
  while (woken < static_cast<long>(count)) {
    const std::vector<std::uint32_t> possible = candidates(object, mask);
    if (possible.empty()) break;
    const auto number = static_cast<std::uint32_t>(possible.size());
    const bool all = number <= count - static_cast<std::uint32_t>(woken);
    const std::uint32_t chosen =
        all ? 0 : execution.choose_value(number, OperationKind::futex_wake, word, site);
    wake_one(object, possible[chosen]);
    ++woken;
  }
  step.value = static_cast<std::uint64_t>(woken);
  return woken;
}

long futex_requeue(std::uint32_t* word, std::uint32_t wake, std::uint32_t move,
                   std::uint32_t* target, std::uint64_t site) {
  const long woken = futex_wake(word, wake, ~0U, site);
  SyncObject& from = futex_at(word);
  SyncObject& to = futex_at(target);
  long moved = 0;
  while (!from.waiters.empty() && moved < static_cast<long>(move)) {
    Task& task = execution.task(from.waiters.front());
    task.wait_object = to.address;
    to.waiters.push_back(task.id);
    from.waiters.erase(from.waiters.begin());
    ++moved;
  }
  return woken + moved;
}

}  // namespace ricercar
