// Mutexes of all types, and spin locks, which are mutexes without a type.
#pragma once

#include <pthread.h>

#include <cstdint>

#include "threads/sync_objects.h"

namespace ricercar::inline threads {

enum class Wait : std::uint8_t { forever, until_deadline, never };

SyncObject& mutex_at(pthread_mutex_t* mutex);

int mutex_initialise(pthread_mutex_t* mutex, const pthread_mutexattr_t* attributes,
                     std::uint64_t site);
int mutex_destroy(pthread_mutex_t* mutex, std::uint64_t site);
int mutex_lock(pthread_mutex_t* mutex, Wait wait, std::uint64_t deadline, std::uint64_t site);
int mutex_unlock(pthread_mutex_t* mutex, std::uint64_t site);

int spin_initialise(pthread_spinlock_t* lock, std::uint64_t site);
int spin_destroy(pthread_spinlock_t* lock, std::uint64_t site);
int spin_lock(pthread_spinlock_t* lock, Wait wait, std::uint64_t site);
int spin_unlock(pthread_spinlock_t* lock, std::uint64_t site);

// For condition variables: gives the mutex up completely and takes it back with the same depth.
std::uint32_t mutex_release_for_wait(SyncObject& object, std::uint64_t site);
void mutex_contend(SyncObject& object);  // the running task wants it as its next operation
void mutex_take(SyncObject& object, std::uint32_t depth, std::uint64_t site);

}  // namespace ricercar::inline threads
