#include "disk/watch.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "base/system_call.h"
#include "disk/files.h"

namespace ricercar::inline disk {

constinit DiskLog* changes_log = nullptr;
constinit LostChangeHandler on_lost_change = nullptr;
constinit NewFileHandler on_new_file = nullptr;

namespace {

void lost(const char* what, const char* path) {
  if (on_lost_change != nullptr) on_lost_change(what, path);
}

void lost_contents(const char* path) {
  lost(
      "changes a file that cannot be read, or more of files than there is memory for: what is not "
      "kept is not put back when the next execution begins",
      path != nullptr ? path : "a file");
}

void tell_of_new_file(const struct stat& status) {
  if (on_new_file != nullptr) on_new_file(status.st_dev, status.st_ino);
}

// For a change that is put into the log when it was made, and so many bytes besides.
bool has_room(const DiskLog& log, std::uint64_t bytes = 0) {
  constexpr std::uint64_t for_change = 2 * sizeof(FileChange) + PATH_MAX;
  return log.room() >= for_change && log.room() - for_change >= bytes;
}

void lost_contents(DiskLog& log, int number) { lost_contents(path_of(log, number)); }

bool begins_with(const char* path, const char* start) {
  return std::strncmp(path, start, std::strlen(start)) == 0;
}

bool ends_with(const char* path, const char* end) {
  const std::size_t length = std::strlen(path), rest = std::strlen(end);
  return length >= rest && std::strcmp(path + length - rest, end) == 0;
}

// The kernel's, and what the compilers' counters leave, which is the sum of all executions.
bool is_outside(const char* path) {
  const bool is_device = begins_with(path, "/dev/") && !begins_with(path, "/dev/shm/");
  return is_device || begins_with(path, "/proc/") || begins_with(path, "/sys/") ||
         ends_with(path, ".gcda") || ends_with(path, ".profraw");
}

// Null: it is not put back.
const char* path_to_keep(DiskLog& log, int number) {
  const char* path = path_of(log, number);
  return path == nullptr || is_outside(path) || log.is_own_file(path) ? nullptr : path;
}

const char* path_to_keep(DiskLog& log, int folder, const char* path) {
  const char* whole = absolute_path(log, folder, path);
  return whole == nullptr || is_outside(whole) || log.is_own_file(whole) ? nullptr : whole;
}

KnownFile* know(DiskLog& log, const struct stat& status) {
  return log.know(status.st_dev, status.st_ino);
}

std::uint32_t number_of(const KnownFile* file) { return file == nullptr ? 0 : file->number; }

// What is lost with the last name of a file needs no place among the known ones.
void forget_if_last(KnownFile* file, bool was_last) {
  if (file != nullptr && was_last) file->is_gone = true;
}

bool is_name_of(const char* path, const char* but, const struct stat& file) {
  struct stat status;
  return path != nullptr && std::strcmp(path, but) != 0 && look_at(AT_FDCWD, path, false, status) &&
         status.st_dev == file.st_dev && status.st_ino == file.st_ino;
}

// Another name that the file has now, among those that the log knows.
const char* other_name(const DiskLog& log, const struct stat& file, const char* but) {
  for (const FileChange* change = log.last(); change != nullptr; change = change->previous) {
    for (const char* path : {change->path, change->new_path}) {
      if (is_name_of(path, but, file)) return path;
    }
  }
  return nullptr;
}

// In the log from now on. Null: there is no room.
FileChange* begin(DiskLog& log, ChangeKind kind, const char* path, const char* new_path = nullptr) {
  FileChange* change = log.prepare(kind);
  if (change == nullptr) return nullptr;
  change->path = path;
  change->new_path = new_path;
  log.add(change);
  return change;
}

// Nothing has changed.
void take_back(DiskLog& log, FileChange*& change) {
  if (change != nullptr) log.remove(change);
  change = nullptr;
}

// What is at a name before it goes.
struct Going {
  Entry entry;
  KnownFile* file = nullptr;
};

Going keep_what_goes(DiskLog& log, int folder, const char* name, const char* path) {
  Going going;
  struct stat status;
  if (!look_at(folder, name, false, status)) return going;
  const bool has_others = S_ISREG(status.st_mode) && status.st_nlink > 1;
  going.file = know(log, status);
  going.entry = keep_entry(log, folder, name);
  if (has_others) {
    going.entry.twin = other_name(log, status, path);
    if (going.entry.twin == nullptr) {
      lost("removes one of several names (hard links) of a file: a copy is put back in its place",
           nullptr);
    }
  }
  forget_if_last(going.file, !has_others);
  if (!going.entry.is_kept || !has_room(log)) lost_contents(path);
  return going;
}

}  // namespace

void keep_changes(DiskLog& log) {
  for (int number = 0; number <= 2; ++number) {
    struct stat status;
    if (look_at(number, status)) log.leave_alone(status.st_dev, status.st_ino);
  }
  changes_log = &log;
}

// --- Names ---

Making::Making(int folder, const char* path) : Making(folder, path, nullptr) {
  struct stat status;
  if (log_ == nullptr || path == nullptr || look_at(folder, path, false, status)) return;
  const char* whole = path_to_keep(*log_, folder, path);
  if (whole == nullptr) return;
  change_ = begin(*log_, ChangeKind::make, whole);
}

void Making::note(bool is_made) {
  if (!is_made) return take_back(*log_, change_);
  // The call has chosen the name, or somebody else has removed what was there.
  if (change_ == nullptr) {
    const char* whole = path_to_keep(*log_, folder_, path_);
    if (whole == nullptr) return;
    change_ = begin(*log_, ChangeKind::make, whole);
    if (change_ == nullptr) return lost_contents(whole);
  }
  struct stat status;
  if (!look_at(AT_FDCWD, change_->path, false, status)) return take_back(*log_, change_);
  tell_of_new_file(status);
  change_->after = keep_entry(*log_, AT_FDCWD, change_->path);
  KnownFile* file = know(*log_, status);
  change_->file = number_of(file);
  if (file != nullptr) file->is_new = true;
}

AddingName::AddingName(int folder, const char* path, int new_folder, const char* new_path)
    : log_(changes_log) {
  struct stat status;
  if (log_ == nullptr || path == nullptr || look_at(new_folder, new_path, false, status)) return;
  const char* old = path_to_keep(*log_, folder, path);
  const char* added = path_to_keep(*log_, new_folder, new_path);
  if (old != nullptr && added != nullptr) {
    change_ = begin(*log_, ChangeKind::add_name, old, added);
  }
}

int AddingName::done(int result) {
  if (change_ == nullptr) return result;
  struct stat status;
  if (result != 0 || !look_at(AT_FDCWD, change_->new_path, false, status)) {
    take_back(*log_, change_);
    return result;
  }
  change_->file = number_of(know(*log_, status));
  return result;
}

Opening::Opening(int folder, const char* path, int flags) : log_(changes_log) {
  if (log_ != nullptr && path != nullptr) begin(folder, path, flags);
}

Opening::Opening(const char* path, const char* mode) : log_(changes_log) {
  if (log_ == nullptr || path == nullptr || mode == nullptr || mode[0] == 'r') return;
  begin(AT_FDCWD, path, O_CREAT | (mode[0] == 'w' ? O_TRUNC : 0));
}

void Opening::begin(int folder, const char* path, int flags) {
  has_no_name_ = (flags & O_TMPFILE) == O_TMPFILE;
  if (has_no_name_ || (flags & (O_CREAT | O_TRUNC)) == 0) return;
  struct stat status;
  if (!look_at(folder, path, true, status)) {
    may_make_ = (flags & O_CREAT) != 0;
    if (may_make_) begin_to_make(folder, path);
    return;
  }
  const bool loses = (flags & O_TRUNC) != 0 && S_ISREG(status.st_mode) && status.st_size > 0;
  if (!loses || log_->is_left_alone(status.st_dev, status.st_ino)) return;
  const KnownFile* known = log_->find(status.st_dev, status.st_ino);
  truncates_ = true;
  if (known != nullptr && known->is_new && !log_->keeps_data) return;
  begin_to_empty(folder, path, static_cast<std::uint64_t>(status.st_size));
}

// A link that leads to nothing stays: what is made is elsewhere.
void Opening::begin_to_make(int folder, const char* path) {
  struct stat status;
  if (look_at(folder, path, false, status)) return;
  const char* whole = path_to_keep(*log_, folder, path);
  if (whole != nullptr) change_ = disk::begin(*log_, ChangeKind::make, whole);
}

void Opening::begin_to_empty(int folder, const char* path, std::uint64_t size) {
  const OpenFile file(folder, path, O_RDONLY | O_NONBLOCK);
  Bytes bytes;
  is_kept_ = file.is_open() && read_bytes(*log_, file.number(), 0, size, bytes);
  is_kept_ = is_kept_ && has_room(*log_);
  const bool will_open = system_call(SYS_faccessat, folder, as_argument(path), W_OK) == 0;
  if (!is_kept_ && will_open) {
    const char* whole = absolute_path(*log_, folder, path);
    return lost_contents(whole != nullptr ? whole : path);
  }
  const char* whole = is_kept_ ? path_to_keep(*log_, file.number()) : nullptr;
  FileChange* change = whole == nullptr ? nullptr : log_->prepare(ChangeKind::resize);
  if (change == nullptr) return;
  change->path = whole;
  change->old_size = size;
  change->old_bytes = bytes;
  log_->add(change_ = change);
}

int Opening::done(int number) {
  if (log_ == nullptr) return number;
  if (number < 0) {
    take_back(*log_, change_);
  } else if (may_make_ || has_no_name_ || truncates_) {
    note(number);
  }
  return number;
}

FILE* Opening::done(FILE* stream) {
  if (log_ != nullptr) done(stream == nullptr ? -1 : ::fileno_unlocked(stream));
  return stream;
}

void Opening::note(int number) {
  struct stat status;
  if (!look_at(number, status) || !S_ISREG(status.st_mode)) return take_back(*log_, change_);
  if (may_make_ || has_no_name_) tell_of_new_file(status);
  const char* path = path_to_keep(*log_, number);
  // What is not kept was told.
  if (has_no_name_ || path == nullptr || !is_kept_) return take_back(*log_, change_);
  KnownFile* file = know(*log_, status);
  if (change_ == nullptr) {
    change_ = disk::begin(*log_, may_make_ ? ChangeKind::make : ChangeKind::resize, path);
  }
  if (change_ == nullptr || file == nullptr) return lost_contents(path);
  change_->path = path;
  change_->file = file->number;
  if (!may_make_) return;
  file->is_new = true;
  change_->after.type = Entry::file;
  change_->after.mode = status.st_mode;
  change_->after.is_kept = true;
}

Removing::Removing(int folder, const char* path) : log_(changes_log) {
  if (log_ == nullptr || path == nullptr) return;
  struct stat status;
  if (!look_at(folder, path, false, status)) return;
  const char* whole = path_to_keep(*log_, folder, path);
  if (whole == nullptr) return;
  const Going going = keep_what_goes(*log_, folder, path, whole);
  file_ = going.file;
  FileChange* change = log_->prepare(ChangeKind::remove);
  if (change == nullptr) {
    lost_contents(whole);
    return;
  }
  change->path = whole;
  change->before = going.entry;
  change->file = number_of(file_);
  log_->add(change_ = change);
}

int Removing::done(int result) {
  if (result == 0) return result;
  if (file_ != nullptr) file_->is_gone = false;
  take_back(*log_, change_);
  return result;
}

Renaming::Renaming(int folder, const char* path, int new_folder, const char* new_path,
                   unsigned flags)
    : log_(changes_log) {
  struct stat from, to;
  if (log_ == nullptr || path == nullptr || !look_at(folder, path, false, from)) return;
  const bool exchanges = (flags & RENAME_EXCHANGE) != 0;
  const bool replaces = look_at(new_folder, new_path, false, to);
  const bool is_same = replaces && from.st_dev == to.st_dev && from.st_ino == to.st_ino;
  if (is_same && !exchanges) return;  // it does nothing
  const char* whole = path_to_keep(*log_, folder, path);
  const char* new_whole = path_to_keep(*log_, new_folder, new_path);
  if (whole == nullptr || new_whole == nullptr) return;
  KnownFile* file = know(*log_, from);
  Going going;
  if (replaces && !exchanges && (flags & RENAME_NOREPLACE) == 0) {
    going = keep_what_goes(*log_, new_folder, new_path, new_whole);
  }
  replaced_ = going.file;
  FileChange* change = log_->prepare(exchanges ? ChangeKind::exchange : ChangeKind::rename);
  if (change == nullptr) {
    lost_contents(whole);
    return;
  }
  change->path = whole;
  change->new_path = new_whole;
  change->before = going.entry;
  change->file = number_of(file);
  change->moved = {from.st_dev, from.st_ino};
  change->may_be_back = true;
  log_->add(change_ = change);
}

int Renaming::done(int result) {
  if (change_ != nullptr && result == 0) change_->may_be_back = false;
  if (result == 0) return result;
  if (replaced_ != nullptr) replaced_->is_gone = false;
  take_back(*log_, change_);
  return result;
}

ChangingMode::ChangingMode(int folder, const char* path) : log_(changes_log) {
  struct stat status;
  if (log_ == nullptr || path == nullptr || !look_at(folder, path, true, status)) return;
  const OpenFile file(folder, path, O_PATH);  // a link is followed
  if (file.is_open()) begin(path_to_keep(*log_, file.number()), status);
}

ChangingMode::ChangingMode(int number) : log_(changes_log) {
  struct stat status;
  if (log_ == nullptr || !look_at(number, status) || status.st_nlink == 0) return;
  if (log_->is_left_alone(status.st_dev, status.st_ino)) return;
  begin(path_to_keep(*log_, number), status);
}

void ChangingMode::begin(const char* path, const struct stat& status) {
  FileChange* change = path == nullptr ? nullptr : log_->prepare(ChangeKind::mode);
  if (change == nullptr) return;
  change->path = path;
  change->before.mode = status.st_mode;
  change->is_synced = true;
  log_->add(change_ = change);
}

int ChangingMode::done(int result) {
  if (change_ == nullptr) return result;
  struct stat status;
  if (result != 0 || !look_at(AT_FDCWD, change_->path, false, status)) {
    take_back(*log_, change_);
    return result;
  }
  change_->file = number_of(know(*log_, status));
  change_->after.mode = status.st_mode;
  return result;
}

// --- Contents ---

namespace {

// A regular file with a name, that is the program's own.
bool is_kept_file(const DiskLog& log, int number, struct stat& status) {
  return look_at(number, status) && S_ISREG(status.st_mode) && status.st_nlink > 0 &&
         !log.is_left_alone(status.st_dev, status.st_ino);
}

// What the file has there, even if the descriptor cannot read.
bool read_through(DiskLog& log, int number, std::uint64_t offset, std::uint64_t size, Bytes& into) {
  into = {};
  if (size == 0) return true;
  const long flags = system_call(SYS_fcntl, number, F_GETFL);
  if ((flags & O_ACCMODE) == O_RDWR) return read_bytes(log, number, offset, size, into);
  const OpenFile file(number, O_RDONLY | O_NONBLOCK);
  return file.is_open() && read_bytes(log, file.number(), offset, size, into);
}

// It ends with the execution, whatever is in it.
bool needs_no_undo(const DiskLog& log, const KnownFile* file) {
  return file != nullptr && file->is_new && !log.keeps_data;
}

std::uint64_t place_of_writing(int number, long flags, std::int64_t offset, std::uint64_t size) {
  if ((flags & O_APPEND) != 0) return size;
  if (offset >= 0) return static_cast<std::uint64_t>(offset);
  return static_cast<std::uint64_t>(std::max(0L, system_call(SYS_lseek, number, 0, SEEK_CUR)));
}

}  // namespace

Writing::Writing(int number, std::int64_t offset, std::uint64_t size)
    : log_(changes_log), number_(number) {
  struct stat status;
  if (log_ == nullptr || size == 0 || !is_kept_file(*log_, number, status)) return;
  const KnownFile* file = know(*log_, status);
  if (file == nullptr) lost_contents(*log_, number);
  if (file == nullptr || needs_no_undo(*log_, file)) return;
  const char* path = path_to_keep(*log_, number);
  if (path == nullptr) return;
  const auto old_size = static_cast<std::uint64_t>(status.st_size);
  const long flags = system_call(SYS_fcntl, number, F_GETFL);
  const std::uint64_t place = place_of_writing(number, flags, offset, old_size);
  const std::uint64_t end = std::min(old_size, place + size);
  Bytes old_bytes;
  const bool is_kept =
      read_through(*log_, number, place, end > place ? end - place : 0, old_bytes) &&
      has_room(*log_, log_->keeps_data ? size : 0);
  FileChange* change = is_kept ? log_->prepare(ChangeKind::write) : nullptr;
  if (change == nullptr) {
    lost_contents(path);
    return;
  }
  change->path = path;
  change->file = file->number;
  change->offset = place;
  change->old_size = old_size;
  change->old_bytes = old_bytes;
  change->is_synced = change->is_synced || (flags & O_DSYNC) != 0;
  log_->add(change_ = change);
}

long Writing::done(long result) {
  if (change_ == nullptr) return result;
  if (result <= 0) {
    take_back(*log_, change_);
    return result;
  }
  const auto written = static_cast<std::uint64_t>(result);
  change_->new_size = std::max(change_->old_size, change_->offset + written);
  if (log_->keeps_data &&
      !read_through(*log_, number_, change_->offset, written, change_->new_bytes)) {
    lost_contents(change_->path);
  }
  return result;
}

Resizing::Resizing(const char* path, std::int64_t size) {
  if (changes_log == nullptr || path == nullptr) return;
  const OpenFile file(AT_FDCWD, path, O_RDONLY | O_NONBLOCK);
  struct stat status;
  if (file.is_open()) {
    begin(file.number(), size);
  } else if (look_at(AT_FDCWD, path, true, status)) {
    lost_contents(path);
  }
}

void Resizing::begin(int number, std::int64_t size) {
  DiskLog* log = changes_log;
  struct stat status;
  if (log == nullptr || size < 0 || !is_kept_file(*log, number, status)) return;
  const KnownFile* file = know(*log, status);
  if (file == nullptr) return lost_contents(*log, number);
  if (needs_no_undo(*log, file)) return;
  const char* path = path_to_keep(*log, number);
  if (path == nullptr) return;
  const auto old_size = static_cast<std::uint64_t>(status.st_size);
  const std::uint64_t offset = std::min(old_size, static_cast<std::uint64_t>(size));
  Bytes old_bytes;
  const bool is_kept = read_through(*log, number, offset, old_size - offset, old_bytes) &&
                       has_room(*log, log->keeps_data ? old_size : 0);
  FileChange* change = is_kept ? log->prepare(ChangeKind::resize) : nullptr;
  if (change == nullptr) {
    lost_contents(path);
    return;
  }
  change->path = path;
  change->file = file->number;
  change->offset = offset;
  change->old_size = old_size;
  change->old_bytes = old_bytes;
  log->add(change_ = change);
}

int Resizing::done(int result) {
  note(result == 0);
  return result;
}

FileChange* Resizing::note(bool is_done) {
  if (change_ == nullptr) return nullptr;
  struct stat status;
  if (!is_done || !look_at(AT_FDCWD, change_->path, false, status)) {
    take_back(*changes_log, change_);
    return nullptr;
  }
  change_->new_size = static_cast<std::uint64_t>(status.st_size);
  return change_;
}

ChangingAll::ChangingAll(int number, bool is_mapped)
    : contents_(number, 0), number_(number), is_mapped_(is_mapped) {}

int ChangingAll::done(int result) {
  FileChange* change = contents_.note(result == 0);
  if (change == nullptr) return result;
  change->kind = ChangeKind::write;
  change->is_whole = true;
  change->is_synced = change->is_synced || is_mapped_;  // nobody knows when the kernel writes it
  change->is_mapped = is_mapped_;
  if (changes_log->keeps_data &&
      !read_through(*changes_log, number_, 0, change->new_size, change->new_bytes)) {
    lost_contents(change->path);
  }
  return result;
}

}  // namespace ricercar::inline disk
