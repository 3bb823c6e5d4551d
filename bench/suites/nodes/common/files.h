// Files that survive a crash, as the systems of this suite keep them.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace suite {

[[noreturn]] inline void file_failed(const std::string& what) {
  std::perror(what.c_str());
  std::exit(1);
}

inline void write_all(int file, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t size = ::write(file, text.data() + done, text.size() - done);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) file_failed("write");
    done += static_cast<std::size_t>(size);
  }
}

// After a crash either the old content is there or the new one.
inline void replace_file(const std::string& name, const std::string& text) {
  const std::string other = name + ".new";
  const int file = ::open(other.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0) file_failed(other);
  write_all(file, text);
  if (::fsync(file) != 0) file_failed("fsync");
  ::close(file);
  if (::rename(other.c_str(), name.c_str()) != 0) file_failed("rename");
  const int folder = ::open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0 || ::fsync(folder) != 0) file_failed("fsync of the folder");
  ::close(folder);
}

// Empty: there is none.
inline std::string content_of(const std::string& name) {
  const int file = ::open(name.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return "";
  std::string text;
  char bytes[4096];
  for (ssize_t size; (size = ::read(file, bytes, sizeof bytes)) > 0;) {
    text.append(bytes, static_cast<std::size_t>(size));
  }
  ::close(file);
  return text;
}

}  // namespace suite
