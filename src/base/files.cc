#include "base/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/error.h"

namespace ricercar::inline base {
namespace {

[[noreturn]] void fail(const std::string& what, const std::string& path, int error,
                       const std::string& advice = {}) {
  throw UsageError(what + " " + quoted(path) + ": " + std::strerror(error) + advice);
}

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  int number() const { return number_; }

 private:
  int number_;
};

// 0, or the error that stopped it.
int write_all(int descriptor, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(descriptor, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

int write_new_file(const std::string& path, std::string_view content) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (file.number() < 0) return errno;
  if (const int error = write_all(file.number(), content)) return error;
  return ::fsync(file.number()) == 0 || errno == EINVAL ? 0 : errno;
}

// A device, a pipe or a terminal is written to, never replaced.
bool is_special(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
}

std::string temporary_name(const std::string& path) {
  return path + ".tmp" + std::to_string(::getpid());
}

}  // namespace

std::string read_file(const std::string& path, std::size_t limit) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.number() < 0) fail("cannot open", path, errno);
  std::string content;
  char buffer[65536];
  while (true) {
    const ssize_t got = ::read(file.number(), buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail("cannot read", path, errno);
    if (got == 0) return content;
    content.append(buffer, static_cast<std::size_t>(got));
    if (content.size() > limit) {
      throw UsageError(quoted(path) + " is larger than " + std::to_string(limit) +
                       " bytes: that is not a Ricercar file");
    }
  }
}

void write_file(const std::string& path, std::string_view content) {
  const bool in_place = is_special(path);
  const std::string temporary = in_place ? path : temporary_name(path);
  int error = write_new_file(temporary, content);
  if (error == 0 && !in_place && ::rename(temporary.c_str(), path.c_str()) != 0) error = errno;
  if (error == 0) return;
  if (!in_place) ::unlink(temporary.c_str());
  fail("cannot write", path, error, error == ENOSPC ? "; make room, or choose another folder" : "");
}

void make_folder(const std::string& path) {
  for (std::size_t end = path.find('/', 1); end != std::string::npos; end = path.find('/', end + 1))
    ::mkdir(path.substr(0, end).c_str(), 0777);
  const std::string advice = "; choose another folder with --out DIR";
  if (::mkdir(path.c_str(), 0777) != 0 && errno != EEXIST) {
    fail("cannot make the folder", path, errno, advice);
  }
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) {
    fail("cannot make the folder", path, ENOTDIR, advice);
  }
  if (::access(path.c_str(), W_OK | X_OK) != 0) fail("cannot write to", path, errno, advice);
}

}  // namespace ricercar::inline base
