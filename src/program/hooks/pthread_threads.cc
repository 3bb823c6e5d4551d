// Hooks: threads, thread-specific data, cleanup handlers, thread-local destructors.
#include <cstdio>
#include <cstring>

#include "threads/cancel.h"
#include "threads/cleanup.h"
#include "threads/early_threads.h"
#include "threads/hook.h"
#include "threads/keys.h"
#include "threads/memory/real_function.h"
#include "threads/thread.h"

using namespace ricercar;

namespace {

// The C library's function for a thread that is not under control. A thread that is kept for main
// cannot be awaited.
template <typename Join, typename... Arguments>
int uncontrolled_join(Join* join, std::uint64_t site, pthread_t handle, Arguments... arguments) {
  if (program_state.early_threads.contains(handle)) early_thread_joined(site);
  return join(handle, arguments...);
}

}  // namespace

RICERCAR_HOOK int pthread_create(pthread_t* handle, const pthread_attr_t* attributes,
                                 void* (*routine)(void*), void* argument) {
  if (!controlled())
    return uncontrolled_create(handle, attributes, routine, argument, RICERCAR_SITE());
  return thread_create(handle, attributes, routine, argument, RICERCAR_SITE());
}
RICERCAR_HOOK int pthread_join(pthread_t handle, void** result) {
  if (!controlled()) {
    return uncontrolled_join(RICERCAR_REAL(pthread_join), RICERCAR_SITE(), handle, result);
  }
  return thread_join(handle, result, nullptr, false, RICERCAR_SITE());
}
RICERCAR_HOOK int pthread_tryjoin_np(pthread_t handle, void** result) {
  if (!controlled()) {
    return uncontrolled_join(RICERCAR_REAL(pthread_tryjoin_np), RICERCAR_SITE(), handle, result);
  }
  return thread_join(handle, result, nullptr, true, RICERCAR_SITE());
}
RICERCAR_HOOK int pthread_timedjoin_np(pthread_t handle, void** result, const timespec* time) {
  if (!controlled()) {
    return uncontrolled_join(RICERCAR_REAL(pthread_timedjoin_np), RICERCAR_SITE(), handle, result,
                             time);
  }
  const std::uint64_t deadline = moment(CLOCK_REALTIME, time);
  return thread_join(handle, result, &deadline, false, RICERCAR_SITE());
}
RICERCAR_HOOK int pthread_clockjoin_np(pthread_t handle, void** result, clockid_t clock,
                                       const timespec* time) {
  if (!controlled()) {
    return uncontrolled_join(RICERCAR_REAL(pthread_clockjoin_np), RICERCAR_SITE(), handle, result,
                             clock, time);
  }
  const std::uint64_t deadline = moment(clock, time);
  return thread_join(handle, result, &deadline, false, RICERCAR_SITE());
}
RICERCAR_HOOK int pthread_detach(pthread_t handle) {
  if (!controlled()) {
    return program_state.early_threads.contains(handle) ? program_state.early_threads.detach(handle)
                                                        : RICERCAR_REAL(pthread_detach)(handle);
  }
  return thread_detach(handle, RICERCAR_SITE());
}
RICERCAR_HOOK void pthread_exit(void* result) {
  if (!controlled()) RICERCAR_REAL(pthread_exit)(result);
  thread_exit(result);
}

RICERCAR_HOOK int pthread_key_create(pthread_key_t* key, void (*destructor)(void*)) {
  if (controlled()) return key_create(key, destructor, RICERCAR_SITE());
  const int error = RICERCAR_REAL(pthread_key_create)(key, destructor);
  if (error == 0) program_state.keys.made_outside(*key, destructor);
  return error;
}
// The C library's other name for it.
RICERCAR_HOOK int __pthread_key_create(pthread_key_t* key, void (*destructor)(void*)) {
  return pthread_key_create(key, destructor);
}
RICERCAR_HOOK int pthread_key_delete(pthread_key_t key) {
  if (controlled()) return key_delete(key, RICERCAR_SITE());
  const int error = RICERCAR_REAL(pthread_key_delete)(key);
  if (error == 0) program_state.keys.deleted_outside(key);
  return error;
}
RICERCAR_HOOK void* pthread_getspecific(pthread_key_t key) {
  if (!controlled()) return RICERCAR_REAL(pthread_getspecific)(key);
  return key_get(key, RICERCAR_SITE());
}
// Not read, whatever a compiler thinks of the C library's attributes.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
RICERCAR_HOOK int pthread_setspecific(pthread_key_t key, const void* value) {
  if (!controlled()) return RICERCAR_REAL(pthread_setspecific)(key, value);
  return key_set(key, value, RICERCAR_SITE());
}

RICERCAR_HOOK int pthread_setname_np(pthread_t handle, const char* name) {
  if (!controlled()) {
    return program_state.early_threads.contains(handle)
               ? program_state.early_threads.set_name(handle, name)
               : RICERCAR_REAL(pthread_setname_np)(handle, name);
  }
  Task* task = task_of(handle);
  if (task == nullptr) return ESRCH;
  if (std::strlen(name) >= sizeof task->name) return ERANGE;
  std::strcpy(task->name, name);
  return 0;
}
RICERCAR_HOOK int pthread_getname_np(pthread_t handle, char* buffer, size_t size) {
  if (!controlled()) return RICERCAR_REAL(pthread_getname_np)(handle, buffer, size);
  const Task* task = task_of(handle);
  if (task == nullptr) return ESRCH;
  snprintf(buffer, size, "%s", task->name);
  return 0;
}

// Registered by compiled code for every thread_local with a destructor.
RICERCAR_HOOK int __cxa_thread_atexit_impl(void (*function)(void*), void* object, void* library) {
  if (controlled()) {
    execution.self().destructors.push_back({function, object});
    return 0;
  }
  using Register = int (*)(void (*)(void*), void*, void*);
  static auto real = reinterpret_cast<Register>(next_definition("__cxa_thread_atexit_impl"));
  return real(function, object, library);
}

RICERCAR_HOOK void __pthread_register_cancel(void* buffer) {
  if (controlled()) cleanup_push(execution.self(), buffer);
}
RICERCAR_HOOK void __pthread_unregister_cancel(void* buffer) {
  if (controlled()) cleanup_pop(execution.self(), buffer);
}
RICERCAR_HOOK void __pthread_unwind_next(void*) { thread_exit(execution.self().result); }

RICERCAR_HOOK int pthread_cancel(pthread_t handle) {
  if (!controlled()) return RICERCAR_REAL(pthread_cancel)(handle);
  return thread_cancel(handle, RICERCAR_SITE());
}
RICERCAR_HOOK int pthread_setcancelstate(int state, int* old) {
  return controlled() ? set_cancel_state(state, old)
                      : RICERCAR_BEHIND(pthread_setcancelstate)(state, old);
}
RICERCAR_HOOK int pthread_setcanceltype(int type, int* old) {
  return controlled() ? set_cancel_type(type, old)
                      : RICERCAR_BEHIND(pthread_setcanceltype)(type, old);
}
RICERCAR_HOOK void pthread_testcancel() {
  if (!controlled()) return RICERCAR_BEHIND(pthread_testcancel)();
  cancellation_begins(RICERCAR_SITE());
  execution.self().cancel_point = false;
}
