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

#include "threads/task.h"

namespace ricercar::inline threads {

int key_create(pthread_key_t* key, void (*destructor)(void*), std::uint64_t site);
int key_delete(pthread_key_t key, std::uint64_t site);
void* key_get(pthread_key_t key, std::uint64_t site);
int key_set(pthread_key_t key, const void* value, std::uint64_t site);
// At the end of a thread.
void run_some_key_destructors(Task& task);
inline void run_key_destructors(Task& task) {
  if (!task.key_values.empty()) run_some_key_destructors(task);
}

void keys_begin_execution();
// Whether uses are points, for the executions that follow.
void set_key_points(bool are_points);
// After an execution: they should be, and were not.
bool key_uses_matter();

// Outside of an execution: before main, or around ricercar::check.
void outside_key_created(pthread_key_t key, void (*destructor)(void*));
void outside_key_deleted(pthread_key_t key);

}  // namespace ricercar::inline threads
