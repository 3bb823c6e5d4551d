#include "threads/node_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio_ext.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>

#include "base/system_call.h"
#include "disk/files.h"
#include "disk/watch.h"
#include "threads/descriptor.h"
#include "threads/execution.h"
#include "threads/memory/external_state.h"
#include "threads/memory/not_modelled.h"
#include "threads/node_sockets.h"

namespace ricercar::inline threads {
namespace {

constexpr int most_descriptors = 512;  // that locks are looked for at
constinit bool has_locked = false;     // in this execution

bool may_crash() { return is_node() && cluster_memory().may_crash; }
bool disk_may_fail() { return is_node() && cluster_memory().disk_faults > 0; }
bool may_be_short() { return is_node() && cluster_memory().short_transfers > 0; }

// The call is a point, at which the coordinator may decide for one of the `possible` faults.
CallFault fault_at_point(const char* call, std::uint8_t possible, std::uint64_t site) {
  if (possible == 0) return call_is_fine;
  NodeSlot& slot = slot_of_node();
  const std::uint32_t self = index(execution.self().id);
  slot.may_fail[self] = possible;
  announce(kernel_channel(), site, call);
  slot.may_fail[self] = 0;
  return static_cast<CallFault>(std::exchange(slot.fails[self], std::uint8_t{0}));
}

bool is_own_file(int number) {
  struct stat status;
  if (changes_log == nullptr) return false;
  return system_call(SYS_fstat, number, as_argument(&status)) == 0 && S_ISREG(status.st_mode) &&
         !changes_log->is_left_alone(status.st_dev, status.st_ino);
}

// What the C library has for a stream before it knows better.
std::size_t usual_room(int number) {
  struct stat status = {};
  const bool is_known = system_call(SYS_fstat, number, as_argument(&status)) == 0;
  return is_known && status.st_blksize > 0 ? static_cast<std::size_t>(status.st_blksize) : BUFSIZ;
}

// The C library writes once there is no room left in its buffer. Where that is not certain: no.
bool overflows(FILE* stream, std::size_t size) {
  constexpr int unbuffered = 2;  // _IO_UNBUFFERED
  if ((stream->_flags & unbuffered) != 0) return size > 0;
  const std::size_t known = ::__fbufsize(stream);
  return ::__fpending(stream) + size > (known != 0 ? known : usual_room(::fileno_unlocked(stream)));
}

bool is_stream_of_node(int number) {
  const NodeSocket* socket = program_state.sockets.find(number);
  return socket != nullptr && !cluster_memory().network[socket->endpoint].is_datagram;
}

}  // namespace

void point_before_sync(const char* call, std::uint64_t site) {
  if (may_crash()) announce(kernel_channel(), site, call);
}

void point_before_write(const char* call, int number, std::uint64_t site) {
  if (!may_crash()) return;
  const long flags = system_call(SYS_fcntl, number, F_GETFL);
  if (flags >= 0 && (flags & O_DSYNC) != 0) point_before_sync(call, site);
}

void forget_faults_of_node() {
  NodeSlot& slot = slot_of_node();
  std::memset(slot.may_fail, 0, sizeof slot.may_fail);
  std::memset(slot.fails, 0, sizeof slot.fails);
}

// --- Locks ---

void note_file_lock() {
  if (is_node()) has_locked = slot_of_node().has_locked_files = true;
}

void file_lock_changed() {
  if (!is_node() || !has_locked) return;
  slot_of_node().has_locked_files = true;
  cluster_memory().network.ask_all_to_look();
}

void release_file_locks() {
  if (!has_locked) return;
  struct flock64 all = {};
  all.l_type = F_UNLCK;
  for (int number = 0; number < most_descriptors; ++number) {
    if (system_call(SYS_flock, number, LOCK_UN) == -EBADF) continue;
    system_call(SYS_fcntl, number, F_SETLK, as_argument(&all));
    system_call(SYS_fcntl, number, F_OFD_SETLK, as_argument(&all));
  }
  file_lock_changed();
  has_locked = false;
}

// --- What the kernel keeps for several nodes ---

void note_kernel_meeting() {
  if (is_node()) slot_of_node().meets_in_kernel = true;
}

void kernel_meeting_changed() {
  if (!is_node() || !slot_of_node().meets_in_kernel) return;
  ClusterMemory& memory = cluster_memory();
  for (std::uint32_t i = 0; i < memory.node_count; ++i) {
    if (i != number_of_node() && memory.nodes[i].meets_in_kernel) memory.network.ask_to_look(i);
  }
}

void leave_kernel_meetings() {
  if (!slot_of_node().meets_in_kernel) return;
  external_state_restore();
  note_descriptors();
  kernel_meeting_changed();
  slot_of_node().meets_in_kernel = false;
}

// --- Where several search the cluster at a time ---

namespace {

bool is_in_copy(const char* path) {
  if (path == nullptr) return false;
  const std::size_t length = std::strlen(path);
  for (const char* folder = cluster_memory().copied_folders; *folder != 0;) {
    const char* end = std::strchr(folder, '\n');
    const auto size = static_cast<std::size_t>(end - folder);
    const bool is_inside =
        length > size && path[size] == '/' && std::strncmp(path, folder, size) == 0;
    if (is_inside || (length == size && std::strncmp(path, folder, size) == 0)) return true;
    folder = end + 1;
  }
  return false;
}

void allow_in_copies_only(const FileChange& change) {
  const bool is_allowed =
      is_in_copy(change.path) && (change.new_path == nullptr || is_in_copy(change.new_path));
  if (!is_allowed) leave_cluster_to_one();
}

bool is_one_of_several() {
  return is_node() && cluster_memory().is_one_of_several && changes_log != nullptr;
}

}  // namespace

void leave_cluster_to_one() {
  ClusterMemory& memory = cluster_memory();
  if (!memory.is_one_of_several) return;
  memory.must_be_alone = true;
  for (;;) system_call(SYS_pause);
}

void must_be_alone_at(int number) {
  const bool is_own = is_one_of_several() && is_in_copy(path_of(*changes_log, number));
  if (!is_own) must_be_alone();
}

// A link at the end is followed.
void must_be_alone_at(int folder, const char* path) {
  if (!is_one_of_several()) return must_be_alone();
  const OpenFile file(folder, path, O_PATH);
  const char* const whole = file.is_open() ? path_of(*changes_log, file.number())
                                           : absolute_path(*changes_log, folder, path);
  if (!is_in_copy(whole)) must_be_alone();
}

// A Unix-domain socket has a path, unless its name is empty or begins with a zero.
void must_be_alone_with(const sockaddr* address, socklen_t size) {
  constexpr std::size_t begin = offsetof(sockaddr_un, sun_path);
  char path[sizeof(sockaddr_un) + 1] = "";
  const bool has_path = address != nullptr && size > begin && address->sa_family == AF_UNIX;
  if (has_path) {
    std::memcpy(path, reinterpret_cast<const char*>(address) + begin,
                std::min<std::size_t>(size - begin, sizeof path - 1));
  }
  path[0] != 0 ? must_be_alone_at(AT_FDCWD, path) : must_be_alone();
}

void note_owner_seen(unsigned user, unsigned group) {
  constexpr unsigned nobody = 65534;  // /proc/sys/kernel/overflowuid
  if (user != nobody && group != nobody) return;
  if (is_one_of_several() && cluster_memory().hides_owners) must_be_alone();
}

void watch_changes_of_node() {
  if (cluster_memory().is_one_of_several) on_file_change = allow_in_copies_only;
}

CallFault fault_of_sync(const char* call, std::uint64_t site) {
  if (disk_may_fail()) return fault_at_point(call, call_fails, site);
  point_before_sync(call, site);
  return call_is_fine;
}

// A blocking stream takes all that is written to it.
CallFault fault_of_writing(const char* call, int number, std::size_t size, std::uint64_t site) {
  if (!disk_may_fail() && !may_be_short()) return call_is_fine;
  std::uint8_t possible = 0;
  const bool can_be_short = may_be_short() && size > 1;
  if (is_own_file(number)) {
    if (disk_may_fail()) possible |= call_fails | disk_is_full;
    if (can_be_short) possible |= call_is_short;
  } else if (can_be_short && is_stream_of_node(number) && describe(number).non_blocking) {
    possible |= call_is_short;
  }
  return fault_at_point(call, possible, site);
}

CallFault fault_of_reading(const char* call, int number, std::size_t size, std::uint64_t site) {
  if (!may_be_short() || size <= 1) return call_is_fine;
  const bool can_be_short = is_own_file(number) || is_stream_of_node(number);
  return fault_at_point(call, can_be_short ? call_is_short : call_is_fine, site);
}

bool stream_may_fail(FILE* stream) {
  if (!disk_may_fail() || stream == nullptr) return false;
  const int number = ::fileno_unlocked(stream);
  return number >= 0 && is_own_file(number);
}

FlushOfStream::FlushOfStream(const char* call, FILE* stream, std::uint64_t site) {
  if (stream_may_fail(stream) && ::__fpending(stream) != 0) begin(call, stream, site);
}

FlushOfStream::FlushOfStream(const char* call, FILE* stream, std::size_t size, std::uint64_t site) {
  if (stream_may_fail(stream) && overflows(stream, size)) begin(call, stream, site);
}

void FlushOfStream::begin(const char* call, FILE* stream, std::uint64_t site) {
  number_ = ::fileno_unlocked(stream);
  fault_ = fault_at_point(call, call_fails | disk_is_full, site);
  if (fault_ == call_is_fine) return;
  flags_ = static_cast<int>(system_call(SYS_fcntl, number_, F_GETFD));
  kept_ = static_cast<int>(system_call(SYS_fcntl, number_, F_DUPFD_CLOEXEC, most_descriptors));
  const long full =
      system_call(SYS_openat, AT_FDCWD, as_argument("/dev/full"), O_WRONLY | O_CLOEXEC);
  system_call(SYS_dup3, full, number_, O_CLOEXEC);
  system_call(SYS_close, full);
  note_descriptors();
}

int FlushOfStream::done(int result, bool is_closed) {
  if (kept_ < 0) return result;
  if (!is_closed) {
    system_call(SYS_dup3, kept_, number_, (flags_ & FD_CLOEXEC) != 0 ? O_CLOEXEC : 0);
  }
  system_call(SYS_close, kept_);
  note_descriptors();
  errno = static_cast<int>(-error_of(fault_));
  return result;
}

long error_of(CallFault fault) {
  if (fault == call_fails) return -EIO;
  return fault == disk_is_full ? -ENOSPC : 0;
}

}  // namespace ricercar::inline threads
