#include "threads/memory/private_file.h"

#include <fcntl.h>
#include <sys/resource.h>

#include "threads/memory/system_call.h"

namespace ricercar {
namespace {

constexpr long private_count = 256;  // how many numbers below the limit are the runtime's

long descriptor_limit() {
  struct rlimit limit;
  if (system_call(SYS_getrlimit, RLIMIT_NOFILE, as_argument(&limit)) != 0) return 1024;
  constexpr rlim_t most = 1 << 20;
  return static_cast<long>(limit.rlim_cur < most ? limit.rlim_cur : most);
}

}  // namespace

long first_private_descriptor() {
  static const long first = [] {
    const long limit = descriptor_limit();
    return limit > 2 * private_count ? limit - private_count : limit / 2;
  }();
  return first;
}

long move_to_high_number(long file) {
  const long moved = system_call(SYS_fcntl, file, F_DUPFD_CLOEXEC, first_private_descriptor());
  if (moved < 0) return file;
  system_call(SYS_close, file);
  return moved;
}

bool PrivateFile::open() {
  const long opened = system_call(SYS_openat, AT_FDCWD, as_argument(path_), O_RDONLY | O_CLOEXEC);
  if (opened < 0) return false;
  file_ = move_to_high_number(opened);
  process_ = system_call(SYS_getpid);
  return true;
}

bool PrivateFile::read_at(void* to, std::size_t size, std::uint64_t offset) {
  const auto read = [&] {
    return system_call(SYS_pread64, file_, as_argument(to), static_cast<long>(size),
                       static_cast<long>(offset));
  };
  const auto wanted = static_cast<long>(size);
  if (file_ >= 0 && process_ == system_call(SYS_getpid) && read() == wanted) return true;
  return open() && read() == wanted;
}

}  // namespace ricercar
