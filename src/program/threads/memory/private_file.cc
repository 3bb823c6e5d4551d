#include "threads/memory/private_file.h"

#include <fcntl.h>

#include <bitset>

#include "base/system_call.h"

namespace ricercar::inline threads {
namespace {

// Not higher than needed: the kernel copies the table of descriptors in each fork.
constexpr long lowest_number = 200;
constinit std::bitset<1024> private_numbers;

}  // namespace

long copy_to_high_number(long file) {
  const long copy = system_call(SYS_fcntl, file, F_DUPFD_CLOEXEC, lowest_number);
  if (copy >= static_cast<long>(private_numbers.size())) {
    system_call(SYS_close, copy);
    return -1;
  }
  if (copy >= 0) private_numbers[static_cast<std::size_t>(copy)] = true;
  return copy;
}

bool is_private_descriptor(long number) {
  const auto index = static_cast<std::size_t>(number);
  return index < private_numbers.size() && private_numbers[index];
}

bool PrivateFile::open() {
  if (file_ >= 0) system_call(SYS_close, file_);
  const long opened = system_call(SYS_openat, AT_FDCWD, as_argument(path_), O_RDONLY | O_CLOEXEC);
  if (opened < 0) return false;
  file_ = copy_to_high_number(opened);
  system_call(SYS_close, opened);
  process_ = system_call(SYS_getpid);
  return file_ >= 0;
}

long PrivateFile::read_at(void* to, std::size_t size, std::uint64_t offset) {
  const auto read = [&] {
    return system_call(SYS_pread64, file_, as_argument(to), static_cast<long>(size),
                       static_cast<long>(offset));
  };
  if (file_ >= 0 && process_ == system_call(SYS_getpid)) {
    const long result = read();
    if (result >= 0) return result;
  }
  return open() ? read() : -1;
}

}  // namespace ricercar::inline threads
