#include "threads/object_life.h"

#include <string>
#include <string_view>
#include <utility>

namespace ricercar::inline threads {
namespace {

constexpr int destroyed_kind = -1;               // what glibc leaves in a mutex
constexpr unsigned destroyed_bit = 4;            // what it leaves in a condition variable
constexpr unsigned destroyed_word = 0xdeadbeef;  // it leaves nothing in a reader-writer lock

std::string_view noun(const SyncObject& object) {
  switch (object.kind) {
    case ObjectKind::mutex:
      return object.type == spin_lock_type ? "spin lock" : "mutex";
    case ObjectKind::rwlock:
      return "reader-writer lock";
    case ObjectKind::condition:
      return "condition variable";
    case ObjectKind::semaphore:
      return "semaphore";
    case ObjectKind::barrier:
      return "barrier";
    case ObjectKind::once:
      return "once flag";
    case ObjectKind::futex:
      break;
  }
  return "futex";
}

std::string name_of(TaskId task) { return "T" + std::to_string(index(task)); }

// "locks a mutex": the words of some operations end with the noun.
std::string doing(const SyncObject& object) {
  std::string words = info(execution.steps.last().kind).words;
  const std::string end = " " + std::string(noun(object));
  if (words.ends_with(end)) words.resize(words.size() - end.size());
  return words + " a" + end;
}

[[noreturn]] void used_after_free(const SyncObject& object, std::uint64_t site) {
  const HeapBlock block = heap_block_of(object.address);
  Outcome outcome;
  outcome.kind = OutcomeKind::use_after_free;
  outcome.message = doing(object) +
                    (block.live ? " whose memory was freed and is used again"
                                : " in a freed block of " + std::to_string(block.size) + " bytes");
  outcome.site = site;
  outcome.object = object.address;
  outcome.is_write = true;
  execution.fail(std::move(outcome));
}

[[noreturn]] void used_after_destroy(const SyncObject& object, std::uint64_t site) {
  Outcome outcome;
  outcome.kind = OutcomeKind::lock_misuse;
  outcome.message = doing(object) + " that was destroyed before";
  outcome.site = site;
  outcome.object = object.address;
  outcome.other_task = object.destroyer;
  outcome.other_site = object.destroyer == no_task ? 0 : object.site;
  execution.fail(std::move(outcome));
}

std::string holder(TaskId task) {
  return task == execution.self().id ? "that it holds" : "that " + name_of(task) + " holds";
}

// How the object is in use, as the end of a sentence; empty: it is not.
std::string use_of(const SyncObject& object) {
  const bool is_once = object.kind == ObjectKind::once;
  if (object.owner != no_task) return is_once ? "that is in use" : holder(object.owner);
  if (object.kind == ObjectKind::rwlock && object.count != 0) {
    return holder(object.readers.first());
  }
  if (object.kind == ObjectKind::semaphore && object.count == 0 && !object.contenders.empty()) {
    return "that " + name_of(object.contenders.first()) + " waits on";
  }
  const bool has_waiters =
      object.kind == ObjectKind::condition || object.kind == ObjectKind::barrier || is_once;
  if (has_waiters && !object.waiters.empty()) {
    return "that " + name_of(object.waiters.front()) + " waits on";
  }
  return {};
}

void expect_unused(const SyncObject& object, const char* verb, std::uint64_t site) {
  const std::string use = use_of(object);
  if (use.empty()) return;
  execution.fail(OutcomeKind::lock_misuse, verb + (" a " + std::string(noun(object))) + " " + use,
                 site, address_of(object));
}

// Nobody to interleave with: no point.
void point_or_note(OperationKind kind, const SyncObject& object, std::uint64_t site) {
  if (execution.tasks.alone()) {
    execution.note(kind, address_of(object), site);
  } else {
    execution.point(kind, address_of(object), site);
  }
}

void note_open(const SyncObject& object) {
  std::uint8_t open = 0;
  const bool is_lock = object.kind == ObjectKind::mutex || object.kind == ObjectKind::rwlock;
  if (is_lock && object.owner == no_task) open = open_to_readers;
  if (is_lock && object.owner == no_task && object.count == 0) open |= open_to_one;
  if (object.kind == ObjectKind::semaphore && object.count > 0) open = open_to_one;
  execution.steps.last().open |= open;
}

void leave_mark(const SyncObject& object) {
  void* memory = address_of(object);
  switch (object.kind) {
    case ObjectKind::mutex:
      if (object.type == spin_lock_type) {
        *static_cast<unsigned*>(memory) = destroyed_word;
      } else {
        static_cast<pthread_mutex_t*>(memory)->__data.__kind = destroyed_kind;
      }
      return;
    case ObjectKind::condition:
      static_cast<pthread_cond_t*>(memory)->__data.__wrefs |= destroyed_bit;
      return;
    case ObjectKind::rwlock:
      static_cast<pthread_rwlock_t*>(memory)->__data.__pad4 = destroyed_word;
      return;
    default:
      return;  // can only be initialised by a call
  }
}

}  // namespace

bool has_destroyed_mark(const SyncObject& object) {
  const void* memory = address_of(object);
  switch (object.kind) {
    case ObjectKind::mutex:
      if (object.type == spin_lock_type) {
        return *static_cast<const unsigned*>(memory) == destroyed_word;
      }
      return static_cast<const pthread_mutex_t*>(memory)->__data.__kind == destroyed_kind;
    case ObjectKind::condition:
      return (static_cast<const pthread_cond_t*>(memory)->__data.__wrefs & destroyed_bit) != 0;
    case ObjectKind::rwlock:
      return static_cast<const pthread_rwlock_t*>(memory)->__data.__pad4 == destroyed_word;
    default:
      return object.destroyed;
  }
}

void look_at_life(SyncObject& object, std::uint32_t life, std::uint64_t site) {
  if (heap_state(object.address) == HeapState::freed || object.life != life) {
    used_after_free(object, site);
  }
  if (has_destroyed_mark(object)) used_after_destroy(object, site);
  object.destroyed = false;
  if (object.kind == ObjectKind::mutex && object.type != spin_lock_type) {
    object.type = mutex_type(static_cast<const pthread_mutex_t*>(address_of(object)));
  }
}

void before_initialising(SyncObject& object, std::uint64_t value, std::uint64_t site) {
  point_or_note(OperationKind::initialise, object, site);
  execution.steps.last().value = value;
  note_open(object);
  if (heap_state(object.address) == HeapState::freed) used_after_free(object, site);
  expect_unused(object, "initialises", site);
}

// Who is about to use it stays so.
void initialised(SyncObject& object) {
  TaskSet contenders = object.contenders;
  std::vector<TaskId> waiters = std::move(object.waiters);
  execution.objects.renew(object, object.address, object.kind);
  object.contenders = contenders;
  object.waiters = std::move(waiters);
}

void before_destroying(SyncObject& object, std::uint64_t site) {
  const std::uint32_t life = object.life;
  point_or_note(OperationKind::destroy, object, site);
  note_open(object);
  expect_alive(object, life, site);
  expect_unused(object, "destroys", site);
}

void destroyed(SyncObject& object, std::uint64_t site) {
  object.destroyed = true;
  object.destroyer = execution.self().id;
  object.site = site;
  leave_mark(object);
}

void objects_end(std::uint64_t address, std::uint64_t size, bool is_free, std::uint64_t site) {
  execution.objects.for_each_in(address, size, [&](SyncObject& object) {
    if (object.kind == ObjectKind::futex) return;  // the kernel knows only the address
    if (is_free && !object.of_library) expect_unused(object, "frees", site);
    object.forgotten = true;
    ++object.life;
  });
}

void memory_ended(std::uint64_t address, std::uint64_t size) {
  if (RaceDetector* races = execution.races()) races->allocated(address, size);
  objects_end(address, size, false, 0);
}

}  // namespace ricercar::inline threads
