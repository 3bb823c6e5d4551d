// One-time initialisation: pthread_once, and the guards of static local variables.
#pragma once

#include <pthread.h>

#include <cstdint>

namespace ricercar::inline threads {

int once_call(pthread_once_t* control, void (*routine)(), std::uint64_t site);

// The C++ ABI's guard variables: acquire returns 1 if the caller must initialise.
int guard_acquire(std::uint64_t* guard, std::uint64_t site);
void guard_release(std::uint64_t* guard, std::uint64_t site);
void guard_abort(std::uint64_t* guard, std::uint64_t site);

}  // namespace ricercar::inline threads
