#include "threads/node_files.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cstring>
#include <utility>

#include "base/system_call.h"
#include "disk/watch.h"
#include "threads/descriptor.h"
#include "threads/execution.h"
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

long error_of(CallFault fault) {
  if (fault == call_fails) return -EIO;
  return fault == disk_is_full ? -ENOSPC : 0;
}

}  // namespace ricercar::inline threads
