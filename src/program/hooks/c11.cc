// Hooks: C11 <threads.h>. In glibc its types are those of pthread under other names, and its
// functions do not call those of pthread by name, so they are mapped here.
#include <threads.h>

#include "threads/condition.h"
#include "threads/early_threads.h"
#include "threads/hook.h"
#include "threads/keys.h"
#include "threads/memory/real_function.h"
#include "threads/mutex.h"
#include "threads/once.h"
#include "threads/thread.h"

namespace ricercar::inline hooks {
namespace {

int c11_result(int error) {
  switch (error) {
    case 0:
      return thrd_success;
    case ENOMEM:
      return thrd_nomem;
    case ETIMEDOUT:
      return thrd_timedout;
    case EBUSY:
      return thrd_busy;
    default:
      return thrd_error;
  }
}

pthread_mutex_t* pthread_of(mtx_t* mutex) { return reinterpret_cast<pthread_mutex_t*>(mutex); }
pthread_cond_t* pthread_of(cnd_t* condition) {
  return reinterpret_cast<pthread_cond_t*>(condition);
}

// An int comes back in the lower half of the register of a pointer, so a routine that returns an
// int can be called as one that returns a pointer.
using Routine = void* (*)(void*);
Routine pthread_of(thrd_start_t routine) {
  return reinterpret_cast<Routine>(reinterpret_cast<void*>(routine));
}
int to_int(void* result) { return static_cast<int>(reinterpret_cast<std::uintptr_t>(result)); }
void* to_pointer(int result) {
  return reinterpret_cast<void*>(static_cast<std::uintptr_t>(static_cast<unsigned>(result)));
}

int initialise(mtx_t* mutex, int type, std::uint64_t site) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  if ((type & mtx_recursive) != 0) {
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
  }
  return mutex_initialise(pthread_of(mutex), &attributes, site);
}

}  // namespace
}  // namespace ricercar::inline hooks

using namespace ricercar;

RICERCAR_HOOK int thrd_create(thrd_t* handle, thrd_start_t routine, void* argument) {
  if (!controlled()) {
    return c11_result(
        uncontrolled_create(handle, nullptr, pthread_of(routine), argument, RICERCAR_SITE()));
  }
  return c11_result(thread_create(handle, nullptr, pthread_of(routine), argument, RICERCAR_SITE()));
}
RICERCAR_HOOK int thrd_join(thrd_t handle, int* result) {
  if (!controlled()) {
    if (program_state.early_threads.contains(handle)) early_thread_joined(RICERCAR_SITE());
    return RICERCAR_BEHIND(thrd_join)(handle, result);
  }
  void* value = nullptr;
  const int error = thread_join(handle, &value, nullptr, false, RICERCAR_SITE());
  if (error == 0 && result != nullptr) *result = to_int(value);
  return c11_result(error);
}
RICERCAR_HOOK int thrd_detach(thrd_t handle) {
  if (!controlled()) {
    if (program_state.early_threads.contains(handle))
      return c11_result(program_state.early_threads.detach(handle));
    return RICERCAR_BEHIND(thrd_detach)(handle);
  }
  return c11_result(thread_detach(handle, RICERCAR_SITE()));
}
RICERCAR_HOOK void thrd_exit(int result) {
  if (!controlled()) RICERCAR_BEHIND(thrd_exit)(result);
  thread_exit(to_pointer(result));
}

RICERCAR_HOOK int mtx_init(mtx_t* mutex, int type) {
  if (!controlled()) return RICERCAR_BEHIND(mtx_init)(mutex, type);
  return c11_result(initialise(mutex, type, RICERCAR_SITE()));
}
RICERCAR_HOOK void mtx_destroy(mtx_t* mutex) {
  if (!controlled()) return RICERCAR_BEHIND(mtx_destroy)(mutex);
  mutex_destroy(pthread_of(mutex), RICERCAR_SITE());
}
RICERCAR_ENTRY(mtx_lock);
RICERCAR_BODY int ricercar_body_mtx_lock(mtx_t* mutex) {
  if (!controlled()) return RICERCAR_BEHIND(mtx_lock)(mutex);
  return c11_result(mutex_lock(pthread_of(mutex), Wait::forever, 0, RICERCAR_SITE()));
}
RICERCAR_ENTRY(mtx_trylock);
RICERCAR_BODY int ricercar_body_mtx_trylock(mtx_t* mutex) {
  if (!controlled()) return RICERCAR_BEHIND(mtx_trylock)(mutex);
  return c11_result(mutex_lock(pthread_of(mutex), Wait::never, 0, RICERCAR_SITE()));
}
RICERCAR_ENTRY(mtx_timedlock);
RICERCAR_BODY int ricercar_body_mtx_timedlock(mtx_t* mutex, const timespec* time) {
  if (!controlled()) return RICERCAR_BEHIND(mtx_timedlock)(mutex, time);
  if (!is_valid(time)) return thrd_error;
  return c11_result(mutex_lock(pthread_of(mutex), Wait::until_deadline,
                               moment(CLOCK_REALTIME, time), RICERCAR_SITE()));
}
RICERCAR_HOOK int mtx_unlock(mtx_t* mutex) {
  if (!controlled()) return RICERCAR_BEHIND(mtx_unlock)(mutex);
  return c11_result(mutex_unlock(pthread_of(mutex), RICERCAR_SITE()));
}

RICERCAR_HOOK int cnd_init(cnd_t* condition) {
  if (!controlled()) return RICERCAR_BEHIND(cnd_init)(condition);
  return c11_result(condition_initialise(pthread_of(condition), nullptr, RICERCAR_SITE()));
}
RICERCAR_HOOK void cnd_destroy(cnd_t* condition) {
  if (!controlled()) return RICERCAR_BEHIND(cnd_destroy)(condition);
  condition_destroy(pthread_of(condition), RICERCAR_SITE());
}
RICERCAR_HOOK int cnd_wait(cnd_t* condition, mtx_t* mutex) {
  if (!controlled()) return RICERCAR_BEHIND(cnd_wait)(condition, mutex);
  return c11_result(
      condition_wait(pthread_of(condition), pthread_of(mutex), nullptr, RICERCAR_SITE()));
}
RICERCAR_HOOK int cnd_timedwait(cnd_t* condition, mtx_t* mutex, const timespec* time) {
  if (!controlled()) return RICERCAR_BEHIND(cnd_timedwait)(condition, mutex, time);
  if (!is_valid(time)) return thrd_error;
  const std::uint64_t deadline = moment(CLOCK_REALTIME, time);
  return c11_result(
      condition_wait(pthread_of(condition), pthread_of(mutex), &deadline, RICERCAR_SITE()));
}
RICERCAR_HOOK int cnd_signal(cnd_t* condition) {
  if (!controlled()) return RICERCAR_BEHIND(cnd_signal)(condition);
  return c11_result(condition_signal(pthread_of(condition), RICERCAR_SITE()));
}
RICERCAR_HOOK int cnd_broadcast(cnd_t* condition) {
  if (!controlled()) return RICERCAR_BEHIND(cnd_broadcast)(condition);
  return c11_result(condition_broadcast(pthread_of(condition), RICERCAR_SITE()));
}

// Keys that are made outside of an execution must be known to the ones inside: see
// threads/keys.h.
RICERCAR_HOOK int tss_create(tss_t* key, tss_dtor_t destructor) {
  if (controlled()) return c11_result(key_create(key, destructor, RICERCAR_SITE()));
  const int result = RICERCAR_BEHIND(tss_create)(key, destructor);
  if (result == thrd_success) program_state.keys.made_outside(*key, destructor);
  return result;
}
RICERCAR_HOOK void tss_delete(tss_t key) {
  if (!controlled()) return RICERCAR_BEHIND(tss_delete)(key);
  key_delete(key, RICERCAR_SITE());
}
RICERCAR_HOOK void* tss_get(tss_t key) {
  if (!controlled()) return RICERCAR_BEHIND(tss_get)(key);
  return key_get(key, RICERCAR_SITE());
}
RICERCAR_HOOK int tss_set(tss_t key, void* value) {
  if (!controlled()) return RICERCAR_BEHIND(tss_set)(key, value);
  return c11_result(key_set(key, value, RICERCAR_SITE()));
}

RICERCAR_HOOK void call_once(once_flag* flag, void (*routine)()) {
  if (!controlled()) return RICERCAR_BEHIND(call_once)(flag, routine);
  once_call(reinterpret_cast<pthread_once_t*>(flag), routine, RICERCAR_SITE());
}
