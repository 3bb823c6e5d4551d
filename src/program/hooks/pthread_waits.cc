// Hooks: condition variables, semaphores, barriers, one-time initialisation, futexes.
#include <stdarg.h>
#include <sys/syscall.h>

#include "threads/condition.h"
#include "threads/hook.h"
#include "threads/memory/not_modelled.h"
#include "threads/named_semaphores.h"
#include "threads/node_sockets.h"
#include "threads/once.h"
#include "threads/own_code.h"
#include "threads/program_state.h"
#include "threads/pthread_objects.h"
#include "threads/system_call.h"

using namespace ricercar;

RICERCAR_HOOK int pthread_cond_init(pthread_cond_t* condition,
                                    const pthread_condattr_t* attributes) {
  if (!controlled()) return RICERCAR_REAL(pthread_cond_init)(condition, attributes);
  return condition_initialise(condition, attributes, RICERCAR_SITE());
}
RICERCAR_HOOK int pthread_cond_destroy(pthread_cond_t* condition) {
  if (!controlled()) return RICERCAR_REAL(pthread_cond_destroy)(condition);
  return condition_destroy(condition, RICERCAR_SITE());
}
RICERCAR_HOOK int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  if (!controlled()) return RICERCAR_REAL(pthread_cond_wait)(condition, mutex);
  return condition_wait(condition, mutex, nullptr, RICERCAR_SITE());
}
RICERCAR_HOOK int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                         const timespec* time) {
  if (!controlled()) return RICERCAR_REAL(pthread_cond_timedwait)(condition, mutex, time);
  if (!is_valid(time)) return EINVAL;
  const std::uint64_t deadline = moment(condition_clock(condition), time);
  return condition_wait(condition, mutex, &deadline, RICERCAR_SITE());
}
RICERCAR_HOOK int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                         clockid_t clock, const timespec* time) {
  if (!controlled()) return RICERCAR_REAL(pthread_cond_clockwait)(condition, mutex, clock, time);
  if (!is_valid(time)) return EINVAL;
  const std::uint64_t deadline = moment(clock, time);
  return condition_wait(condition, mutex, &deadline, RICERCAR_SITE());
}
RICERCAR_HOOK int pthread_cond_signal(pthread_cond_t* condition) {
  if (!controlled()) return RICERCAR_REAL(pthread_cond_signal)(condition);
  return condition_signal(condition, RICERCAR_SITE());
}
RICERCAR_HOOK int pthread_cond_broadcast(pthread_cond_t* condition) {
  if (!controlled()) return RICERCAR_REAL(pthread_cond_broadcast)(condition);
  return condition_broadcast(condition, RICERCAR_SITE());
}

namespace {

int with_errno(int error) {
  if (error == 0) return 0;
  errno = error;
  return -1;
}

int take(sem_t* semaphore, Wait wait, std::uint64_t deadline, std::uint64_t site) {
  if (is_kernel_semaphore(semaphore)) [[unlikely]]
    return kernel_semaphore_wait(semaphore, wait, deadline, site);
  return semaphore_wait(semaphore, wait, deadline, site);
}

}  // namespace

RICERCAR_HOOK int sem_init(sem_t* semaphore, int shared, unsigned value) {
  if (!controlled()) return RICERCAR_REAL(sem_init)(semaphore, shared, value);
  if (shared != 0 && is_node()) {
    not_modelled("makes a semaphore for several processes: between nodes it does not count",
                 RICERCAR_SITE());
  }
  return with_errno(semaphore_initialise(semaphore, value, RICERCAR_SITE()));
}
RICERCAR_HOOK int sem_destroy(sem_t* semaphore) {
  if (!controlled()) return RICERCAR_REAL(sem_destroy)(semaphore);
  return with_errno(semaphore_destroy(semaphore, RICERCAR_SITE()));
}
RICERCAR_HOOK int sem_wait(sem_t* semaphore) {
  if (!controlled()) return RICERCAR_REAL(sem_wait)(semaphore);
  return with_errno(take(semaphore, Wait::forever, 0, RICERCAR_SITE()));
}
RICERCAR_ENTRY(sem_trywait);
RICERCAR_BODY int ricercar_body_sem_trywait(sem_t* semaphore) {
  if (!controlled()) return RICERCAR_REAL(sem_trywait)(semaphore);
  return with_errno(take(semaphore, Wait::never, 0, RICERCAR_SITE()));
}
RICERCAR_HOOK int sem_timedwait(sem_t* semaphore, const timespec* time) {
  if (!controlled()) return RICERCAR_REAL(sem_timedwait)(semaphore, time);
  if (!is_valid(time)) return with_errno(EINVAL);
  const std::uint64_t deadline = moment(CLOCK_REALTIME, time);
  return with_errno(take(semaphore, Wait::until_deadline, deadline, RICERCAR_SITE()));
}
RICERCAR_HOOK int sem_clockwait(sem_t* semaphore, clockid_t clock, const timespec* time) {
  if (!controlled()) return RICERCAR_REAL(sem_clockwait)(semaphore, clock, time);
  if (!is_valid(time)) return with_errno(EINVAL);
  const std::uint64_t deadline = moment(clock, time);
  return with_errno(take(semaphore, Wait::until_deadline, deadline, RICERCAR_SITE()));
}
RICERCAR_HOOK int sem_post(sem_t* semaphore) {
  if (!controlled()) return RICERCAR_REAL(sem_post)(semaphore);
  const auto post = is_kernel_semaphore(semaphore) ? kernel_semaphore_post : semaphore_post;
  return with_errno(post(semaphore, RICERCAR_SITE()));
}
RICERCAR_HOOK int sem_getvalue(sem_t* semaphore, int* value) {
  if (!controlled()) return RICERCAR_REAL(sem_getvalue)(semaphore, value);
  const auto ask = is_kernel_semaphore(semaphore) ? kernel_semaphore_value : semaphore_value;
  *value = ask(semaphore, RICERCAR_SITE());
  return 0;
}

RICERCAR_HOOK int pthread_barrier_init(pthread_barrier_t* barrier,
                                       const pthread_barrierattr_t* attributes, unsigned count) {
  if (!controlled()) return RICERCAR_REAL(pthread_barrier_init)(barrier, attributes, count);
  return barrier_initialise(barrier, attributes, count, RICERCAR_SITE());
}
RICERCAR_HOOK int pthread_barrier_destroy(pthread_barrier_t* barrier) {
  if (!controlled()) return RICERCAR_REAL(pthread_barrier_destroy)(barrier);
  return barrier_destroy(barrier, RICERCAR_SITE());
}
RICERCAR_HOOK int pthread_barrier_wait(pthread_barrier_t* barrier) {
  if (!controlled()) return RICERCAR_REAL(pthread_barrier_wait)(barrier);
  return barrier_wait(barrier, RICERCAR_SITE());
}

RICERCAR_HOOK int pthread_once(pthread_once_t* control, void (*routine)()) {
  const std::uint64_t site = RICERCAR_SITE();
  if (!controlled() || is_unwinder(site)) return RICERCAR_REAL(pthread_once)(control, routine);
  return once_call(control, routine, site);
}

RICERCAR_HOOK long syscall(long number, ...) {
  SystemCall call{number, {}};
  va_list list;
  va_start(list, number);
  for (long& argument : call.arguments) argument = va_arg(list, long);
  va_end(list);
  if (controlled()) {
    const std::uint64_t site = RICERCAR_SITE();
    long result;
    if (futex_call(call, site, result)) return result;
    if (controlled_system_call(call, site, result)) return result;
  }
  const long result = system_call(number, call.arguments[0], call.arguments[1], call.arguments[2],
                                  call.arguments[3], call.arguments[4], call.arguments[5]);
  if (result < 0 && result > -4096) {
    errno = static_cast<int>(-result);
    return -1;
  }
  return result;
}
