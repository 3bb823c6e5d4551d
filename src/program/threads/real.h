// The C library's own functions, behind the hooks that carry the same names in this library.
// Resolved once, before anything of the program runs. Also a few system calls that must not pass a
// hook.
#pragma once

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stddef.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>

#include "base/system_call.h"

namespace ricercar::inline threads {

// clang-format off
#define RICERCAR_REAL_FUNCTIONS(X) \
  X(pthread_create) X(pthread_join) X(pthread_detach) X(pthread_exit) X(pthread_tryjoin_np) \
  X(pthread_timedjoin_np) X(pthread_clockjoin_np) X(pthread_once) X(pthread_cancel) \
  X(pthread_mutex_init) X(pthread_mutex_destroy) X(pthread_mutex_lock) X(pthread_mutex_trylock) \
  X(pthread_mutex_timedlock) X(pthread_mutex_clocklock) X(pthread_mutex_unlock) \
  X(pthread_rwlock_init) X(pthread_rwlock_destroy) X(pthread_rwlock_rdlock) \
  X(pthread_rwlock_tryrdlock) X(pthread_rwlock_timedrdlock) X(pthread_rwlock_clockrdlock) \
  X(pthread_rwlock_wrlock) X(pthread_rwlock_trywrlock) X(pthread_rwlock_timedwrlock) \
  X(pthread_rwlock_clockwrlock) X(pthread_rwlock_unlock) X(pthread_spin_init) \
  X(pthread_spin_destroy) X(pthread_spin_lock) X(pthread_spin_trylock) X(pthread_spin_unlock) \
  X(pthread_cond_init) X(pthread_cond_destroy) X(pthread_cond_wait) X(pthread_cond_timedwait) \
  X(pthread_cond_clockwait) X(pthread_cond_signal) X(pthread_cond_broadcast) \
  X(pthread_barrier_init) X(pthread_barrier_destroy) X(pthread_barrier_wait) \
  X(pthread_getspecific) X(pthread_setspecific) X(pthread_key_create) X(pthread_key_delete) \
  X(pthread_setname_np) X(pthread_getname_np) X(sem_init) X(sem_destroy) X(sem_wait) \
  X(sem_trywait) X(sem_timedwait) X(sem_clockwait) X(sem_post) X(sem_getvalue) X(sched_yield) \
  X(nanosleep) X(clock_nanosleep) X(usleep) X(sleep) X(clock_gettime) X(gettimeofday) X(time) \
  X(exit) X(_exit) X(quick_exit) X(abort) X(syscall) X(fork) X(raise)
// clang-format on

#define RICERCAR_DECLARE(name) extern decltype(&::name) real_##name;
}  // namespace ricercar::inline threads

#include <sched.h>
#include <stdlib.h>
#include <sys/time.h>

namespace ricercar::inline threads {
RICERCAR_REAL_FUNCTIONS(RICERCAR_DECLARE)
#undef RICERCAR_DECLARE

// Gives the calling kernel thread a stack for signal handlers, so that they run even if its own
// stack is used up. It stays for the life of the process.
void use_handler_stack();

void resolve_real_functions();
// libc tells a program that it has one thread only, and shared pointers then count without atomics.
// It would change in the middle of the execution in which the runtime happens to need a real
// thread.
void announce_threads();
// The definition of `name` that comes after ours, or null.
void* next_definition(const char* name);

// Installs a handler past every hook.
void raw_sigaction(int signal, const struct sigaction& action);

}  // namespace ricercar::inline threads
