// Around a call that may change files: each of these looks before the call and puts into the log
// what it would change; `done` adds what is known only then, or takes it out if nothing has
// changed. They do nothing while no log is kept.
//
// Only regular files, folders, links, and pipes and sockets with names are put back; not what the
// standard streams of the process lead to, the kernel's own files, and the counts that compilers'
// coverage leaves.
#pragma once

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

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

// The call makes `path`: mkdir, mkfifo, symlink, bind of a Unix-domain socket.
class Making {
 public:
  Making(int folder, const char* path);
  // mkstemp(), mkdtemp(): the call chooses the name. What it makes is forgotten if the process is
  // killed right behind it.
  static Making of_some_name(const char* pattern) { return {AT_FDCWD, pattern, nullptr}; }
  template <typename Result>
  Result done(Result result) {
    if (log_ != nullptr) note(result >= 0);
    return result;
  }
  char* done(char* path) {
    if (log_ != nullptr) note(path != nullptr);
    return path;
  }

 private:
  Making(int folder, const char* path, FileChange* change)
      : log_(changes_log), folder_(folder), path_(path), change_(change) {}
  void note(bool is_made);

  DiskLog* log_;
  int folder_;
  const char* path_;
  FileChange* change_;
};

// link().
class AddingName {
 public:
  AddingName(int folder, const char* path, int new_folder, const char* new_path);
  int done(int result);

 private:
  DiskLog* log_;
  FileChange* change_ = nullptr;
};

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
  void begin_to_make(int folder, const char* path);
  void begin_to_empty(int folder, const char* path, std::uint64_t size);
  void note(int number);

  DiskLog* log_;
  bool may_make_ = false;
  bool has_no_name_ = false;
  bool truncates_ = false;
  bool is_kept_ = true;
  FileChange* change_ = nullptr;
};

// unlink(), rmdir().
class Removing {
 public:
  Removing(int folder, const char* path);
  int done(int result);

 private:
  DiskLog* log_;
  FileChange* change_ = nullptr;
  KnownFile* file_ = nullptr;
};

class Renaming {
 public:
  Renaming(int folder, const char* path, int new_folder, const char* new_path, unsigned flags = 0);
  int done(int result);

 private:
  DiskLog* log_;
  FileChange* change_ = nullptr;
  KnownFile* replaced_ = nullptr;
};

// chmod().
class ChangingMode {
 public:
  ChangingMode(int folder, const char* path);
  explicit ChangingMode(int number);
  int done(int result);

 private:
  void begin(const char* path, const struct stat& status);

  DiskLog* log_;
  FileChange* change_ = nullptr;
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
  FileChange* change_ = nullptr;
};

// A file becomes shorter or longer.
class Resizing {
 public:
  Resizing(int number, std::int64_t size) { begin(number, size); }
  Resizing(const char* path, std::int64_t size);
  int done(int result);
  // What is in the log now; null: nothing.
  FileChange* note(bool is_done);

 private:
  void begin(int number, std::int64_t size);

  FileChange* change_ = nullptr;
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

}  // namespace ricercar::inline disk
