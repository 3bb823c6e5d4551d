// Hooks: what opens, closes or replaces file descriptors. They note that something may have changed
// and call the C library; what has changed is found out at the restore. read(), write(), close()
// and their relatives can block and are hooked by the scheduler.
#include "threads/memory/descriptors.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <climits>
#include <cstring>

#include "disk/watch.h"
#include "threads/memory/external_state.h"
#include "threads/memory/file_hooks.h"
#include "threads/memory/machine_files.h"
#include "threads/memory/not_modelled.h"
#include "threads/memory/own_process.h"
#include "threads/memory/private_file.h"
#include "threads/memory/real_function.h"

using ricercar::FileEffect;
using ricercar::FileStep;
using ricercar::tracking;

#define RICERCAR_CALLER __builtin_return_address(0)

// A hook that does no more than take the note.
#define RICERCAR_NOTING_HOOK(type, name, parameters, arguments, ...) \
  RICERCAR_EXPORT type name parameters __VA_ARGS__ {                 \
    if (tracking) ricercar::note_descriptors();                      \
    return RICERCAR_BEHIND(name) arguments;                          \
  }

// The same, of a call to the file system. Others may go first: the note is taken behind it, too.
#define RICERCAR_NOTING_FILE_HOOK(type, name, effect, path, parameters, arguments, ...) \
  RICERCAR_EXPORT type name parameters __VA_ARGS__ {                                    \
    if (tracking) ricercar::note_descriptors();                                         \
    const FileStep step({#name, effect, path}, RICERCAR_CALLER);                        \
    type const result = RICERCAR_BEHIND(name) arguments;                                \
    if (tracking) ricercar::note_descriptors();                                         \
    return step.end(result);                                                            \
  }

// The same, of one that may make or empty a file: `change` makes what notes it.
#define RICERCAR_MAKING_FILE_HOOK(type, name, effect, path, change, parameters, arguments, ...) \
  RICERCAR_EXPORT type name parameters __VA_ARGS__ {                                            \
    if (tracking) ricercar::note_descriptors();                                                 \
    const FileStep step({#name, effect, path}, RICERCAR_CALLER);                                \
    auto noted = change;                                                                        \
    type const result = noted.done(RICERCAR_BEHIND(name) arguments);                            \
    if (tracking) ricercar::note_descriptors();                                                 \
    return step.end(result);                                                                    \
  }

namespace {

int machine_file(const char* path, int flags) {
  return tracking ? ricercar::open_machine_file(path, flags) : -1;
}

int flags_of(const char* mode) {
  if (mode == nullptr || std::strchr(mode, '+') != nullptr) return O_RDWR;
  return mode[0] == 'r' ? O_RDONLY : O_WRONLY;
}

// Opening does not change names unless it creates one; but which number it gives depends on what
// others close.
FileEffect effect_of(int flags) {
  return (flags & (O_CREAT | O_TRUNC)) != 0 ? FileEffect::changes : FileEffect::looks;
}
FileEffect effect_of(const char* mode) {
  return mode[0] == 'r' ? FileEffect::looks : FileEffect::changes;
}

// Where the C library has shared memory of this name.
struct SharedMemoryName {
  explicit SharedMemoryName(const char* name) {
    if (name != nullptr && name[0] == '/') ++name;
    std::snprintf(path, sizeof path, "/dev/shm/%s", name != nullptr ? name : "");
  }

  char path[NAME_MAX + 16];
};

void note_copy(int number) {
  if (tracking && number >= 0) ricercar::copied_descriptor(number);
}

int raw_result(long raw) {
  if (raw >= 0) return static_cast<int>(raw);
  errno = static_cast<int>(-raw);
  return -1;
}

bool takes_mode(int flags) { return (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE; }

}  // namespace

// The mode is there only if the file may be created.
#define RICERCAR_OPEN_HOOK(name, parameters, folder, ...)                        \
  RICERCAR_EXPORT int name parameters {                                          \
    mode_t mode = 0;                                                             \
    if (takes_mode(flags)) {                                                     \
      va_list rest;                                                              \
      va_start(rest, flags);                                                     \
      mode = va_arg(rest, mode_t);                                               \
      va_end(rest);                                                              \
    }                                                                            \
    if (tracking) ricercar::note_descriptors();                                  \
    long pipe_end = -1;                                                          \
    if (ricercar::pipe_opened(folder, path, flags, pipe_end, RICERCAR_CALLER)) { \
      return static_cast<int>(raw_result(pipe_end));                             \
    }                                                                            \
    const FileStep step({#name, effect_of(flags), path}, RICERCAR_CALLER);       \
    const ricercar::RealPath real_path(path);                                    \
    if (tracking) path = real_path.get();                                        \
    const int machine = machine_file(path, flags);                               \
    if (machine >= 0) return step.end(machine);                                  \
    ricercar::Opening noted(folder, path, flags);                                \
    return step.end(noted.done(RICERCAR_BEHIND(name)(__VA_ARGS__, mode)));       \
  }

RICERCAR_OPEN_HOOK(open, (const char* path, int flags, ...), AT_FDCWD, path, flags)
RICERCAR_OPEN_HOOK(open64, (const char* path, int flags, ...), AT_FDCWD, path, flags)
RICERCAR_OPEN_HOOK(openat, (int folder, const char* path, int flags, ...), folder, folder, path,
                   flags)
RICERCAR_OPEN_HOOK(openat64, (int folder, const char* path, int flags, ...), folder, folder, path,
                   flags)

extern "C" {
int __open_2(const char* path, int flags);
int __open64_2(const char* path, int flags);
int __openat_2(int folder, const char* path, int flags);
int __openat64_2(int folder, const char* path, int flags);
}
RICERCAR_MAKING_FILE_HOOK(int, __open_2, effect_of(flags), path,
                          ricercar::Opening(AT_FDCWD, path, flags), (const char* path, int flags),
                          (path, flags))
RICERCAR_MAKING_FILE_HOOK(int, __open64_2, effect_of(flags), path,
                          ricercar::Opening(AT_FDCWD, path, flags), (const char* path, int flags),
                          (path, flags))
RICERCAR_MAKING_FILE_HOOK(int, __openat_2, effect_of(flags), path,
                          ricercar::Opening(folder, path, flags),
                          (int folder, const char* path, int flags), (folder, path, flags))
RICERCAR_MAKING_FILE_HOOK(int, __openat64_2, effect_of(flags), path,
                          ricercar::Opening(folder, path, flags),
                          (int folder, const char* path, int flags), (folder, path, flags))
RICERCAR_MAKING_FILE_HOOK(int, creat, FileEffect::changes, path,
                          ricercar::Opening(AT_FDCWD, path, O_CREAT | O_TRUNC),
                          (const char* path, mode_t mode), (path, mode))
RICERCAR_MAKING_FILE_HOOK(int, creat64, FileEffect::changes, path,
                          ricercar::Opening(AT_FDCWD, path, O_CREAT | O_TRUNC),
                          (const char* path, mode_t mode), (path, mode))

#define RICERCAR_FOPEN_HOOK(name)                                                           \
  RICERCAR_EXPORT FILE* name(const char* path, const char* mode) {                          \
    if (tracking) ricercar::note_descriptors();                                             \
    long pipe_end = -1;                                                                     \
    if (ricercar::pipe_opened(AT_FDCWD, path, flags_of(mode), pipe_end, RICERCAR_CALLER)) { \
      const int number = raw_result(pipe_end);                                              \
      return number < 0 ? nullptr : ricercar::stream_over(number, mode, RICERCAR_CALLER);   \
    }                                                                                       \
    const FileStep step({#name, effect_of(mode), path}, RICERCAR_CALLER);                   \
    const ricercar::RealPath real_path(path);                                               \
    if (tracking) path = real_path.get();                                                   \
    const int machine = machine_file(path, flags_of(mode));                                 \
    if (machine >= 0) return step.end(RICERCAR_BEHIND(fdopen)(machine, mode));              \
    ricercar::Opening noted(path, mode);                                                    \
    return step.end(noted.done(RICERCAR_BEHIND(name)(path, mode)));                         \
  }
RICERCAR_FOPEN_HOOK(fopen)
RICERCAR_FOPEN_HOOK(fopen64)
RICERCAR_MAKING_FILE_HOOK(FILE*, freopen, effect_of(mode), path, ricercar::Opening(path, mode),
                          (const char* path, const char* mode, FILE* file), (path, mode, file))
RICERCAR_MAKING_FILE_HOOK(FILE*, freopen64, effect_of(mode), path, ricercar::Opening(path, mode),
                          (const char* path, const char* mode, FILE* file), (path, mode, file))
RICERCAR_MAKING_FILE_HOOK(FILE*, tmpfile, FileEffect::changes, nullptr,
                          ricercar::Opening(AT_FDCWD, P_tmpdir, O_TMPFILE), (), ())
RICERCAR_MAKING_FILE_HOOK(FILE*, tmpfile64, FileEffect::changes, nullptr,
                          ricercar::Opening(AT_FDCWD, P_tmpdir, O_TMPFILE), (), ())
RICERCAR_MAKING_FILE_HOOK(int, mkstemp, FileEffect::changes, pattern,
                          ricercar::Making::of_some_name(pattern), (char* pattern), (pattern))
RICERCAR_MAKING_FILE_HOOK(int, mkstemp64, FileEffect::changes, pattern,
                          ricercar::Making::of_some_name(pattern), (char* pattern), (pattern))
RICERCAR_MAKING_FILE_HOOK(int, mkostemp, FileEffect::changes, pattern,
                          ricercar::Making::of_some_name(pattern), (char* pattern, int flags),
                          (pattern, flags))
RICERCAR_MAKING_FILE_HOOK(int, mkostemp64, FileEffect::changes, pattern,
                          ricercar::Making::of_some_name(pattern), (char* pattern, int flags),
                          (pattern, flags))
RICERCAR_MAKING_FILE_HOOK(int, mkstemps, FileEffect::changes, pattern,
                          ricercar::Making::of_some_name(pattern), (char* pattern, int suffix),
                          (pattern, suffix))
RICERCAR_NOTING_FILE_HOOK(DIR*, opendir, FileEffect::looks, path, (const char* path), (path))
RICERCAR_NOTING_HOOK(DIR*, fdopendir, (int number), (number))
RICERCAR_NOTING_FILE_HOOK(int, closedir, FileEffect::changes, nullptr, (DIR * folder), (folder))

RICERCAR_EXPORT int dup(int number) noexcept {
  const FileStep step({"dup", FileEffect::looks}, RICERCAR_CALLER);
  const int result = RICERCAR_BEHIND(dup)(number);
  if (tracking) ricercar::note_descriptors();
  note_copy(result);
  return step.end(result);
}
RICERCAR_NOTING_HOOK(int, pipe, (int ends[2]), (ends), noexcept)
RICERCAR_NOTING_HOOK(int, pipe2, (int ends[2], int flags), (ends, flags), noexcept)
RICERCAR_NOTING_HOOK(int, socketpair, (int family, int type, int protocol, int ends[2]),
                     (family, type, protocol, ends), noexcept)
RICERCAR_NOTING_HOOK(int, epoll_create, (int size), (size), noexcept)
RICERCAR_NOTING_HOOK(int, epoll_create1, (int flags), (flags), noexcept)
RICERCAR_NOTING_HOOK(int, eventfd, (unsigned value, int flags), (value, flags), noexcept)
RICERCAR_NOTING_HOOK(int, signalfd, (int number, const sigset_t* mask, int flags),
                     (number, mask, flags), noexcept)
RICERCAR_NOTING_HOOK(int, inotify_init, (), (), noexcept)
RICERCAR_NOTING_HOOK(int, inotify_init1, (int flags), (flags), noexcept)
RICERCAR_NOTING_HOOK(int, memfd_create, (const char* name, unsigned flags), (name, flags), noexcept)
RICERCAR_NOTING_HOOK(int, posix_openpt, (int flags), (flags))
RICERCAR_MAKING_FILE_HOOK(int, shm_open, effect_of(flags), name,
                          ricercar::Opening(AT_FDCWD, SharedMemoryName(name).path, flags),
                          (const char* name, int flags, mode_t mode), (name, flags, mode))
RICERCAR_EXPORT int shm_unlink(const char* name) {
  ricercar::Removing noted(AT_FDCWD, SharedMemoryName(name).path);
  return noted.done(RICERCAR_BEHIND(shm_unlink)(name));
}
RICERCAR_NOTING_HOOK(int, mq_close, (mqd_t queue), (queue), noexcept)

namespace {

// To the program, a descriptor of the runtime is not open.
bool is_hidden(int number) {
  if (!tracking || !ricercar::is_private_descriptor(number)) return false;
  errno = EBADF;
  return true;
}

}  // namespace

RICERCAR_EXPORT int dup2(int from, int to) noexcept {
  if (is_hidden(from) || is_hidden(to)) return -1;
  if (tracking) ricercar::note_descriptors();
  if (from != to) ricercar::descriptor_goes(to);
  const int result = RICERCAR_BEHIND(dup2)(from, to);
  note_copy(result);
  return ricercar::replaced_descriptor(result);
}

RICERCAR_EXPORT int dup3(int from, int to, int flags) noexcept {
  if (is_hidden(from) || is_hidden(to)) return -1;
  if (tracking) ricercar::note_descriptors();
  if (from != to) ricercar::descriptor_goes(to);
  const int result = RICERCAR_BEHIND(dup3)(from, to, flags);
  note_copy(result);
  return ricercar::replaced_descriptor(result);
}

RICERCAR_EXPORT int close_range(unsigned first, unsigned last, int flags) noexcept {
  const bool closes = (flags & CLOSE_RANGE_CLOEXEC) == 0;
  if (!tracking || !closes) return RICERCAR_BEHIND(close_range)(first, last, flags);
  if (first > last) {
    errno = EINVAL;
    return -1;
  }
  ricercar::note_descriptors();
  ricercar::close_program_descriptors(first, last);
  return ricercar::replaced_descriptor(0);
}

RICERCAR_EXPORT void closefrom(int first) noexcept {
  if (!tracking) return RICERCAR_BEHIND(closefrom)(first);
  close_range(first < 0 ? 0 : static_cast<unsigned>(first), UINT_MAX, 0);
}

namespace {

void note_command(int command) {
  if (command == F_DUPFD || command == F_DUPFD_CLOEXEC) ricercar::note_descriptors();
  if (command == F_SETFL || command == F_SETFD) ricercar::note_descriptor_flags();
}

int note_result(int command, int result) {
  if (command == F_DUPFD || command == F_DUPFD_CLOEXEC) note_copy(result);
  return result;
}

}  // namespace

#define RICERCAR_FCNTL_HOOK(name)                                                       \
  RICERCAR_EXPORT int name(int number, int command, ...) {                              \
    va_list rest;                                                                       \
    va_start(rest, command);                                                            \
    void* argument = va_arg(rest, void*);                                               \
    va_end(rest);                                                                       \
    if (is_hidden(number)) return -1;                                                   \
    if (tracking) note_command(command);                                                \
    long locked;                                                                        \
    if (ricercar::file_lock_call(number, command, argument, locked, RICERCAR_CALLER)) { \
      return static_cast<int>(locked);                                                  \
    }                                                                                   \
    return note_result(command, RICERCAR_BEHIND(name)(number, command, argument));      \
  }

RICERCAR_FCNTL_HOOK(fcntl)
RICERCAR_FCNTL_HOOK(fcntl64)

RICERCAR_EXPORT int ioctl(int number, unsigned long request, ...) noexcept {
  va_list rest;
  va_start(rest, request);
  void* argument = va_arg(rest, void*);
  va_end(rest);
  if (tracking && request == FIONBIO) ricercar::note_descriptor_flags();
  ricercar::device_call(request, RICERCAR_CALLER);
  return RICERCAR_BEHIND(ioctl)(number, request, argument);
}
