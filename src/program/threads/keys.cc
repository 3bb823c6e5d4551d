#include "threads/keys.h"

#include <errno.h>

#include <utility>

#include "threads/execution.h"
#include "threads/real.h"

namespace ricercar::inline threads {
namespace {

constexpr int destructor_rounds = 4;  // PTHREAD_DESTRUCTOR_ITERATIONS

Keys& keys() { return program_state.keys; }

const void* object_of(pthread_key_t key) {
  return reinterpret_cast<const void*>(objects::key(key));
}

// Who is alone has nobody to interleave with, but others may have been there before.
void announce(OperationKind kind, const void* object, std::uint64_t site) {
  if (!execution.tasks.alone()) {
    execution.point(kind, object, site);
  } else if (execution.tasks.count() > 1) {
    execution.note(kind, object, site);
  }
}

bool are_others_joined() {
  for (std::uint32_t i = 0; i < execution.tasks.count(); ++i) {
    const Task& task = execution.tasks[task_id(i)];
    if (task.id != execution.self().id && !task.joined) return false;
  }
  return true;
}

void announce_use(pthread_key_t key, std::uint64_t site) {
  if (__builtin_expect(keys().uses_are_points(), 0)) {
    announce(OperationKind::key_use, object_of(key), site);
  }
  keys().note_use(key, execution.self().id);
}

[[noreturn]] void used_after_delete(pthread_key_t key, std::uint64_t site) {
  const Keys::Deletion deletion = keys().deletion(key);
  Outcome outcome;
  outcome.kind = OutcomeKind::lock_misuse;
  outcome.message = "uses a thread key that was deleted";
  outcome.site = site;
  outcome.object = objects::key(key);
  outcome.other_task = deletion.task;
  outcome.other_site = deletion.site;
  execution.fail(std::move(outcome));
}

// What the C library does then (nothing, or EINVAL) is its own choice; and whoever is alone cleans
// up. Keys made before main may be deleted by destructors while threads still run.
void expect_alive(pthread_key_t key, std::uint64_t site) {
  if (key < Keys::from_outside || keys().is_used(key)) return;
  const TaskId deleter = keys().deletion(key).task;
  if (deleter == no_task || (deleter == execution.self().id && execution.tasks.alone())) return;
  used_after_delete(key, site);
}

// Before a key is used; false: there is no such key.
bool use(pthread_key_t key, std::uint64_t site) {
  if (key >= Keys::most) return false;
  announce_use(key, site);
  expect_alive(key, site);
  return key >= Keys::from_outside || keys().deletion(key).task == no_task;
}

// The main task keeps what the process had stored before the execution began.
bool is_outside(pthread_key_t key, const Task& task) {
  return key < Keys::from_outside && task.creator == no_task;
}

void forget_values(pthread_key_t key) {
  for (std::uint32_t i = 0; i < execution.tasks.count(); ++i) {
    auto& values = execution.tasks[task_id(i)].key_values;
    if (key < values.size()) values[key] = nullptr;
  }
}

// Somebody may delete the key just before: then its destructor is not called any more.
bool run_key_destructor(Task& task, pthread_key_t key) {
  if (task.key_values[key] == nullptr || keys().destructor_of(key) == nullptr) return false;
  announce_use(key, 0);
  void* value = std::exchange(task.key_values[key], nullptr);
  if (value == nullptr) return false;
  keys().destructor_of(key)(value);
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

int key_create(pthread_key_t* key, void (*destructor)(void*), std::uint64_t site) {
  announce(OperationKind::key_create, reinterpret_cast<const void*>(objects::key_list), site);
  if (keys().is_full()) return EAGAIN;
  *key = keys().make(destructor);
  return 0;
}

int key_delete(pthread_key_t key, std::uint64_t site) {
  if (key >= Keys::most) return EINVAL;
  announce(OperationKind::key_delete, object_of(key), site);
  if (!keys().is_used(key)) return EINVAL;
  keys().remove(key, execution.self().id, are_others_joined(), site);
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
  if (!keys().is_used(key)) return EINVAL;
  auto& values = execution.self().key_values;
  if (values.size() <= key) values.resize(key + 1);
  values[key] = const_cast<void*>(value);
  return 0;
}

}  // namespace ricercar::inline threads
