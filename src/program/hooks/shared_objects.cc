// Hooks: what several processes reach by a name or a key and the kernel keeps: named semaphores,
// message queues, shared memory. Between nodes these are the kernel's, too: who waits goes on when
// another node has changed something. What is left in them is there in the next execution, so they
// are named.
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/shm.h>

#include <climits>

#include "disk/watch.h"
#include "hooks/behind.h"
#include "threads/hook.h"
#include "threads/memory/external_state.h"
#include "threads/memory/not_modelled.h"
#include "threads/memory/real_function.h"
#include "threads/node_files.h"
#include "threads/node_sockets.h"
#include "threads/program_state.h"

namespace ricercar::inline hooks {
namespace {

#define RICERCAR_KEPT_BY_KERNEL ": what it leaves there is not put back before the next execution"

void note_meeting(const char* what, std::uint64_t site) {
  if (!controlled()) return;
  must_be_alone();
  if (!is_node()) return;
  note_kernel_meeting();
  not_modelled(what, site);
}

// Where the C library keeps the semaphore. False: that is no name.
bool path_of_semaphore(const char* name, char (&path)[NAME_MAX + 16]) {
  while (*name == '/') ++name;
  if (*name == 0 || strlen(name) > NAME_MAX - 4 || strchr(name, '/') != nullptr) return false;
  strcpy(stpcpy(path, "/dev/shm/sem."), name);
  return true;
}

template <typename Open>
sem_t* open_semaphore(const char* name, Open open, std::uint64_t site) {
  char path[NAME_MAX + 16];
  if (!controlled() || !is_node() || !path_of_semaphore(name, path)) return open();
  note_meeting("opens a named semaphore" RICERCAR_KEPT_BY_KERNEL " if it was there before", site);
  needs_fork("opens a named semaphore");
  Making noted(AT_FDCWD, path);
  sem_t* semaphore = open();
  noted.done(semaphore == SEM_FAILED ? -1 : 0);
  if (semaphore != SEM_FAILED) program_state.named_semaphores.add(semaphore);
  return semaphore;
}

}  // namespace
}  // namespace ricercar::inline hooks

using namespace ricercar;

RICERCAR_HOOK sem_t* sem_open(const char* name, int flags, ...) noexcept {
  va_list rest;
  va_start(rest, flags);
  const auto mode = va_arg(rest, mode_t);
  const auto value = va_arg(rest, unsigned);
  va_end(rest);
  using Open = sem_t* (*)(const char*, int, mode_t, unsigned);
  const auto behind = RICERCAR_BEHIND_AS(Open, "sem_open");
  return open_semaphore(
      name, [&] { return behind(name, flags, mode, value); }, RICERCAR_SITE());
}
RICERCAR_HOOK int sem_close(sem_t* semaphore) noexcept {
  if (controlled()) program_state.named_semaphores.remove(semaphore);
  return RICERCAR_BEHIND(sem_close)(semaphore);
}
RICERCAR_HOOK int sem_unlink(const char* name) noexcept {
  char path[NAME_MAX + 16];
  if (!controlled() || !is_node() || !path_of_semaphore(name, path)) {
    return RICERCAR_BEHIND(sem_unlink)(name);
  }
  Removing noted(AT_FDCWD, path);
  return noted.done(RICERCAR_BEHIND(sem_unlink)(name));
}

RICERCAR_HOOK mqd_t mq_open(const char* name, int flags, ...) noexcept {
  va_list rest;
  va_start(rest, flags);
  const auto mode = va_arg(rest, mode_t);
  auto* attributes = va_arg(rest, struct mq_attr*);
  va_end(rest);
  note_meeting("opens a message queue" RICERCAR_KEPT_BY_KERNEL, RICERCAR_SITE());
  if (tracking) note_descriptors();
  return RICERCAR_BEHIND(mq_open)(name, flags, mode, attributes);
}
RICERCAR_HOOK int msgget(key_t key, int flags) noexcept {
  note_meeting("opens a message queue" RICERCAR_KEPT_BY_KERNEL, RICERCAR_SITE());
  return RICERCAR_BEHIND(msgget)(key, flags);
}
RICERCAR_HOOK int shmget(key_t key, size_t size, int flags) noexcept {
  note_meeting("opens memory that several processes share (shmget)" RICERCAR_KEPT_BY_KERNEL
               ", and what another process does to it is not part of the search",
               RICERCAR_SITE());
  return RICERCAR_BEHIND(shmget)(key, size, flags);
}

// A lock is the runtime's, and knows the threads of its own process only.
#define RICERCAR_SHARED_HOOK(name, type)                                                \
  RICERCAR_HOOK int name(type* attributes, int shared) noexcept {                       \
    if (controlled() && is_node() && shared == PTHREAD_PROCESS_SHARED) {                \
      not_modelled("makes locks for several processes: between nodes they do not hold", \
                   RICERCAR_SITE());                                                    \
    }                                                                                   \
    return RICERCAR_BEHIND(name)(attributes, shared);                                   \
  }
RICERCAR_SHARED_HOOK(pthread_mutexattr_setpshared, pthread_mutexattr_t)
RICERCAR_SHARED_HOOK(pthread_rwlockattr_setpshared, pthread_rwlockattr_t)
RICERCAR_SHARED_HOOK(pthread_condattr_setpshared, pthread_condattr_t)
RICERCAR_SHARED_HOOK(pthread_barrierattr_setpshared, pthread_barrierattr_t)
