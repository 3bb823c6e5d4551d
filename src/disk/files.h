// Files by direct system calls: past every hook, without the program's heap, and without errno.
#pragma once

#include <sys/stat.h>

#include <cstdint>

#include "disk/log.h"

namespace ricercar::inline disk {

// Closes itself.
class OpenFile {
 public:
  OpenFile(long folder, const char* path, int flags, unsigned mode = 0);
  // What another descriptor leads to, opened anew.
  OpenFile(int number, int flags);
  ~OpenFile();
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  bool is_open() const { return number_ >= 0; }
  int number() const { return static_cast<int>(number_); }

 private:
  long number_;
};

// False: there is none.
bool look_at(int number, struct stat& status);
bool look_at(int folder, const char* path, bool follows_links, struct stat& status);
// Of the name itself, if it is a link; nothing: there is none.
FileIdentity identity_of(const char* path);

// The rest of these keep what they find in the log. Null, or false: it cannot be read, or there is
// no room.

// Of what a descriptor leads to, which has a name.
const char* path_of(DiskLog& log, int number);
// Links are followed but for the last name.
const char* absolute_path(DiskLog& log, int folder, const char* path);
bool read_bytes(DiskLog& log, int number, std::uint64_t offset, std::uint64_t size, Bytes& into);
// What `path` is, with all its contents.
Entry keep_entry(DiskLog& log, int folder, const char* path);

bool write_bytes(int number, const Bytes& bytes, std::uint64_t offset);

}  // namespace ricercar::inline disk
