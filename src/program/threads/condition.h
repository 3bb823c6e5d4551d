// Condition variables. Which waiter a signal wakes is a choice of the search.
#pragma once

#include <pthread.h>

#include <cstdint>

namespace ricercar::inline threads {

int condition_initialise(pthread_cond_t* condition, const pthread_condattr_t* attributes,
                         std::uint64_t site);
int condition_destroy(pthread_cond_t* condition, std::uint64_t site);
// `deadline`: null waits for ever.
int condition_wait(pthread_cond_t* condition, pthread_mutex_t* mutex, const std::uint64_t* deadline,
                   std::uint64_t site);
int condition_signal(pthread_cond_t* condition, std::uint64_t site);
int condition_broadcast(pthread_cond_t* condition, std::uint64_t site);
// The clock that the variable's attributes chose for timed waits.
clockid_t condition_clock(const pthread_cond_t* condition);

}  // namespace ricercar::inline threads
