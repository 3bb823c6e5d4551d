// Why two accesses race, and why memory was used after it was freed.
#include <fmt/format.h>

#include <algorithm>

#include "model/messages.h"
#include "report/build_threads.h"
#include "report/history.h"
#include "report/phrases.h"
#include "report/style.h"
#include "report/variable_accesses.h"
#include "report/why.h"
#include "report/why_atomic.h"

namespace ricercar::inline report {
namespace {

bool covers(const Step& step, std::uint64_t address) {
  return step.object <= address && address - step.object < std::max<std::uint64_t>(step.size, 1);
}

// The earlier access of a race, if it is in the recording.
std::optional<std::size_t> earlier_access(const Recording& recording) {
  const RecordedOutcome& outcome = recording.outcome;
  return last_event(recording, 0, recording.events.size, [&outcome](const Step& step) {
    return step.task == outcome.other_task && step.site == outcome.other_site &&
           is_memory_access(step.kind) && covers(step, outcome.object);
  });
}

std::vector<std::string> names_of(WhyWriter& writer, const std::vector<HeldLock>& locks) {
  std::vector<std::string> words;
  for (const HeldLock& lock : locks) {
    words.push_back(writer.quoted(lock.object) + writer.tell_where("locks", lock.taken));
  }
  return words;
}

bool is_for_reading(const Step& step) {
  return step.kind == OperationKind::read_lock || step.kind == OperationKind::try_read_lock ||
         step.kind == OperationKind::timed_read_lock;
}

const HeldLock* find_lock(const std::vector<HeldLock>& locks, std::uint64_t object) {
  const auto found = std::find_if(locks.begin(), locks.end(),
                                  [object](const HeldLock& lock) { return lock.object == object; });
  return found == locks.end() ? nullptr : &*found;
}

// Both hold it: it keeps nobody out if one has taken it for reading.
void tell_common_lock(WhyWriter& writer, const HeldLock& one, const HeldLock& two) {
  for (const HeldLock* lock : {&one, &two}) {
    const Step& step = writer.step(lock->taken);
    if (!is_for_reading(step)) continue;
    writer.say(fmt::format("{} holds {} for reading only{}, which does not keep other readers out.",
                           writer.who(step.task), writer.quoted(lock->object),
                           writer.tell_where("locks", lock->taken)));
  }
}

// Which locks each side held.
void tell_locks(WhyWriter& writer, TaskId first, const std::vector<HeldLock>& of_first,
                TaskId second, const std::vector<HeldLock>& of_second) {
  const std::string one = writer.who(first);
  const std::string two = writer.who(second);
  if (of_first.empty() && of_second.empty()) {
    writer.say(fmt::format("Neither {} nor {} holds a lock there.", one, two));
    return;
  }
  for (const HeldLock& lock : of_first) {
    const HeldLock* other = find_lock(of_second, lock.object);
    if (other != nullptr) return tell_common_lock(writer, lock, *other);
  }
  const auto held = [&](const std::string& who, const std::vector<HeldLock>& locks) {
    return locks.empty() ? who + " holds no lock"
                         : who + " holds " + enumerated(names_of(writer, locks));
  };
  const bool is_one_without = of_first.empty() || of_second.empty();
  writer.say(held(one, of_first) + "; " + held(two, of_second) +
             (is_one_without ? "." : ": no lock is held by both."));
}

bool is_weak_release(const RecordedEvent& event) {
  return event.order == __ATOMIC_RELAXED || event.order == __ATOMIC_ACQUIRE ||
         event.order == __ATOMIC_CONSUME;
}

bool is_weak_acquire(const RecordedEvent& event) {
  return event.order == __ATOMIC_RELAXED || event.order == __ATOMIC_RELEASE;
}

// The second thread has seen an atomic that the first one has stored after its access, but in a way
// that orders nothing.
bool tell_weak_atomic(WhyWriter& writer, std::size_t first, TaskId second) {
  const Recording& recording = writer.recording();
  const std::size_t end = recording.events.size;
  const TaskId task = writer.step(first).task;
  for (std::size_t load = end; load-- > first;) {
    const Step& seen = writer.step(load);
    if (seen.task != second || !reads_memory(seen) || is_plain(seen)) continue;
    const auto store = last_event(recording, first + 1, load, [&](const Step& step) {
      return step.object == seen.object && writes_memory(step) && !is_plain(step);
    });
    if (!store || writer.step(*store).task != task) continue;
    const bool weak_store = is_weak_release(writer.event(*store));
    if (!weak_store && !is_weak_acquire(writer.event(load))) continue;
    writer.recognise("weak-atomic");
    writer.say(fmt::format(
        "{}, and {} has seen that: {}. But {}, so it does not order the two.",
        writer.tell("stores", *store), writer.who(second), writer.tell_what("loads", load),
        weak_store ? "the store releases nothing" : "the load acquires nothing"));
    return true;
  }
  return false;
}

// One has created the other one and has not joined it.
bool tell_missing_join(WhyWriter& writer, TaskId creator, TaskId created) {
  const Recording& recording = writer.recording();
  const std::size_t end = recording.events.size;
  const auto creation = last_event(recording, 0, end, [&](const Step& step) {
    return step.kind == OperationKind::create && step.task == creator &&
           step.value == index(created);
  });
  if (!creation) return false;
  const auto join = first_event(recording, *creation, end, [&](const Step& step) {
    return step.kind == OperationKind::join && step.object == index(created);
  });
  if (join) return false;
  writer.say(fmt::format("{}{}, and has not joined it before its own access.",
                         writer.who(creator) + " has created " + writer.who(created),
                         writer.tell_where("creates", *creation)));
  return true;
}

// The last time that a task has read where a block is.
std::optional<std::size_t> pointer_read(WhyWriter& writer, const RecordedAllocation& block,
                                        TaskId task, std::size_t end) {
  return last_event(writer.recording(), 0, end, [&](const Step& step) {
    return step.task == task && reads_memory(step) && step.size == 8 &&
           step.value == block.address && !covers(step, writer.recording().outcome.object) &&
           !writer.names().is_of_thread_start(step.object);
  });
}

// The lock under which the pointer was read has been given back by the time that it is used.
void tell_lock_of_pointer(WhyWriter& writer, std::size_t pointer, std::size_t use) {
  const Recording& recording = writer.recording();
  const TaskId task = writer.step(pointer).task;
  for (const HeldLock& lock : locks_held_at(recording, task, pointer)) {
    const auto back = first_event(recording, pointer, use, [&](const Step& step) {
      return step.task == task && lock_given_back(step) == lock.object;
    });
    if (!back) continue;
    writer.say(fmt::format(
        "{} holds {} when it reads the pointer, but gives it back{}, before it uses "
        "the memory.",
        writer.who(task), writer.quoted(lock.object), writer.tell_where("unlocks", *back)));
  }
}

// Where the one who uses the memory has it from, and why the other one frees it.
void tell_race_with_free(WhyWriter& writer, std::size_t use) {
  const Recording& recording = writer.recording();
  const RecordedAllocation* block = writer.names().allocation(recording.outcome.object);
  if (block == nullptr) return;
  const TaskId user = writer.step(use).task;
  if (const auto pointer = pointer_read(writer, *block, user, use)) {
    const std::string place = writer.tell_where("reads", *pointer);
    writer.say(fmt::format("{} has read the pointer to it{}.", writer.who(user), place));
    tell_lock_of_pointer(writer, *pointer, use);
  }
  VariableAccesses accesses(writer.names());
  const TaskId freeing =
      recording.outcome.task == user ? recording.outcome.other_task : recording.outcome.task;
  tell_stale_use(writer, accesses, freeing, recording.events.size);
}

}  // namespace

void explain_race(WhyWriter& writer) {
  const Recording& recording = writer.recording();
  const RecordedOutcome& outcome = recording.outcome;
  const auto earlier = earlier_access(recording);
  if (!earlier || recording.truncated || outcome.task == no_task) return;
  writer.recognise("unordered-accesses");
  const std::vector<HeldLock> of_earlier = locks_held_at(recording, outcome.other_task, *earlier);
  const std::vector<HeldLock> of_later =
      locks_held_at(recording, outcome.task, recording.events.size);
  const std::string first = writer.tell(outcome.other_is_write ? "writes" : "reads", *earlier);
  writer.say(fmt::format(
      "{}, {} {} it{}, and nothing orders the two.", first, writer.who(outcome.task),
      access_verb(outcome),
      writer.tell_place(access_verb(outcome), outcome.task, access_phrase(writer.names()),
                        writer.names().place(outcome.stack))));
  tell_locks(writer, outcome.other_task, of_earlier, outcome.task, of_later);
  if (tell_weak_atomic(writer, *earlier, outcome.task)) return;
  if (is_race_with_free(outcome)) tell_race_with_free(writer, *earlier);
  tell_missing_join(writer, outcome.task, outcome.other_task);
}

void explain_use_after_free(WhyWriter& writer) {
  const Recording& recording = writer.recording();
  const RecordedOutcome& outcome = recording.outcome;
  const RecordedAllocation* block = writer.names().allocation(outcome.object);
  if (block == nullptr || block->freed_by == no_task || outcome.task == no_task) return;
  const auto freed = last_event(recording, 0, recording.events.size, [&](const Step& step) {
    return step.kind == OperationKind::release && step.object == block->address;
  });
  if (!freed) return;
  const auto pointer = pointer_read(writer, *block, outcome.task, *freed);
  const Place place = writer.names().place(outcome.stack);
  const bool is_same_task = block->freed_by == outcome.task;
  std::string words;
  if (pointer) words = writer.tell("reads", *pointer) + "; then ";
  words += writer.tell("frees", *freed);
  words += fmt::format(
      ", and {} still {} it{}.", is_same_task ? "it" : writer.who(outcome.task),
      access_verb(outcome),
      writer.tell_place(access_verb(outcome), outcome.task, use_of_freed(writer.names()), place));
  writer.recognise("use-of-freed");
  writer.say(words);
  if (is_same_task || recording.truncated) return;
  const auto of_use = locks_held_at(recording, outcome.task, recording.events.size);
  const auto of_free = locks_held_at(recording, block->freed_by, *freed);
  if (of_use.empty() && of_free.empty()) {
    writer.say(fmt::format("Neither {} nor {} holds a lock there.", writer.who(outcome.task),
                           writer.who(block->freed_by)));
  } else if (pointer) {
    tell_lock_of_pointer(writer, *pointer, *freed);
  }
  VariableAccesses accesses(writer.names());
  tell_stale_use(writer, accesses, block->freed_by, *freed + 1);
}

}  // namespace ricercar::inline report
