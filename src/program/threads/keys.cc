#include "threads/keys.h"

#include <errno.h>

#include <utility>

#include "model/dependence.h"
#include "threads/execution.h"
#include "threads/real.h"

namespace ricercar::inline threads {
namespace {

// glibc has 1024 keys. Those made outside of an execution keep the number that glibc gave them; the
// ones made inside come after them, so that the two cannot meet. A number is given once in an
// execution, as long as there are any left.
constexpr unsigned most_alive = 1024;
constexpr unsigned outside_keys = objects::keys_from_before_main;
constexpr unsigned max_keys = outside_keys + (1 << 14);
constexpr int destructor_rounds = 4;  // PTHREAD_DESTRUCTOR_ITERATIONS

struct Key {
  bool used = false;
  void (*destructor)(void*) = nullptr;
};

// What was done with a key in an execution.
struct KeyHistory {
  std::uint64_t execution = 0;
  TaskId user = no_task;  // the first
  bool has_several_users = false;
  TaskId deleter = no_task;
  std::uint64_t delete_site = 0;
};

Key keys[max_keys];
KeyHistory histories[max_keys];
std::uint64_t current_execution = 0;
unsigned key_count = outside_keys;
unsigned alive_count = 0;  // of the keys made inside
// Those that the execution deletes come back with the next one, as the memory does that holds them.
Key deleted_outside[outside_keys];
bool any_deleted_outside = false;
bool uses_are_points = false;
bool uses_matter = false;

KeyHistory& history_of(pthread_key_t key) {
  KeyHistory& history = histories[key];
  if (history.execution != current_execution)
    history = {current_execution, no_task, false, no_task, 0};
  return history;
}

const void* object_of(pthread_key_t key) {
  return reinterpret_cast<const void*>(objects::key(key));
}

// Who is alone has nobody to interleave with, but others may have been there before.
void announce(OperationKind kind, const void* object, std::uint64_t site) {
  if (!execution.alone()) {
    execution.point(kind, object, site);
  } else if (execution.task_count() > 1) {
    execution.note(kind, object, site);
  }
}

bool are_others_joined() {
  for (std::uint32_t i = 0; i < execution.task_count(); ++i) {
    const Task& task = execution.task(task_id(i));
    if (task.id != execution.self().id && !task.joined) return false;
  }
  return true;
}

void note_use(KeyHistory& history) {
  const TaskId self = execution.self().id;
  if (history.user == no_task) history.user = self;
  if (history.user != self) history.has_several_users = true;
  if (history.deleter != no_task && history.deleter != self) uses_matter = true;
}

void note_delete(KeyHistory& history, std::uint64_t site) {
  const TaskId self = execution.self().id;
  const bool is_used_by_others =
      history.has_several_users || (history.user != no_task && history.user != self);
  if (is_used_by_others && !are_others_joined()) uses_matter = true;
  history.deleter = self;
  history.delete_site = site;
}

void announce_use(pthread_key_t key, std::uint64_t site) {
  if (__builtin_expect(uses_are_points, 0)) announce(OperationKind::key_use, object_of(key), site);
  note_use(history_of(key));
}

[[noreturn]] void used_after_delete(pthread_key_t key, std::uint64_t site) {
  const KeyHistory& history = history_of(key);
  Outcome outcome;
  outcome.kind = OutcomeKind::lock_misuse;
  outcome.message = "uses a thread key that was deleted";
  outcome.site = site;
  outcome.object = objects::key(key);
  outcome.other_task = history.deleter;
  outcome.other_site = history.delete_site;
  execution.fail(std::move(outcome));
}

// What the C library does then (nothing, or EINVAL) is its own choice; and whoever is alone cleans
// up. Keys made before main may be deleted by destructors while threads still run.
void expect_alive(pthread_key_t key, std::uint64_t site) {
  if (key < outside_keys || keys[key].used) return;
  const TaskId deleter = history_of(key).deleter;
  if (deleter == no_task || (deleter == execution.self().id && execution.alone())) return;
  used_after_delete(key, site);
}

// Before a key is used; false: there is no such key.
bool use(pthread_key_t key, std::uint64_t site) {
  if (key >= max_keys) return false;
  announce_use(key, site);
  expect_alive(key, site);
  return key >= outside_keys || !deleted_outside[key].used;
}

// The main task keeps what the process had stored before the execution began.
bool is_outside(pthread_key_t key, const Task& task) {
  return key < outside_keys && task.creator == no_task;
}

unsigned unused_number() {
  if (key_count < max_keys) return key_count++;
  unsigned number = outside_keys;
  while (keys[number].used) ++number;
  return number;
}

void restore_outside_keys() {
  for (unsigned i = 0; i < outside_keys; ++i) {
    if (deleted_outside[i].used) keys[i] = std::exchange(deleted_outside[i], Key{});
  }
  any_deleted_outside = false;
}

void forget_values(pthread_key_t key) {
  for (std::uint32_t i = 0; i < execution.task_count(); ++i) {
    auto& values = execution.task(task_id(i)).key_values;
    if (key < values.size()) values[key] = nullptr;
  }
}

bool has_destructor(pthread_key_t key) { return keys[key].used && keys[key].destructor != nullptr; }

// Somebody may delete the key just before: then its destructor is not called any more.
bool run_key_destructor(Task& task, pthread_key_t key) {
  if (task.key_values[key] == nullptr || !has_destructor(key)) return false;
  announce_use(key, 0);
  void* value = std::exchange(task.key_values[key], nullptr);
  if (value == nullptr) return false;
  keys[key].destructor(value);
  return true;
}

bool run_key_destructors_once(Task& task) {
  bool any = false;
  for (pthread_key_t key = 0; key < task.key_values.size(); ++key) {
    any = run_key_destructor(task, key) || any;
  }
  return any;
}

}  // namespace

void run_some_key_destructors(Task& task) {
  for (int round = 0; round < destructor_rounds; ++round) {
    if (!run_key_destructors_once(task)) return;
  }
}

void keys_begin_execution() {
  ++current_execution;
  uses_matter = false;
  for (unsigned i = outside_keys; i < key_count; ++i) keys[i] = Key{};
  key_count = outside_keys;
  alive_count = 0;
  if (__builtin_expect(any_deleted_outside, 0)) restore_outside_keys();
}

void set_key_points(bool are_points) { uses_are_points = are_points; }

bool key_uses_matter() { return uses_matter && !uses_are_points; }

void outside_key_created(pthread_key_t key, void (*destructor)(void*)) {
  if (key < outside_keys) keys[key] = {true, destructor};
}

void outside_key_deleted(pthread_key_t key) {
  if (key < outside_keys) keys[key] = Key{};
}

int key_create(pthread_key_t* key, void (*destructor)(void*), std::uint64_t site) {
  announce(OperationKind::key_create, reinterpret_cast<const void*>(objects::key_list), site);
  if (alive_count == most_alive) return EAGAIN;
  ++alive_count;
  *key = unused_number();
  keys[*key] = {true, destructor};
  history_of(*key).deleter = no_task;
  return 0;
}

int key_delete(pthread_key_t key, std::uint64_t site) {
  if (key >= max_keys) return EINVAL;
  announce(OperationKind::key_delete, object_of(key), site);
  if (!keys[key].used) return EINVAL;
  if (key < outside_keys) {
    deleted_outside[key] = keys[key];
    any_deleted_outside = true;
  } else {
    --alive_count;
  }
  keys[key] = Key{};
  note_delete(history_of(key), site);
  forget_values(key);
  return 0;
}

void* key_get(pthread_key_t key, std::uint64_t site) {
  if (!use(key, site)) return nullptr;
  if (is_outside(key, execution.self())) return real_pthread_getspecific(key);
  auto& values = execution.self().key_values;
  return key < values.size() ? values[key] : nullptr;
}

int key_set(pthread_key_t key, const void* value, std::uint64_t site) {
  if (!use(key, site)) return EINVAL;
  if (is_outside(key, execution.self())) return real_pthread_setspecific(key, value);
  if (!keys[key].used) return EINVAL;
  auto& values = execution.self().key_values;
  if (values.size() <= key) values.resize(key + 1);
  values[key] = const_cast<void*>(value);
  return 0;
}

}  // namespace ricercar::inline threads
