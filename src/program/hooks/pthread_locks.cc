// Hooks: mutexes, spin locks, reader-writer locks.
#include "threads/hook.h"
#include "threads/mutex.h"
#include "threads/pthread_objects.h"

using namespace ricercar;

RICERCAR_HOOK int pthread_mutex_init(pthread_mutex_t* mutex,
                                     const pthread_mutexattr_t* attributes) {
  if (!controlled()) return RICERCAR_REAL(pthread_mutex_init)(mutex, attributes);
  return mutex_initialise(mutex, attributes, RICERCAR_SITE());
}
RICERCAR_HOOK int pthread_mutex_destroy(pthread_mutex_t* mutex) {
  if (!controlled()) return RICERCAR_REAL(pthread_mutex_destroy)(mutex);
  return mutex_destroy(mutex, RICERCAR_SITE());
}
RICERCAR_ENTRY(pthread_mutex_lock);
RICERCAR_BODY int ricercar_body_pthread_mutex_lock(pthread_mutex_t* mutex) {
  if (!controlled()) return RICERCAR_REAL(pthread_mutex_lock)(mutex);
  return mutex_lock(mutex, Wait::forever, 0, RICERCAR_SITE());
}
RICERCAR_ENTRY(pthread_mutex_trylock);
RICERCAR_BODY int ricercar_body_pthread_mutex_trylock(pthread_mutex_t* mutex) {
  if (!controlled()) return RICERCAR_REAL(pthread_mutex_trylock)(mutex);
  return mutex_lock(mutex, Wait::never, 0, RICERCAR_SITE());
}
RICERCAR_ENTRY(pthread_mutex_timedlock);
RICERCAR_BODY int ricercar_body_pthread_mutex_timedlock(pthread_mutex_t* mutex,
                                                        const timespec* time) {
  if (!controlled()) return RICERCAR_REAL(pthread_mutex_timedlock)(mutex, time);
  if (!is_valid(time)) return EINVAL;
  return mutex_lock(mutex, Wait::until_deadline, moment(CLOCK_REALTIME, time), RICERCAR_SITE());
}
RICERCAR_ENTRY(pthread_mutex_clocklock);
RICERCAR_BODY int ricercar_body_pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock,
                                                        const timespec* time) {
  if (!controlled()) return RICERCAR_REAL(pthread_mutex_clocklock)(mutex, clock, time);
  if (!is_valid(time)) return EINVAL;
  return mutex_lock(mutex, Wait::until_deadline, moment(clock, time), RICERCAR_SITE());
}
RICERCAR_HOOK int pthread_mutex_unlock(pthread_mutex_t* mutex) {
  if (!controlled()) return RICERCAR_REAL(pthread_mutex_unlock)(mutex);
  return mutex_unlock(mutex, RICERCAR_SITE());
}

RICERCAR_HOOK int pthread_spin_init(pthread_spinlock_t* lock, int shared) {
  if (!controlled()) return RICERCAR_REAL(pthread_spin_init)(lock, shared);
  return spin_initialise(lock, RICERCAR_SITE());
}
RICERCAR_HOOK int pthread_spin_destroy(pthread_spinlock_t* lock) {
  if (!controlled()) return RICERCAR_REAL(pthread_spin_destroy)(lock);
  return spin_destroy(lock, RICERCAR_SITE());
}
RICERCAR_ENTRY(pthread_spin_lock);
RICERCAR_BODY int ricercar_body_pthread_spin_lock(pthread_spinlock_t* lock) {
  if (!controlled()) return RICERCAR_REAL(pthread_spin_lock)(lock);
  return spin_lock(lock, Wait::forever, RICERCAR_SITE());
}
RICERCAR_ENTRY(pthread_spin_trylock);
RICERCAR_BODY int ricercar_body_pthread_spin_trylock(pthread_spinlock_t* lock) {
  if (!controlled()) return RICERCAR_REAL(pthread_spin_trylock)(lock);
  return spin_lock(lock, Wait::never, RICERCAR_SITE());
}
RICERCAR_HOOK int pthread_spin_unlock(pthread_spinlock_t* lock) {
  if (!controlled()) return RICERCAR_REAL(pthread_spin_unlock)(lock);
  return spin_unlock(lock, RICERCAR_SITE());
}

RICERCAR_HOOK int pthread_rwlock_init(pthread_rwlock_t* lock,
                                      const pthread_rwlockattr_t* attributes) {
  if (!controlled()) return RICERCAR_REAL(pthread_rwlock_init)(lock, attributes);
  return rwlock_initialise(lock, attributes, RICERCAR_SITE());
}
RICERCAR_HOOK int pthread_rwlock_destroy(pthread_rwlock_t* lock) {
  if (!controlled()) return RICERCAR_REAL(pthread_rwlock_destroy)(lock);
  return rwlock_destroy(lock, RICERCAR_SITE());
}
RICERCAR_HOOK int pthread_rwlock_rdlock(pthread_rwlock_t* lock) {
  if (!controlled()) return RICERCAR_REAL(pthread_rwlock_rdlock)(lock);
  return rwlock_read_lock(lock, Wait::forever, 0, RICERCAR_SITE());
}
RICERCAR_HOOK int pthread_rwlock_tryrdlock(pthread_rwlock_t* lock) {
  if (!controlled()) return RICERCAR_REAL(pthread_rwlock_tryrdlock)(lock);
  return rwlock_read_lock(lock, Wait::never, 0, RICERCAR_SITE());
}
RICERCAR_HOOK int pthread_rwlock_timedrdlock(pthread_rwlock_t* lock, const timespec* time) {
  if (!controlled()) return RICERCAR_REAL(pthread_rwlock_timedrdlock)(lock, time);
  if (!is_valid(time)) return EINVAL;
  return rwlock_read_lock(lock, Wait::until_deadline, moment(CLOCK_REALTIME, time),
                          RICERCAR_SITE());
}
RICERCAR_HOOK int pthread_rwlock_clockrdlock(pthread_rwlock_t* lock, clockid_t clock,
                                             const timespec* time) {
  if (!controlled()) return RICERCAR_REAL(pthread_rwlock_clockrdlock)(lock, clock, time);
  if (!is_valid(time)) return EINVAL;
  return rwlock_read_lock(lock, Wait::until_deadline, moment(clock, time), RICERCAR_SITE());
}
RICERCAR_HOOK int pthread_rwlock_wrlock(pthread_rwlock_t* lock) {
  if (!controlled()) return RICERCAR_REAL(pthread_rwlock_wrlock)(lock);
  return rwlock_write_lock(lock, Wait::forever, 0, RICERCAR_SITE());
}
RICERCAR_HOOK int pthread_rwlock_trywrlock(pthread_rwlock_t* lock) {
  if (!controlled()) return RICERCAR_REAL(pthread_rwlock_trywrlock)(lock);
  return rwlock_write_lock(lock, Wait::never, 0, RICERCAR_SITE());
}
RICERCAR_HOOK int pthread_rwlock_timedwrlock(pthread_rwlock_t* lock, const timespec* time) {
  if (!controlled()) return RICERCAR_REAL(pthread_rwlock_timedwrlock)(lock, time);
  if (!is_valid(time)) return EINVAL;
  return rwlock_write_lock(lock, Wait::until_deadline, moment(CLOCK_REALTIME, time),
                           RICERCAR_SITE());
}
RICERCAR_HOOK int pthread_rwlock_clockwrlock(pthread_rwlock_t* lock, clockid_t clock,
                                             const timespec* time) {
  if (!controlled()) return RICERCAR_REAL(pthread_rwlock_clockwrlock)(lock, clock, time);
  if (!is_valid(time)) return EINVAL;
  return rwlock_write_lock(lock, Wait::until_deadline, moment(clock, time), RICERCAR_SITE());
}
RICERCAR_HOOK int pthread_rwlock_unlock(pthread_rwlock_t* lock) {
  if (!controlled()) return RICERCAR_REAL(pthread_rwlock_unlock)(lock);
  return rwlock_unlock(lock, RICERCAR_SITE());
}
