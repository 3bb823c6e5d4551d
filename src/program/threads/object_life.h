// The beginning and the end of synchronisation objects. An object ends when the program destroys it
// or frees its memory; an operation on it after that is a bug, and so is ending it while somebody
// holds it or waits for it. Initialising it again begins another life, and so does memory that is
// used again: what is known about an object ends with its memory.
//
// Constructors and static initialisers write to the memory and call nobody. So destroying leaves a
// mark in the object, where the C library would leave one too: if it is gone, the object is new.
#pragma once

#include <pthread.h>

#include <cstdint>

#include "threads/execution.h"
#include "threads/memory/heap.h"
#include "threads/sync_objects.h"

namespace ricercar::inline threads {

inline void* address_of(const SyncObject& object) {
  return reinterpret_cast<void*>(object.address);
}

// PTHREAD_MUTEX_*, from the memory of a mutex: the low bits of glibc's kind.
inline std::uint8_t mutex_type(const pthread_mutex_t* mutex) {
  return static_cast<std::uint8_t>(mutex->__data.__kind & 3);
}

// The operation of the current step is on an object that may have ended. Returns if it has not.
void look_at_life(SyncObject& object, std::uint32_t life, std::uint64_t site);

// The object is still what it was when its `life` was looked at, or the execution ends.
inline void expect_alive(SyncObject& object, std::uint32_t life, std::uint64_t site) {
  const bool is_freed = heap_state(object.address) == HeapState::freed;
  if (__builtin_expect(object.destroyed || is_freed || object.life != life, 0)) {
    look_at_life(object, life, site);
  }
}

// A point for an operation on an object. When it comes back the object is alive.
inline void object_point(OperationKind kind, SyncObject& object, std::uint64_t site) {
  const std::uint32_t life = object.life;
  execution.point_at(kind, object.address, site);
  expect_alive(object, life, site);
}

// Before an object is initialised or destroyed: others may use it first. Ends the execution if it
// is in use then.
void before_initialising(SyncObject& object, std::uint64_t value, std::uint64_t site);
void initialised(SyncObject& object);
void before_destroying(SyncObject& object, std::uint64_t site);
void destroyed(SyncObject& object, std::uint64_t site);

// Memory is freed (`is_free`), or is gone in another way: the objects in it end. Ends the execution
// if memory is freed and an object in it is in use.
void objects_end(std::uint64_t address, std::uint64_t size, bool is_free, std::uint64_t site);

// An object that the program has made without calling anybody may have the mark of a destroyed one
// from before the execution.
bool has_destroyed_mark(const SyncObject& object);

// What was there is gone: what comes to these addresses next is new.
void memory_ended(std::uint64_t address, std::uint64_t size);

}  // namespace ricercar::inline threads
