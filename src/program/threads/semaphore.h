// Unnamed semaphores.
#pragma once

#include <semaphore.h>

#include <cstdint>

#include "threads/mutex.h"

namespace ricercar::inline threads {

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
