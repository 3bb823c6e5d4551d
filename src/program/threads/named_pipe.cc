// A pipe with a name: open() of one end waits until somebody has opened the other one.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/system_call.h"
#include "threads/attempted.h"
#include "threads/descriptor.h"
#include "threads/fiber.h"
#include "threads/memory/descriptors.h"
#include "threads/memory/file_hooks.h"
#include "threads/memory/not_modelled.h"
#include "threads/node_files.h"

namespace ricercar::inline threads {
namespace {

bool is_named_pipe(int folder, const char* path) {
  struct stat status = {};
  return system_call(SYS_newfstatat, folder, as_argument(path), as_argument(&status), 0) == 0 &&
         S_ISFIFO(status.st_mode);
}

// Whether somebody can write to it, or could and has closed it again. poll() does not tell an empty
// pipe that nobody has opened yet from one that has a writer; tee() does, and takes nothing out.
bool has_or_had_writer(int reader) {
  pollfd entry = {reader, POLLIN, 0};
  if (system_call(SYS_poll, as_argument(&entry), 1, 0) == 1) return true;
  int scratch[2];
  if (system_call(SYS_pipe2, as_argument(scratch), O_CLOEXEC) != 0) return true;
  const long seen = system_call(SYS_tee, reader, scratch[1], 1, SPLICE_F_NONBLOCK);
  system_call(SYS_close, scratch[0]);
  system_call(SYS_close, scratch[1]);
  return seen == -EAGAIN;
}

// The kernel lets one that does not wait read at once, but not write as long as nobody reads.
long open_to_write(int folder, const char* path, int flags, std::uint64_t site) {
  Attempted call = {
      [](const long* values) { return system_call(SYS_openat, values[0], values[1], values[2]); },
      {folder, as_argument(path), flags | O_NONBLOCK},
      -ENXIO};
  return make_attempted("open", call, site);
}

long open_to_read(int folder, const char* path, int flags, std::uint64_t site) {
  const long number = system_call(SYS_openat, folder, as_argument(path), flags | O_NONBLOCK);
  if (number < 0) return number;
  note_descriptors();
  channel_changed();  // who waits to write goes on
  Attempted wait = {[](const long* values) -> long {
                      return has_or_had_writer(static_cast<int>(values[0])) ? 1 : 0;
                    },
                    {number},
                    0};
  const long waited = make_attempted("open", wait, site);
  if (waited >= 0) return number;
  system_call(SYS_close, number);
  return waited;
}

}  // namespace

bool pipe_opened(int folder, const char* path, int flags, long& result, void* caller) {
  if (!controlled() || (flags & O_PATH) != 0 || !is_named_pipe(folder, path)) return false;
  must_be_alone_at(folder, path);
  const int way = flags & O_ACCMODE;
  if (way == O_RDWR || (flags & O_NONBLOCK) != 0) return false;
  note_kernel_meeting();
  const auto site = reinterpret_cast<std::uint64_t>(caller);
  result = way == O_WRONLY ? open_to_write(folder, path, flags, site)
                           : open_to_read(folder, path, flags, site);
  if (result >= 0) {
    const long now = system_call(SYS_fcntl, result, F_GETFL);
    system_call(SYS_fcntl, result, F_SETFL, now & ~static_cast<long>(O_NONBLOCK));
  }
  note_descriptors();
  return true;
}

}  // namespace ricercar::inline threads
