// Keys of thread-specific data (pthread_key_create, tss_create).
//
// What a thread keeps under a key is its own. Only deleting the key concerns others: to use a
// deleted key is a bug. So uses of keys are no choice points at first. If an execution shows that
// one task uses a key that another one deletes, and the two are not ordered by joining, they are
// points from the next execution on, and the search begins again. Nothing is missed by that: up to
// the first such pair a use commutes with all that others do, so a search without these points
// meets the pair, in one order or the other.
#pragma once

#include <pthread.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "model/dependence.h"
#include "threads/task.h"

namespace ricercar::inline threads {

// The keys of one program, and what was done with each of them in the running execution. Needs no
// process; keys may be made before any constructor has run.
class Keys {
 public:
  using Destructor = void (*)(void*);
  // glibc has 1024 keys. Those made outside of an execution keep the number that glibc gave them;
  // the ones made inside come after them, so that the two cannot meet. A number is given once in an
  // execution, as long as there are any left.
  static constexpr unsigned most_alive = 1024;
  static constexpr unsigned from_outside = objects::keys_from_before_main;
  static constexpr unsigned most = from_outside + (1 << 14);

  struct Deletion {
    TaskId task = no_task;
    std::uint64_t site = 0;
  };

  void begin_execution();
  // Whether uses are points, for the executions that follow.
  void set_points(bool are_points) { uses_are_points_ = are_points; }
  bool uses_are_points() const { return uses_are_points_; }
  // After an execution: they should be, and were not.
  bool uses_matter() const { return uses_matter_ && !uses_are_points_; }

  // Outside of an execution: before main, or around ricercar::check.
  void made_outside(pthread_key_t key, Destructor destructor) {
    if (key < from_outside) outside_[key] = {true, destructor};
  }
  void deleted_outside(pthread_key_t key) {
    if (key < from_outside) outside_[key] = Key{};
  }

  // Inside; the caller has looked that the key is less than `most`.
  bool is_full() const { return alive_ == most_alive; }
  pthread_key_t make(Destructor destructor);
  void remove(pthread_key_t key, TaskId task, bool others_are_joined, std::uint64_t site);
  void note_use(pthread_key_t key, TaskId task);
  bool is_used(pthread_key_t key) const { return key_of(key).used; }
  // Null: there is none, or no such key.
  Destructor destructor_of(pthread_key_t key) const { return key_of(key).destructor; }
  // In this execution, and not made again since.
  Deletion deletion(pthread_key_t key) const { return history_of(key).deletion; }

 private:
  struct Key {
    bool used = false;
    Destructor destructor = nullptr;
  };
  // What was done with a key in this execution.
  struct History {
    TaskId user = no_task;  // the first
    bool has_several_users = false;
    Deletion deletion;
  };

  const Key& key_of(pthread_key_t key) const;
  Key& key_of(pthread_key_t key) { return const_cast<Key&>(std::as_const(*this).key_of(key)); }
  const History& history_of(pthread_key_t key) const;
  History& change_history(pthread_key_t key);
  unsigned unused_number();

  Key outside_[from_outside] = {};
  std::vector<Key> inside_;
  std::vector<History> histories_;  // by number
  unsigned alive_ = 0;              // of the keys made inside
  // Those that the execution deletes come back with the next one, as the memory does that holds
  // them.
  std::vector<std::pair<pthread_key_t, Key>> deleted_;
  bool uses_are_points_ = false;
  bool uses_matter_ = false;
};

inline void Keys::begin_execution() {
  uses_matter_ = false;
  inside_.clear();
  histories_.clear();
  alive_ = 0;
  for (const auto& [number, key] : deleted_) outside_[number] = key;
  deleted_.clear();
}

inline const Keys::Key& Keys::key_of(pthread_key_t key) const {
  static constexpr Key none{};
  if (key < from_outside) return outside_[key];
  return key - from_outside < inside_.size() ? inside_[key - from_outside] : none;
}

inline const Keys::History& Keys::history_of(pthread_key_t key) const {
  static constexpr History none{};
  return key < histories_.size() ? histories_[key] : none;
}

inline Keys::History& Keys::change_history(pthread_key_t key) {
  if (histories_.size() <= key) histories_.resize(key + 1);
  return histories_[key];
}

inline unsigned Keys::unused_number() {
  if (from_outside + inside_.size() < most) {
    inside_.emplace_back();
    return from_outside + static_cast<unsigned>(inside_.size()) - 1;
  }
  unsigned number = from_outside;
  while (is_used(number)) ++number;
  return number;
}

inline pthread_key_t Keys::make(Destructor destructor) {
  ++alive_;
  const unsigned number = unused_number();
  inside_[number - from_outside] = {true, destructor};
  change_history(number).deletion.task = no_task;
  return number;
}

inline void Keys::remove(pthread_key_t key, TaskId task, bool others_are_joined,
                         std::uint64_t site) {
  if (key < from_outside) {
    deleted_.emplace_back(key, outside_[key]);
  } else {
    --alive_;
  }
  key_of(key) = Key{};
  History& history = change_history(key);
  const bool is_used_by_others =
      history.has_several_users || (history.user != no_task && history.user != task);
  if (is_used_by_others && !others_are_joined) uses_matter_ = true;
  history.deletion = {task, site};
}

inline void Keys::note_use(pthread_key_t key, TaskId task) {
  History& history = change_history(key);
  if (history.user == no_task) history.user = task;
  if (history.user != task) history.has_several_users = true;
  const TaskId deleter = history.deletion.task;
  if (deleter != no_task && deleter != task) uses_matter_ = true;
}

int key_create(pthread_key_t* key, void (*destructor)(void*), std::uint64_t site);
int key_delete(pthread_key_t key, std::uint64_t site);
void* key_get(pthread_key_t key, std::uint64_t site);
int key_set(pthread_key_t key, const void* value, std::uint64_t site);
// At the end of a thread.
void run_some_key_destructors(Task& task);
inline void run_key_destructors(Task& task) {
  if (!task.key_values.empty()) run_some_key_destructors(task);
}

}  // namespace ricercar::inline threads
