// Barriers.
#pragma once

#include <pthread.h>

#include <cstdint>

namespace ricercar::inline threads {

int barrier_initialise(pthread_barrier_t* barrier, const pthread_barrierattr_t* attributes,
                       unsigned count, std::uint64_t site);
int barrier_destroy(pthread_barrier_t* barrier, std::uint64_t site);
int barrier_wait(pthread_barrier_t* barrier, std::uint64_t site);

}  // namespace ricercar::inline threads
