// Around a call that may change files: each of these looks before the call, and `done` puts into
// the log what the call has changed, if it has changed something. They do nothing while no log is
// kept.
//
// Only regular files, folders, links, and pipes and sockets with names are put back; not what the
// standard streams of the process lead to, the kernel's own files, and the counts that compilers'
// coverage leaves.
#pragma once

#include <stdio.h>

#include <cstdint>

#include "disk/log.h"

namespace ricercar::inline disk {

// Where the changes of this process are kept; null: they are not.
extern DiskLog* changes_log;

// Told what cannot be put back, as "the program ...", and the file that is gone for good; null: a
// copy of it takes its place.
using LostChangeHandler = void (*)(const char* what, const char* path);
extern LostChangeHandler on_lost_change;

// Told of each file that a call has made: the kernel may have given it the number of one that is
// gone.
using NewFileHandler = void (*)(std::uint64_t device, std::uint64_t inode);
extern NewFileHandler on_new_file;

// From now on changes are kept there. What the standard streams lead to is left alone.
void keep_changes(DiskLog& log);

// The call made `path`: mkdir, mkfifo, symlink, bind of a Unix-domain socket.
template <typename Result>
Result made(int folder, const char* path, Result result);
// link().
int name_added(int folder, const char* path, int new_folder, const char* new_path, int result);

// open() and its relatives. `done` is given the descriptor.
class Opening {
 public:
  Opening(int folder, const char* path, int flags);
  // fopen().
  Opening(const char* path, const char* mode);
  int done(int number);
  FILE* done(FILE* stream);

 private:
  void begin(int folder, const char* path, int flags);
  void note(int number);

  DiskLog* log_;
  bool may_make_ = false;
  bool has_no_name_ = false;
  bool truncates_ = false;
  bool is_kept_ = true;
  std::uint64_t old_size_ = 0;
  Bytes old_bytes_;
};

// unlink(), rmdir().
class Removing {
 public:
  Removing(int folder, const char* path);
  int done(int result);

 private:
  DiskLog* log_;
  const char* path_ = nullptr;
  Entry before_;
  KnownFile* file_ = nullptr;
};

class Renaming {
 public:
  Renaming(int folder, const char* path, int new_folder, const char* new_path, unsigned flags = 0);
  int done(int result);

 private:
  DiskLog* log_;
  bool exchanges_;
  const char* path_ = nullptr;
  const char* new_path_ = nullptr;
  Entry before_;
  KnownFile* file_ = nullptr;
  KnownFile* replaced_ = nullptr;
};

// chmod().
class ChangingMode {
 public:
  ChangingMode(int folder, const char* path);
  explicit ChangingMode(int number);
  int done(int result);

 private:
  DiskLog* log_;
  const char* path_ = nullptr;
  std::uint32_t before_ = 0;
};

// Writing so many bytes at most, at a place or where the descriptor is.
class Writing {
 public:
  static constexpr std::int64_t where_it_is = -1;

  Writing(int number, std::int64_t offset, std::uint64_t size);
  // What was written, or negative.
  long done(long result);

 private:
  DiskLog* log_;
  int number_;
  const char* path_ = nullptr;
  KnownFile* file_ = nullptr;
  std::uint64_t offset_ = 0;
  std::uint64_t old_size_ = 0;
  Bytes old_bytes_;
  bool lasts_ = false;  // O_SYNC
};

// A file becomes shorter or longer.
class Resizing {
 public:
  Resizing(int number, std::int64_t size) { begin(number, size); }
  Resizing(const char* path, std::int64_t size);
  int done(int result);
  // What was put into the log; null: nothing.
  FileChange* note();

 private:
  void begin(int number, std::int64_t size);

  DiskLog* log_ = nullptr;
  const char* path_ = nullptr;
  KnownFile* file_ = nullptr;
  std::uint64_t old_size_ = 0;
  std::uint64_t offset_ = 0;
  Bytes old_bytes_;
};

// All of the contents may change: by memory, if it is mapped.
class ChangingAll {
 public:
  explicit ChangingAll(int number, bool is_mapped = false);
  int done(int result);
  // mmap().
  void mapped() { done(0); }

 private:
  Resizing contents_;
  int number_;
  bool is_mapped_;
};

// --- Behind the templates ---

void note_made(int folder, const char* path);

template <typename Result>
Result made(int folder, const char* path, Result result) {
  if (changes_log != nullptr && result >= 0) note_made(folder, path);
  return result;
}

}  // namespace ricercar::inline disk
