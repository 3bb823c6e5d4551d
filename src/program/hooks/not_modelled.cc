// Hooks: functions that reach memory or files for the program in a way that is not modelled. They
// do what they always do; if other threads may take part, the search names them.
#include "threads/memory/not_modelled.h"

#include <aio.h>
#include <dirent.h>
#include <fenv.h>
#include <ftw.h>
#include <netdb.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/xattr.h>
#include <time.h>
#include <utime.h>
#include <wchar.h>

#include "disk/watch.h"
#include "hooks/behind.h"
#include "threads/buffers.h"
#include "threads/hook.h"
#include "threads/memory/external_state.h"
#include "threads/memory_access.h"

namespace ricercar::inline hooks {
namespace {

void note_call(const char* what, std::uint64_t site) {
  if (is_for_program(site) && !is_ordered()) not_modelled(what, site);
}

std::uint64_t size_of(const iovec* parts, int count) {
  std::uint64_t all = 0;
  for (int i = 0; i < count; ++i) all += parts[i].iov_len;
  return all;
}

}  // namespace
}  // namespace ricercar::inline hooks

using namespace ricercar;

#define RICERCAR_NAMED_HOOK(what, type, name, parameters, arguments) \
  RICERCAR_HOOK type name parameters {                               \
    using Function = type(*) parameters;                             \
    note_call(what, RICERCAR_SITE());                                \
    return RICERCAR_BEHIND_AS(Function, #name) arguments;            \
  }

// What they read or fill is not seen by the race detector and the check for freed memory.
#define RICERCAR_UNSEEN_HOOK(type, name, parameters, arguments)                                \
  RICERCAR_NAMED_HOOK("calls " #name "(): the memory that it reads or fills is not looked at", \
                      type, name, parameters, arguments)

RICERCAR_UNSEEN_HOOK(struct tm*, localtime, (const time_t* time) noexcept, (time))
RICERCAR_UNSEEN_HOOK(struct tm*, gmtime, (const time_t* time) noexcept, (time))
RICERCAR_UNSEEN_HOOK(wchar_t*, wcscpy, (wchar_t * to, const wchar_t* from) noexcept, (to, from))
RICERCAR_UNSEEN_HOOK(wchar_t*, wcsncpy, (wchar_t * to, const wchar_t* from, size_t size) noexcept,
                     (to, from, size))
RICERCAR_UNSEEN_HOOK(wchar_t*, wcscat, (wchar_t * to, const wchar_t* from) noexcept, (to, from))
RICERCAR_UNSEEN_HOOK(wchar_t*, wmemcpy, (wchar_t * to, const wchar_t* from, size_t size) noexcept,
                     (to, from, size))
RICERCAR_UNSEEN_HOOK(wchar_t*, wmemset, (wchar_t * to, wchar_t value, size_t size) noexcept,
                     (to, value, size))

// They change or look at files.
#define RICERCAR_PASSING_HOOK(type, name, parameters, arguments)                   \
  RICERCAR_NAMED_HOOK("calls " #name                                               \
                      "(): it is not a point of the schedule, and its order with " \
                      "other threads is not searched",                             \
                      type, name, parameters, arguments)

RICERCAR_PASSING_HOOK(ssize_t, preadv, (int number, const iovec* parts, int count, off_t offset),
                      (number, parts, count, offset))
RICERCAR_PASSING_HOOK(ssize_t, preadv64,
                      (int number, const iovec* parts, int count, off64_t offset),
                      (number, parts, count, offset))
RICERCAR_HOOK ssize_t preadv2(int number, const iovec* parts, int count, off_t offset, int flags) {
  using Function = ssize_t (*)(int, const iovec*, int, off_t, int);
  note_call(
      "calls preadv2(): it is not a point of the schedule, and its order with other threads is "
      "not searched",
      RICERCAR_SITE());
  used_past_hooks(number);
  return RICERCAR_BEHIND_AS(Function, "preadv2")(number, parts, count, offset, flags);
}
// These write to a file, which is put back.
#define RICERCAR_PASSING_WRITE(name, number, offset, size, parameters, arguments)               \
  RICERCAR_HOOK ssize_t name parameters {                                                       \
    using Function = ssize_t(*) parameters;                                                     \
    note_call("calls " #name                                                                    \
              "(): it is not a point of the schedule, and its order with other threads is not " \
              "searched",                                                                       \
              RICERCAR_SITE());                                                                 \
    used_past_hooks(-1);                                                                        \
    Writing noted(number, offset, size);                                                        \
    return noted.done(RICERCAR_BEHIND_AS(Function, #name) arguments);                           \
  }
RICERCAR_PASSING_WRITE(pwritev, number, offset, size_of(parts, count),
                       (int number, const iovec* parts, int count, off_t offset),
                       (number, parts, count, offset))
RICERCAR_PASSING_WRITE(pwritev64, number, offset, size_of(parts, count),
                       (int number, const iovec* parts, int count, off64_t offset),
                       (number, parts, count, offset))
RICERCAR_PASSING_WRITE(pwritev2, number, offset, size_of(parts, count),
                       (int number, const iovec* parts, int count, off_t offset, int flags),
                       (number, parts, count, offset, flags))
RICERCAR_PASSING_WRITE(copy_file_range, to,
                       to_offset != nullptr ? *to_offset : Writing::where_it_is, size,
                       (int from, off64_t* from_offset, int to, off64_t* to_offset, size_t size,
                        unsigned flags),
                       (from, from_offset, to, to_offset, size, flags))
RICERCAR_PASSING_WRITE(splice, to, to_offset != nullptr ? *to_offset : Writing::where_it_is, size,
                       (int from, off64_t* from_offset, int to, off64_t* to_offset, size_t size,
                        unsigned flags),
                       (from, from_offset, to, to_offset, size, flags))
RICERCAR_PASSING_HOOK(int, utime, (const char* path, const utimbuf* times) noexcept, (path, times))
RICERCAR_PASSING_HOOK(int, utimes, (const char* path, const struct timeval times[2]) noexcept,
                      (path, times))
RICERCAR_PASSING_HOOK(int, utimensat,
                      (int folder, const char* path, const struct timespec times[2],
                       int flags) noexcept,
                      (folder, path, times, flags))
RICERCAR_PASSING_HOOK(int, futimens, (int number, const struct timespec times[2]) noexcept,
                      (number, times))
RICERCAR_PASSING_HOOK(int, scandir,
                      (const char* path, dirent*** names, int (*filter)(const dirent*),
                       int (*compare)(const dirent**, const dirent**)),
                      (path, names, filter, compare))
RICERCAR_PASSING_HOOK(int, nftw, (const char* path, __nftw_func_t visit, int files, int flags),
                      (path, visit, files, flags))
RICERCAR_PASSING_HOOK(int, ftw, (const char* path, __ftw_func_t visit, int files),
                      (path, visit, files))

// What they change is not put back.
#define RICERCAR_LASTING_HOOK(what, name, parameters, arguments)                            \
  RICERCAR_HOOK int name parameters noexcept {                                              \
    using Function = int(*) parameters;                                                     \
    if (changes_log != nullptr) {                                                           \
      not_modelled("changes " what ": that is not put back when the next execution begins", \
                   RICERCAR_SITE());                                                        \
    }                                                                                       \
    return RICERCAR_BEHIND_AS(Function, #name) arguments;                                   \
  }
#define RICERCAR_ATTRIBUTES "extended attributes of files"
#define RICERCAR_OWNERS "the owners of files"
RICERCAR_LASTING_HOOK(RICERCAR_ATTRIBUTES, setxattr,
                      (const char* path, const char* name, const void* value, size_t size,
                       int flags),
                      (path, name, value, size, flags))
RICERCAR_LASTING_HOOK(RICERCAR_ATTRIBUTES, lsetxattr,
                      (const char* path, const char* name, const void* value, size_t size,
                       int flags),
                      (path, name, value, size, flags))
RICERCAR_LASTING_HOOK(RICERCAR_ATTRIBUTES, fsetxattr,
                      (int number, const char* name, const void* value, size_t size, int flags),
                      (number, name, value, size, flags))
RICERCAR_LASTING_HOOK(RICERCAR_ATTRIBUTES, removexattr, (const char* path, const char* name),
                      (path, name))
RICERCAR_LASTING_HOOK(RICERCAR_ATTRIBUTES, fremovexattr, (int number, const char* name),
                      (number, name))
RICERCAR_LASTING_HOOK(RICERCAR_OWNERS, lchown, (const char* path, uid_t owner, gid_t group),
                      (path, owner, group))
RICERCAR_LASTING_HOOK(RICERCAR_OWNERS, fchown, (int number, uid_t owner, gid_t group),
                      (number, owner, group))
RICERCAR_LASTING_HOOK(RICERCAR_OWNERS, fchownat,
                      (int folder, const char* path, uid_t owner, gid_t group, int flags),
                      (folder, path, owner, group, flags))

// Threads of the C library, or the kernel, do the work.
#define RICERCAR_ELSEWHERE "starts asynchronous input or output, which is not under control"
#define RICERCAR_ASYNCHRONOUS_HOOK(name, parameters, arguments)                             \
  RICERCAR_HOOK int name parameters noexcept {                                              \
    using Function = int(*) parameters;                                                     \
    if (is_for_program(RICERCAR_SITE())) not_modelled(RICERCAR_ELSEWHERE, RICERCAR_SITE()); \
    used_past_hooks(-1);                                                                    \
    return RICERCAR_BEHIND_AS(Function, #name) arguments;                                   \
  }
RICERCAR_ASYNCHRONOUS_HOOK(aio_read, (aiocb * request), (request))
RICERCAR_ASYNCHRONOUS_HOOK(aio_write, (aiocb * request), (request))
RICERCAR_ASYNCHRONOUS_HOOK(aio_fsync, (int operation, aiocb* request), (operation, request))
RICERCAR_ASYNCHRONOUS_HOOK(lio_listio,
                           (int mode, aiocb* const requests[], int count, sigevent* event),
                           (mode, requests, count, event))

// The word is the kernel thread's, and there is one for all tasks.
#define RICERCAR_FLOATING_HOOK(name, parameters, arguments)                    \
  RICERCAR_NAMED_HOOK(                                                         \
      "changes the floating-point control word while it has several threads, " \
      "which all see it",                                                      \
      int, name, parameters, arguments)
RICERCAR_FLOATING_HOOK(fesetround, (int mode) noexcept, (mode))
RICERCAR_FLOATING_HOOK(feenableexcept, (int exceptions) noexcept, (exceptions))
RICERCAR_FLOATING_HOOK(fedisableexcept, (int exceptions) noexcept, (exceptions))

RICERCAR_HOOK int pthread_mutexattr_setrobust(pthread_mutexattr_t* attributes,
                                              int robustness) noexcept {
  using Function = int (*)(pthread_mutexattr_t*, int);
  if (robustness == PTHREAD_MUTEX_ROBUST && is_for_program(RICERCAR_SITE())) {
    not_modelled("makes robust mutexes: the death of an owner is not passed on", RICERCAR_SITE());
  }
  return RICERCAR_BEHIND_AS(Function, "pthread_mutexattr_setrobust")(attributes, robustness);
}
