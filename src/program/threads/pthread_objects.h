// Objects of pthread.h and semaphore.h that few know besides their hooks: one file has the
// functions of each.
#pragma once

#include <pthread.h>
#include <semaphore.h>

#include <cstdint>

#include "threads/mutex.h"

namespace ricercar::inline threads {

// Reader-writer locks.
int rwlock_initialise(pthread_rwlock_t* lock, const pthread_rwlockattr_t* attributes,
                      std::uint64_t site);
int rwlock_destroy(pthread_rwlock_t* lock, std::uint64_t site);
int rwlock_read_lock(pthread_rwlock_t* lock, Wait wait, std::uint64_t deadline, std::uint64_t site);
int rwlock_write_lock(pthread_rwlock_t* lock, Wait wait, std::uint64_t deadline,
                      std::uint64_t site);
int rwlock_unlock(pthread_rwlock_t* lock, std::uint64_t site);

// Barriers.
int barrier_initialise(pthread_barrier_t* barrier, const pthread_barrierattr_t* attributes,
                       unsigned count, std::uint64_t site);
int barrier_destroy(pthread_barrier_t* barrier, std::uint64_t site);
int barrier_wait(pthread_barrier_t* barrier, std::uint64_t site);

// Unnamed semaphores.
int semaphore_initialise(sem_t* semaphore, unsigned value, std::uint64_t site);
int semaphore_destroy(sem_t* semaphore, std::uint64_t site);
// These return 0 or an error number; the hooks turn it into -1 and errno.
// `is_posix`: a thread can be cancelled in it, and a handler may ask for it to be begun again.
int semaphore_wait(sem_t* semaphore, Wait wait, std::uint64_t deadline, std::uint64_t site,
                   bool is_posix = true);
int semaphore_post(sem_t* semaphore, std::uint64_t site);
// The value, whatever it was.
void semaphore_assign(sem_t* semaphore, unsigned value, std::uint64_t site);
int semaphore_value(sem_t* semaphore, std::uint64_t site);

}  // namespace ricercar::inline threads
