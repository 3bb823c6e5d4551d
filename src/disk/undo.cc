#include "disk/undo.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/stat.h>

#include <atomic>

#include "base/system_call.h"
#include "disk/files.h"

namespace ricercar::inline disk {
namespace {

constexpr unsigned permissions = 07777;

void set_mode(const char* path, unsigned mode) {
  system_call(SYS_fchmodat, AT_FDCWD, as_argument(path), mode & permissions);
}

// Whatever it is: if the process was killed in the call that made it, the log does not say.
void remove_entry(const char* path) {
  struct stat status;
  if (!look_at(AT_FDCWD, path, false, status)) return;
  const int flags = S_ISDIR(status.st_mode) ? AT_REMOVEDIR : 0;
  system_call(SYS_unlinkat, AT_FDCWD, as_argument(path), flags);
}

// What has moved away comes back, unless the process was killed before the call that moved it or
// behind the one that brings it back.
void rename_back(FileChange& change, unsigned flags = 0) {
  if (change.may_be_back && identity_of(change.path) == change.moved) return;
  change.moved = identity_of(change.new_path);  // what was put back may have become a new file
  std::atomic_signal_fence(std::memory_order_release);
  change.may_be_back = true;
  system_call(SYS_renameat2, AT_FDCWD, as_argument(change.new_path), AT_FDCWD,
              as_argument(change.path), flags);
}

void make_file(const char* path, const Entry& entry) {
  const OpenFile file(AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (!file.is_open()) return;
  write_bytes(file.number(), entry.bytes, 0);
  system_call(SYS_fchmod, file.number(), entry.mode & permissions);
}

// As it was, also if it is there already; contents that were too large to be kept stay away.
void make_entry(const char* path, const Entry& entry) {
  if (!entry.is_kept) return;
  if (entry.twin != nullptr && system_call(SYS_linkat, AT_FDCWD, as_argument(entry.twin), AT_FDCWD,
                                           as_argument(path), 0) == 0) {
    return;
  }
  switch (entry.type) {
    case Entry::nothing:
      return;
    case Entry::file:
      return make_file(path, entry);
    case Entry::folder:
      system_call(SYS_mkdirat, AT_FDCWD, as_argument(path), 0700);
      return set_mode(path, entry.mode);
    case Entry::link:
      system_call(SYS_symlinkat, as_argument(entry.bytes.data), AT_FDCWD, as_argument(path));
      return;
    case Entry::other:
      system_call(SYS_mknodat, AT_FDCWD, as_argument(path), entry.mode);
  }
}

// A file that its owner may not write can be written by who makes it writable first.
void undo_contents(const FileChange& change) {
  const auto put_back = [&] {
    const OpenFile file(AT_FDCWD, change.path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK);
    if (!file.is_open()) return false;
    write_bytes(file.number(), change.old_bytes, change.offset);
    system_call(SYS_ftruncate, file.number(), static_cast<long>(change.old_size));
    return true;
  };
  if (put_back()) return;
  struct stat status;
  if (!look_at(AT_FDCWD, change.path, false, status) || !S_ISREG(status.st_mode)) return;
  set_mode(change.path, status.st_mode | S_IWUSR);
  put_back();
  set_mode(change.path, status.st_mode);
}

// The same again changes nothing: who undoes may be killed as well, and another one goes on.
void undo(FileChange& change) {
  switch (change.kind) {
    case ChangeKind::make:
      return remove_entry(change.path);
    case ChangeKind::add_name:
      return remove_entry(change.new_path);
    case ChangeKind::remove:
      return make_entry(change.path, change.before);
    case ChangeKind::rename:
      rename_back(change);
      return make_entry(change.new_path, change.before);
    case ChangeKind::exchange:
      return rename_back(change, RENAME_EXCHANGE);
    case ChangeKind::mode:
      return set_mode(change.path, change.before.mode);
    case ChangeKind::write:
    case ChangeKind::resize:
      return undo_contents(change);
  }
}

}  // namespace

void undo_all(DiskLog& log) {
  while (FileChange* last = log.last()) {
    undo(*last);
    log.remove(last);  // one by one: whoever takes over from a process that died here goes on
  }
  log.clear();
}

void undo_node(DiskLog& log, std::uint16_t node) {
  for (FileChange* change = log.last(); change != nullptr;) {
    FileChange* const before = change->previous;
    if (change->node == node) {
      undo(*change);
      log.remove(change);
    }
    change = before;
  }
}

}  // namespace ricercar::inline disk
