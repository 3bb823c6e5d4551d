#include "disk/files.h"

#include <fcntl.h>
#include <limits.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "base/system_call.h"

namespace ricercar::inline disk {
namespace {

constexpr std::size_t link_name_size = 32;

void name_of_descriptor(int number, char (&name)[link_name_size]) {
  std::snprintf(name, sizeof name, "/proc/self/fd/%d", number);
}

// Where a link leads, in the log.
bool read_link(DiskLog& log, int folder, const char* path, Bytes& into) {
  if (log.room() < PATH_MAX) return false;
  char target[PATH_MAX];
  const long size =
      system_call(SYS_readlinkat, folder, as_argument(path), as_argument(target), PATH_MAX - 1);
  if (size < 0) return false;
  target[size] = 0;
  const char* kept = log.keep_text(target);
  if (kept == nullptr) return false;
  into = {reinterpret_cast<unsigned char*>(const_cast<char*>(kept)),
          static_cast<std::uint64_t>(size)};
  return true;
}

// Where the last name begins, and where it ends: slashes may follow.
struct LastName {
  std::size_t begin;
  std::size_t end;
};

LastName last_name(const char* path) {
  std::size_t end = std::strlen(path);
  while (end > 1 && path[end - 1] == '/') --end;
  std::size_t begin = end;
  while (begin > 0 && path[begin - 1] != '/') --begin;
  return {begin, end};
}

Entry::Type type_of(unsigned mode) {
  if (S_ISREG(mode)) return Entry::file;
  if (S_ISDIR(mode)) return Entry::folder;
  return S_ISLNK(mode) ? Entry::link : Entry::other;
}

}  // namespace

OpenFile::OpenFile(long folder, const char* path, int flags, unsigned mode)
    : number_(system_call(SYS_openat, folder, as_argument(path), flags | O_CLOEXEC, mode)) {}

OpenFile::OpenFile(int number, int flags) {
  char name[link_name_size];
  name_of_descriptor(number, name);
  number_ = system_call(SYS_openat, AT_FDCWD, as_argument(name), flags | O_CLOEXEC);
}

OpenFile::~OpenFile() {
  if (number_ >= 0) system_call(SYS_close, number_);
}

bool look_at(int number, struct stat& status) {
  return system_call(SYS_fstat, number, as_argument(&status)) == 0;
}

bool look_at(int folder, const char* path, bool follows_links, struct stat& status) {
  return path != nullptr &&
         system_call(SYS_newfstatat, folder, as_argument(path), as_argument(&status),
                     follows_links ? 0 : AT_SYMLINK_NOFOLLOW) == 0;
}

FileIdentity identity_of(const char* path) {
  struct stat status;
  if (!look_at(AT_FDCWD, path, false, status)) return {};
  return {status.st_dev, status.st_ino};
}

const char* path_of(DiskLog& log, int number) {
  char name[link_name_size];
  name_of_descriptor(number, name);
  Bytes path;
  return read_link(log, AT_FDCWD, name, path) ? reinterpret_cast<const char*>(path.data) : nullptr;
}

const char* absolute_path(DiskLog& log, int folder, const char* path) {
  const LastName last = last_name(path);
  char parent[PATH_MAX];
  if (last.begin >= sizeof parent) return nullptr;
  std::memcpy(parent, path, last.begin);
  parent[last.begin] = 0;
  const OpenFile opened(folder, last.begin == 0 ? "." : parent, O_PATH | O_DIRECTORY);
  if (!opened.is_open()) return nullptr;
  const char* at = path_of(log, opened.number());
  if (at == nullptr) return nullptr;
  const std::size_t length = std::strlen(at) == 1 ? 0 : std::strlen(at);  // "/"
  const std::size_t rest = last.end - last.begin;
  unsigned char* const whole = log.take(length + rest + 2);
  if (whole == nullptr) return nullptr;
  std::memcpy(whole, at, length);
  whole[length] = '/';
  std::memcpy(whole + length + 1, path + last.begin, rest);
  whole[length + 1 + rest] = 0;
  return reinterpret_cast<const char*>(whole);
}

bool read_bytes(DiskLog& log, int number, std::uint64_t offset, std::uint64_t size, Bytes& into) {
  into = {};
  if (size == 0) return true;
  unsigned char* const place = log.take(size);
  if (place == nullptr) return false;
  std::uint64_t done = 0;
  while (done < size) {
    const long got = system_call(SYS_pread64, number, as_argument(place + done),
                                 static_cast<long>(size - done), static_cast<long>(offset + done));
    if (got < 0) return false;
    if (got == 0) break;
    done += static_cast<std::uint64_t>(got);
  }
  into = {place, done};
  return true;
}

Entry keep_entry(DiskLog& log, int folder, const char* path) {
  Entry entry;
  struct stat status;
  if (!look_at(folder, path, false, status)) return entry;
  entry.type = type_of(status.st_mode);
  entry.mode = status.st_mode;
  if (entry.type == Entry::link) {
    entry.is_kept = read_link(log, folder, path, entry.bytes);
  } else if (entry.type == Entry::file) {
    const OpenFile file(folder, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    entry.is_kept =
        file.is_open() &&
        read_bytes(log, file.number(), 0, static_cast<std::uint64_t>(status.st_size), entry.bytes);
  } else {
    entry.is_kept =
        entry.type == Entry::folder || S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode);
  }
  return entry;
}

bool write_bytes(int number, const Bytes& bytes, std::uint64_t offset) {
  std::uint64_t done = 0;
  while (done < bytes.size) {
    const long written =
        system_call(SYS_pwrite64, number, as_argument(bytes.data + done),
                    static_cast<long>(bytes.size - done), static_cast<long>(offset + done));
    if (written <= 0) return false;
    done += static_cast<std::uint64_t>(written);
  }
  return true;
}

}  // namespace ricercar::inline disk
