// Reader-writer locks.
#pragma once

#include <pthread.h>

#include <cstdint>

#include "threads/mutex.h"

namespace ricercar::inline threads {

int rwlock_initialise(pthread_rwlock_t* lock, const pthread_rwlockattr_t* attributes,
                      std::uint64_t site);
int rwlock_destroy(pthread_rwlock_t* lock, std::uint64_t site);
int rwlock_read_lock(pthread_rwlock_t* lock, Wait wait, std::uint64_t deadline, std::uint64_t site);
int rwlock_write_lock(pthread_rwlock_t* lock, Wait wait, std::uint64_t deadline,
                      std::uint64_t site);
int rwlock_unlock(pthread_rwlock_t* lock, std::uint64_t site);

}  // namespace ricercar::inline threads
