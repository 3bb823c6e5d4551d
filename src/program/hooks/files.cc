// Hooks: names, status and contents of files. What opens and closes them is in
// hooks/descriptors.cc, what reads and writes at the offset of a descriptor in
// transfers.cc.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cstring>

#include "disk/watch.h"
#include "hooks/behind.h"
#include "threads/buffers.h"
#include "threads/descriptor.h"
#include "threads/hook.h"
#include "threads/memory/external_state.h"
#include "threads/memory/file_hooks.h"
#include "threads/memory/not_modelled.h"
#include "threads/memory/real_function.h"
#include "threads/node_files.h"
#include "threads/transfers.h"

namespace ricercar::inline hooks {
namespace {

void* as_caller(std::uint64_t site) { return reinterpret_cast<void*>(site); }

template <typename Status>
void note_owner(const Status& status) {
  note_owner_seen(status.st_uid, status.st_gid);
}
void note_owner(const struct statx& status) { note_owner_seen(status.stx_uid, status.stx_gid); }

// A call that fills what `to` points to if it succeeds.
template <typename Status, typename Call>
int fill_status(const FileCall& what, Status* to, std::uint64_t site, Call call) {
  const FileStep step(what, as_caller(site));
  if (!is_for_program(site)) return step.end(call());
  const Filling filling(to, sizeof *to, site);
  const int result = call();
  if (result == 0) filling.filled(sizeof *to);
  if (result == 0) note_owner(*to);
  return step.end(result);
}

// As many bytes as the call says.
template <typename Call>
ssize_t fill_bytes(const FileCall& what, void* to, std::size_t size, std::uint64_t site,
                   Call call) {
  const FileStep step(what, as_caller(site));
  if (!is_for_program(site)) return step.end(call());
  const Filling filling(to, size, site);
  const ssize_t result = call();
  if (result > 0) filling.filled(static_cast<std::size_t>(result));
  return step.end(result);
}

template <typename Call>
ssize_t give_bytes(const FileCall& what, const void* from, std::size_t size, std::uint64_t site,
                   Call call) {
  if (is_for_program(site)) program_reads(from, size, site);
  const CallFault fault =
      is_for_program(site) ? fault_of_writing(what.name, what.number, size, site) : call_is_fine;
  if (const long error = error_of(fault)) return as_result(error);
  if (is_for_program(site)) point_before_write(what.name, what.number, site);
  const FileStep step(what, as_caller(site));
  return step.end(call(fault == call_is_short ? size / 2 : size));
}

struct NewOwner {
  std::uint64_t site;

  int done(int result) const {
    if (changes_log == nullptr || result != 0) return result;
    not_modelled("changes the owners of files: that is not put back when the next execution begins",
                 site);
    return result;
  }
};

// Space inside of a file is moved or emptied, unless it only grows.
struct Allocating {
  Allocating(int number, int mode, off_t end)
      : grows(mode == 0), longer(number, grows ? end : -1), all(grows ? -1 : number) {}

  int done(int result) {
    if (grows) longer.done(result);
    if (!grows) all.done(result);
    return result;
  }

  bool grows;
  Resizing longer;
  ChangingAll all;
};

// The text that a call has put into the program's memory; null: none.
char* filled_text(char* text, std::uint64_t site) {
  if (text != nullptr && is_for_program(site)) program_writes(text, std::strlen(text) + 1, site);
  return text;
}

}  // namespace
}  // namespace ricercar::inline hooks

using namespace ricercar;

#define RICERCAR_CALLER __builtin_return_address(0)

// A hook that does no more than say what the call is about; `what` is the rest of a FileCall.
#define RICERCAR_FILE_HOOK(type, name, effect, parameters, what, arguments)           \
  RICERCAR_ENTRY(name);                                                               \
  RICERCAR_BODY type ricercar_body_##name parameters {                                \
    using Function = type(*) parameters;                                              \
    const FileStep step(FileCall RICERCAR_CALL(name, effect, what), RICERCAR_CALLER); \
    return step.end(RICERCAR_BEHIND_AS(Function, #name) arguments);                   \
  }
// The same of a call that changes files: `change` makes what notes it.
#define RICERCAR_CHANGE_HOOK(type, name, effect, parameters, what, arguments, change) \
  RICERCAR_ENTRY(name);                                                               \
  RICERCAR_BODY type ricercar_body_##name parameters {                                \
    using Function = type(*) parameters;                                              \
    const FileStep step(FileCall RICERCAR_CALL(name, effect, what), RICERCAR_CALLER); \
    auto noted = change;                                                              \
    return step.end(noted.done(RICERCAR_BEHIND_AS(Function, #name) arguments));       \
  }
#define RICERCAR_UNPACK(...) __VA_ARGS__
#define RICERCAR_CALL(name, effect, what) \
  { #name, FileEffect::effect, RICERCAR_UNPACK what }

RICERCAR_FILE_HOOK(int, access, looks, (const char* path, int mode), (path), (path, mode))
RICERCAR_FILE_HOOK(int, euidaccess, looks, (const char* path, int mode), (path), (path, mode))
RICERCAR_FILE_HOOK(int, eaccess, looks, (const char* path, int mode), (path), (path, mode))
RICERCAR_FILE_HOOK(int, faccessat, looks, (int folder, const char* path, int mode, int flags),
                   (path), (folder, path, mode, flags))

RICERCAR_CHANGE_HOOK(int, unlink, changes, (const char* path), (path), (path),
                     (Removing(AT_FDCWD, path)))
RICERCAR_CHANGE_HOOK(int, unlinkat, changes, (int folder, const char* path, int flags), (path),
                     (folder, path, flags), (Removing(folder, path)))
RICERCAR_CHANGE_HOOK(int, remove, changes, (const char* path), (path), (path),
                     (Removing(AT_FDCWD, path)))
RICERCAR_CHANGE_HOOK(int, rmdir, changes, (const char* path), (path), (path),
                     (Removing(AT_FDCWD, path)))
RICERCAR_CHANGE_HOOK(int, mkdir, changes, (const char* path, mode_t mode), (path), (path, mode),
                     (Making(AT_FDCWD, path)))
RICERCAR_CHANGE_HOOK(int, mkdirat, changes, (int folder, const char* path, mode_t mode), (path),
                     (folder, path, mode), (Making(folder, path)))
RICERCAR_CHANGE_HOOK(int, mkfifo, changes, (const char* path, mode_t mode), (path), (path, mode),
                     (Making(AT_FDCWD, path)))
RICERCAR_CHANGE_HOOK(char*, mkdtemp, changes, (char* path), (path), (path),
                     (Making::of_some_name(path)))
RICERCAR_CHANGE_HOOK(int, rename, changes, (const char* from, const char* to), (from, -1, to),
                     (from, to), (Renaming(AT_FDCWD, from, AT_FDCWD, to)))
RICERCAR_CHANGE_HOOK(int, renameat, changes,
                     (int folder, const char* from, int new_folder, const char* to), (from, -1, to),
                     (folder, from, new_folder, to), (Renaming(folder, from, new_folder, to)))
RICERCAR_CHANGE_HOOK(int, renameat2, changes,
                     (int folder, const char* from, int new_folder, const char* to, unsigned flags),
                     (from, -1, to), (folder, from, new_folder, to, flags),
                     (Renaming(folder, from, new_folder, to, flags)))
RICERCAR_CHANGE_HOOK(int, link, changes, (const char* from, const char* to), (from, -1, to),
                     (from, to), (AddingName(AT_FDCWD, from, AT_FDCWD, to)))
RICERCAR_CHANGE_HOOK(int, linkat, changes,
                     (int folder, const char* from, int new_folder, const char* to, int flags),
                     (from, -1, to), (folder, from, new_folder, to, flags),
                     (AddingName(folder, from, new_folder, to)))
RICERCAR_CHANGE_HOOK(int, symlink, changes, (const char* from, const char* to), (from, -1, to),
                     (from, to), (Making(AT_FDCWD, to)))
RICERCAR_CHANGE_HOOK(int, symlinkat, changes, (const char* from, int folder, const char* to),
                     (from, -1, to), (from, folder, to), (Making(folder, to)))
RICERCAR_CHANGE_HOOK(int, chmod, changes, (const char* path, mode_t mode), (path), (path, mode),
                     (ChangingMode(AT_FDCWD, path)))
RICERCAR_CHANGE_HOOK(int, fchmod, changes, (int number, mode_t mode), (nullptr, number),
                     (number, mode), (ChangingMode(number)))
RICERCAR_CHANGE_HOOK(int, fchmodat, changes, (int folder, const char* path, mode_t mode, int flags),
                     (path), (folder, path, mode, flags), (ChangingMode(folder, path)))
RICERCAR_CHANGE_HOOK(int, chown, changes, (const char* path, uid_t owner, gid_t group), (path),
                     (path, owner, group), (NewOwner{RICERCAR_SITE()}))
RICERCAR_CHANGE_HOOK(int, truncate, changes, (const char* path, off_t size), (path), (path, size),
                     (Resizing(path, size)))
RICERCAR_CHANGE_HOOK(int, truncate64, changes, (const char* path, off64_t size), (path),
                     (path, size), (Resizing(path, size)))

RICERCAR_CHANGE_HOOK(int, ftruncate, writes, (int number, off_t size), (nullptr, number),
                     (number, size), (Resizing(number, size)))
RICERCAR_CHANGE_HOOK(int, ftruncate64, writes, (int number, off64_t size), (nullptr, number),
                     (number, size), (Resizing(number, size)))
RICERCAR_FILE_HOOK(off_t, lseek, writes, (int number, off_t offset, int from), (nullptr, number),
                   (number, offset, from))
RICERCAR_FILE_HOOK(off64_t, lseek64, writes, (int number, off64_t offset, int from),
                   (nullptr, number), (number, offset, from))
RICERCAR_CHANGE_HOOK(int, fallocate, writes, (int number, int mode, off_t offset, off_t size),
                     (nullptr, number), (number, mode, offset, size),
                     (Allocating(number, mode, offset + size)))
RICERCAR_CHANGE_HOOK(int, posix_fallocate, writes, (int number, off_t offset, off_t size),
                     (nullptr, number), (number, offset, size),
                     (Allocating(number, 0, offset + size)))

// A folder is read as a stream of names.
RICERCAR_FILE_HOOK(dirent*, readdir, looks, (DIR * folder), (nullptr), (folder))
RICERCAR_FILE_HOOK(dirent64*, readdir64, looks, (DIR * folder), (nullptr), (folder))

#define RICERCAR_STATUS_HOOK(name, parameters, what, arguments)                         \
  RICERCAR_ENTRY(name);                                                                 \
  RICERCAR_BODY int ricercar_body_##name parameters {                                   \
    using Function = int(*) parameters;                                                 \
    return fill_status(FileCall RICERCAR_CALL(name, status, what), to, RICERCAR_SITE(), \
                       [&] { return RICERCAR_BEHIND_AS(Function, #name) arguments; });  \
  }
RICERCAR_STATUS_HOOK(stat, (const char* path, struct stat* to), (path), (path, to))
RICERCAR_STATUS_HOOK(stat64, (const char* path, struct stat64* to), (path), (path, to))
RICERCAR_STATUS_HOOK(lstat, (const char* path, struct stat* to), (path), (path, to))
RICERCAR_STATUS_HOOK(lstat64, (const char* path, struct stat64* to), (path), (path, to))
RICERCAR_STATUS_HOOK(fstat, (int number, struct stat* to), (nullptr, number), (number, to))
RICERCAR_STATUS_HOOK(fstat64, (int number, struct stat64* to), (nullptr, number), (number, to))
RICERCAR_STATUS_HOOK(fstatat, (int folder, const char* path, struct stat* to, int flags), (path),
                     (folder, path, to, flags))
RICERCAR_STATUS_HOOK(fstatat64, (int folder, const char* path, struct stat64* to, int flags),
                     (path), (folder, path, to, flags))
RICERCAR_STATUS_HOOK(statx,
                     (int folder, const char* path, int flags, unsigned mask, struct statx* to),
                     (path), (folder, path, flags, mask, to))

// Where other users have no names, neither have the groups of this one.
RICERCAR_HOOK int getgroups(int size, gid_t* list) noexcept {
  const int count = RICERCAR_BEHIND(getgroups)(size, list);
  for (int i = 0; size > 0 && i < count; ++i) note_owner_seen(0, list[i]);
  return count;
}

#define RICERCAR_READ_AT_HOOK(name, offset_type)                                        \
  RICERCAR_ENTRY(name);                                                                 \
  RICERCAR_BODY ssize_t ricercar_body_##name(int number, void* to, size_t size,         \
                                             offset_type offset) {                      \
    using Function = ssize_t (*)(int, void*, size_t, offset_type);                      \
    return fill_bytes(                                                                  \
        {#name, FileEffect::reads, nullptr, number}, to, size, RICERCAR_SITE(),         \
        [&] { return RICERCAR_BEHIND_AS(Function, #name)(number, to, size, offset); }); \
  }
RICERCAR_READ_AT_HOOK(pread, off_t)
RICERCAR_READ_AT_HOOK(pread64, off64_t)

#define RICERCAR_WRITE_AT_HOOK(name, offset_type)                                                \
  RICERCAR_ENTRY(name);                                                                          \
  RICERCAR_BODY ssize_t ricercar_body_##name(int number, const void* from, size_t size,          \
                                             offset_type offset) {                               \
    using Function = ssize_t (*)(int, const void*, size_t, offset_type);                         \
    const auto write_bytes_at = [&](size_t bytes) {                                              \
      Writing noted(number, offset, bytes);                                                      \
      return noted.done(RICERCAR_BEHIND_AS(Function, #name)(number, from, bytes, offset));       \
    };                                                                                           \
    return give_bytes({#name, FileEffect::writes, nullptr, number}, from, size, RICERCAR_SITE(), \
                      write_bytes_at);                                                           \
  }
RICERCAR_WRITE_AT_HOOK(pwrite, off_t)
RICERCAR_WRITE_AT_HOOK(pwrite64, off64_t)

RICERCAR_ENTRY(readlink);
RICERCAR_BODY ssize_t ricercar_body_readlink(const char* path, char* to, size_t size) {
  using Function = ssize_t (*)(const char*, char*, size_t);
  return fill_bytes({"readlink", FileEffect::looks, path}, to, size, RICERCAR_SITE(),
                    [&] { return RICERCAR_BEHIND_AS(Function, "readlink")(path, to, size); });
}
RICERCAR_ENTRY(readlinkat);
RICERCAR_BODY ssize_t ricercar_body_readlinkat(int folder, const char* path, char* to,
                                               size_t size) {
  using Function = ssize_t (*)(int, const char*, char*, size_t);
  return fill_bytes({"readlinkat", FileEffect::looks, path}, to, size, RICERCAR_SITE(), [&] {
    return RICERCAR_BEHIND_AS(Function, "readlinkat")(folder, path, to, size);
  });
}

RICERCAR_ENTRY(getcwd);
RICERCAR_BODY char* ricercar_body_getcwd(char* to, size_t size) {
  using Function = char* (*)(char*, size_t);
  const FileStep step({"getcwd", FileEffect::looks}, RICERCAR_CALLER);
  const bool is_own = to != nullptr && is_for_program(RICERCAR_SITE());
  if (is_own) const Filling filling(to, size, RICERCAR_SITE());
  char* text = step.end(RICERCAR_BEHIND_AS(Function, "getcwd")(to, size));
  return is_own ? filled_text(text, RICERCAR_SITE()) : text;
}
RICERCAR_ENTRY(realpath);
RICERCAR_BODY char* ricercar_body_realpath(const char* path, char* to) {
  using Function = char* (*)(const char*, char*);
  const FileStep step({"realpath", FileEffect::looks, path}, RICERCAR_CALLER);
  if (to != nullptr && is_for_program(RICERCAR_SITE())) expect_live(to, true, RICERCAR_SITE());
  char* text = step.end(RICERCAR_BEHIND_AS(Function, "realpath")(path, to));
  return to != nullptr ? filled_text(text, RICERCAR_SITE()) : text;
}

// The data stays in the kernel.
#define RICERCAR_SENDFILE_HOOK(name, offset_type)                                                  \
  RICERCAR_ENTRY(name);                                                                            \
  RICERCAR_BODY ssize_t ricercar_body_##name(int to, int from, offset_type* offset, size_t size) { \
    using Function = ssize_t (*)(int, int, offset_type*, size_t);                                  \
    const FileStep step({#name, FileEffect::writes, nullptr, from}, RICERCAR_CALLER);              \
    long sent = 0;                                                                                 \
    if (controlled() && send_file(to, from, offset, size, RICERCAR_SITE(), sent)) {                \
      return step.end(as_result(sent));                                                            \
    }                                                                                              \
    used_past_hooks(to);                                                                           \
    Writing noted(to, Writing::where_it_is, size);                                                 \
    return step.end(noted.done(RICERCAR_BEHIND_AS(Function, #name)(to, from, offset, size)));      \
  }
RICERCAR_SENDFILE_HOOK(sendfile, off_t)
RICERCAR_SENDFILE_HOOK(sendfile64, off64_t)
