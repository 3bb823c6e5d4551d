// In a SyncObject of a futex: waiters, in the order of arrival. The mask of a waiter is in its
// task.
#include "threads/futex.h"

#include <errno.h>
#include <linux/futex.h>

#include <algorithm>

#include "threads/execution.h"
#include "threads/memory_access.h"
#include "threads/signals.h"

namespace ricercar::inline threads {
namespace {

SyncObject& futex_at(std::uint32_t* word) {
  bool fresh;
  return execution.objects.at(word, ObjectKind::futex, fresh);
}

long failed(int error) {
  execution.steps.last().flags |= step_failed;
  errno = error;
  return -1;
}

long invalid() {
  errno = EINVAL;
  return -1;
}

long interrupted() {
  errno = EINTR;
  return -1;
}

// The positions of the waiters that the mask lets wake.
std::vector<std::uint32_t> candidates(const SyncObject& object, std::uint32_t mask) {
  std::vector<std::uint32_t> result;
  for (std::uint32_t i = 0; i < object.waiters.size(); ++i) {
    const Task& task = execution.tasks[object.waiters[i]];
    // Who waits on several words may have been woken by another one.
    if ((task.futex_mask & mask) != 0 && !task.signalled) result.push_back(i);
  }
  return result;
}

// A wait that a wake ends, or that comes too late for it, happens after the wake. Where
// instrumented code decides by an atomic there is an order already; a library that is not
// instrumented shows no other.
void release_word(const SyncObject& object) {
  if (RaceDetector* races = execution.races()) {
    races->release(execution.self().id, object.address);
  }
}
void acquire_word(const SyncObject& object, const Task& task) {
  if (RaceDetector* races = execution.races()) races->acquire(task.id, object.address);
}

void wake_one(SyncObject& object, std::uint32_t position) {
  Task& task = execution.tasks[object.waiters[position]];
  acquire_word(object, task);
  object.waiters.erase(object.waiters.begin() + position);
  task.signalled = true;
  task.woken_by = object.address;
  execution.scheduler().clear_deadline(task);
  execution.turns.advance(task.id);
}

// Which waiters wake is a choice: the kernel promises no order.
long wake_waiters(std::uint32_t* word, std::uint32_t count, std::uint32_t mask,
                  std::uint64_t site) {
  SyncObject& object = futex_at(word);
  release_word(object);
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
  return woken;
}

long move_waiters(std::uint32_t* word, std::uint32_t* target, std::uint32_t most) {
  SyncObject& from = futex_at(word);
  SyncObject& to = futex_at(target);
  long moved = 0;
  while (!from.waiters.empty() && moved < static_cast<long>(most)) {
    Task& task = execution.tasks[from.waiters.front()];
    task.wait_object = to.address;
    to.waiters.push_back(task.id);
    from.waiters.erase(from.waiters.begin());
    ++moved;
  }
  return moved;
}

// The operation and the comparison that FUTEX_WAKE_OP packs into one number.
struct WakeOperation {
  explicit WakeOperation(std::uint32_t packed)
      : operation((packed >> 28) & 7),
        comparison((packed >> 24) & 15),
        operand(signed_part(packed >> 12)),
        compared(signed_part(packed)) {
    if ((packed >> 31) != 0) operand = static_cast<std::int32_t>(1U << (operand & 31));
  }
  static std::int32_t signed_part(std::uint32_t bits) {
    return static_cast<std::int32_t>(bits << 20) >> 20;
  }
  std::uint32_t apply(std::uint32_t old) const {
    const auto value = static_cast<std::uint32_t>(operand);
    switch (operation) {
      case FUTEX_OP_SET:
        return value;
      case FUTEX_OP_ADD:
        return old + value;
      case FUTEX_OP_OR:
        return old | value;
      case FUTEX_OP_ANDN:
        return old & ~value;
      default:
        return old ^ value;
    }
  }
  bool holds(std::uint32_t old) const {
    const auto value = static_cast<std::int32_t>(old);
    switch (comparison) {
      case FUTEX_OP_CMP_EQ:
        return value == compared;
      case FUTEX_OP_CMP_NE:
        return value != compared;
      case FUTEX_OP_CMP_LT:
        return value < compared;
      case FUTEX_OP_CMP_LE:
        return value <= compared;
      case FUTEX_OP_CMP_GT:
        return value > compared;
      default:
        return value >= compared;
    }
  }
  bool is_known() const { return operation <= FUTEX_OP_XOR && comparison <= FUTEX_OP_CMP_GE; }

  std::uint32_t operation, comparison;
  std::int32_t operand, compared;
};

// The step has touched a second word.
void note_second(OperationKind kind, const void* word, std::uint64_t site, std::uint64_t value) {
  execution.note(kind, word, site, value);
  execution.turns.written(execution.self());
}

}  // namespace

long futex_wait(std::uint32_t* word, std::uint32_t expected, const std::uint64_t* deadline,
                std::uint32_t mask, std::uint64_t site) {
  if (mask == 0) return invalid();
  Task& self = execution.self();
  const auto kind =
      deadline != nullptr ? OperationKind::futex_timed_wait : OperationKind::futex_wait;
  execution.point(kind, word, site);
  execution.steps.last().value = *word;
  SyncObject& object = futex_at(word);
  if (*word != expected) {
    acquire_word(object, self);
    return failed(EAGAIN);
  }
  object.waiters.push_back(self.id);
  self.signalled = false;
  self.wait_object = 0;
  self.futex_mask = mask;
  if (deadline != nullptr) execution.scheduler().set_deadline(self, *deadline);
  wait_to_advance(OperationKind::wake, word, site);
  if (self.signalled) {
    execution.note(OperationKind::wake, word, site);
    return 0;
  }
  execution.scheduler().clear_deadline(self);
  SyncObject& now = futex_at(
      reinterpret_cast<std::uint32_t*>(self.wait_object != 0 ? self.wait_object : object.address));
  self.wait_object = 0;
  std::erase(now.waiters, self.id);
  if (was_interrupted(self)) {
    if (leave_for_handlers(self)) return futex_wait(word, expected, deadline, mask, site);
    return interrupted();
  }
  execution.scheduler().yielded();
  errno = ETIMEDOUT;
  return -1;
}

long futex_wake(std::uint32_t* word, std::uint32_t count, std::uint32_t mask, std::uint64_t site) {
  if (mask == 0) return invalid();
  execution.point(OperationKind::futex_wake, word, site);
  Step& step = execution.steps.last();
  const long woken = wake_waiters(word, count, mask, site);
  step.value = static_cast<std::uint64_t>(woken);
  return woken;
}

long futex_requeue(const Requeue& how, std::uint64_t site) {
  execution.point(OperationKind::futex_wake, how.word, site);
  if (how.expected != nullptr && *how.word != *how.expected) return failed(EAGAIN);
  Step& step = execution.steps.last();
  const long woken = wake_waiters(how.word, how.wake, ~0U, site);
  const long moved = move_waiters(how.word, how.target, how.move);
  step.value = static_cast<std::uint64_t>(woken);
  note_second(OperationKind::futex_wake, how.target, site, 0);
  return how.expected != nullptr ? woken + moved : woken;
}

long futex_wake_operation(const WakeBoth& how, std::uint64_t site) {
  const WakeOperation operation(how.operation);
  if (!operation.is_known()) {
    errno = ENOSYS;
    return -1;
  }
  execution.point(OperationKind::futex_wake, how.word, site);
  Step& step = execution.steps.last();
  kernel_updates(how.second, site);
  const std::uint32_t old = *how.second;
  *how.second = operation.apply(old);
  note_second(OperationKind::atomic_update, how.second, site, *how.second);
  long woken = wake_waiters(how.word, how.wake, ~0U, site);
  step.value = static_cast<std::uint64_t>(woken);
  if (operation.holds(old)) woken += wake_waiters(how.second, how.wake_second, ~0U, site);
  return woken;
}

void kernel_updates(const std::uint32_t* word, std::uint64_t site) {
  if (execution.recorder() != nullptr) record_place(site);
  RaceDetector* races = execution.races();
  if (races == nullptr) return;
  const Race* race =
      races->atomic_update(execution.self().id, reinterpret_cast<std::uint64_t>(word), sizeof *word,
                           Order::seq_cst, site, execution.accesses.event);
  if (race != nullptr) report_race(*race);
}

long futex_wait_any(std::span<const WaitedWord> words, const std::uint64_t* deadline,
                    std::uint64_t site) {
  Task& self = execution.self();
  const auto kind =
      deadline != nullptr ? OperationKind::futex_timed_wait : OperationKind::futex_wait;
  execution.point(kind, words[0].word, site);
  for (const WaitedWord& each : words) {
    if (*each.word == each.expected) continue;
    acquire_word(futex_at(each.word), self);
    return failed(EAGAIN);
  }
  for (const WaitedWord& each : words) {
    futex_at(each.word).waiters.push_back(self.id);
    if (&each != &words[0]) execution.note(OperationKind::futex_wait, each.word, site);
  }
  self.signalled = false;
  self.futex_mask = ~0U;
  if (deadline != nullptr) execution.scheduler().set_deadline(self, *deadline);
  wait_to_advance(OperationKind::wake, words[0].word, site);
  execution.scheduler().clear_deadline(self);
  long woken = -1;
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::erase(futex_at(words[i].word).waiters, self.id);
    if (reinterpret_cast<std::uint64_t>(words[i].word) == self.woken_by)
      woken = static_cast<long>(i);
  }
  if (self.signalled) {
    execution.note(OperationKind::wake, reinterpret_cast<void*>(self.woken_by), site);
    return woken;
  }
  if (was_interrupted(self)) {
    return leave_for_handlers(self) ? futex_wait_any(words, deadline, site) : interrupted();
  }
  execution.scheduler().yielded();
  errno = ETIMEDOUT;
  return -1;
}

}  // namespace ricercar::inline threads
