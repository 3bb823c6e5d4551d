// Hooks: locks of files and message queues, which the kernel keeps and may block on.
#include <fcntl.h>
#include <mqueue.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/syscall.h>

#include "threads/attempted.h"
#include "threads/descriptor.h"
#include "threads/hook.h"
#include "threads/memory/file_hooks.h"
#include "threads/memory/not_modelled.h"
#include "threads/memory/real_function.h"
#include "threads/node_files.h"
#include "threads/node_sockets.h"

namespace ricercar::inline hooks {
namespace {

template <typename T>
long argument(T* pointer) {
  return reinterpret_cast<long>(pointer);
}

constexpr timespec long_ago = {0, 0};

long make_with_lock(const char* name, Attempted& call, std::uint64_t site) {
  call.is_about_files = true;
  const long result = make_attempted(name, call, site);
  if (call.has_waited && is_node()) {
    not_modelled(
        "waits for a lock of a file: of several nodes that wait for one, the first in the cluster "
        "file gets it, and other orders are not searched",
        site);
  }
  return result;
}

// A call that does not wait, but shows whether others have locked, or lets them go on.
template <typename Call>
long make_at_once(Call call, std::uint64_t site) {
  announce(kernel_channel(), site);
  released_through(kernel_channel());
  const long result = call();
  if (result >= 0) acquired_through(kernel_channel());
  channel_changed();
  return result;
}

template <typename Call>
long lock_at_once(Call call, std::uint64_t site) {
  const long result = make_at_once(call, site);
  note_file_lock();
  file_lock_changed();
  return result;
}

// The kernel shows a message queue of POSIX as a file, but it can be polled.
Descriptor describe_queue(mqd_t queue) {
  Descriptor descriptor = describe(queue);
  descriptor.kind = DescriptorKind::other;
  descriptor.object = all_descriptors();
  return descriptor;
}

}  // namespace

}  // namespace ricercar::inline hooks

namespace ricercar::inline threads {

// Locks of the process (F_SETLK) never hold a thread of it up, but those of another node do. All
// threads meet in those of open files.
bool file_lock_call(int number, int command, void* lock, long& result, void* caller) {
  const bool is_of_process = command == F_SETLK || command == F_SETLKW;
  const bool is_of_open_file = command == F_OFD_SETLK || command == F_OFD_SETLKW;
  if (!controlled() || !(is_of_open_file || is_of_process)) return false;
  must_be_alone_at(number);
  if (!is_of_open_file && !is_node()) return false;
  const auto site = reinterpret_cast<std::uint64_t>(caller);
  const long at_once = is_of_process ? F_SETLK : F_OFD_SETLK;
  if (command == at_once || static_cast<const flock64*>(lock)->l_type == F_UNLCK) {
    result = as_result(lock_at_once(
        [&] { return system_call(SYS_fcntl, number, command, argument(lock)); }, site));
    return true;
  }
  Attempted call = {
      [](const long* values) { return system_call(SYS_fcntl, values[0], values[2], values[1]); },
      {number, argument(lock), at_once},
      -EAGAIN};
  result = as_result(make_with_lock("fcntl", call, site));
  return true;
}

}  // namespace ricercar::inline threads

using namespace ricercar;

RICERCAR_HOOK int flock(int number, int operation) noexcept {
  if (!controlled()) return RICERCAR_BEHIND(flock)(number, operation);
  must_be_alone_at(number);
  if ((operation & (LOCK_NB | LOCK_UN)) != 0) {
    return static_cast<int>(as_result(
        lock_at_once([&] { return system_call(SYS_flock, number, operation); }, RICERCAR_SITE())));
  }
  Attempted call = {
      [](const long* values) { return system_call(SYS_flock, values[0], values[1] | LOCK_NB); },
      {number, operation},
      -EWOULDBLOCK};
  return static_cast<int>(as_result(make_with_lock("flock", call, RICERCAR_SITE())));
}

#define RICERCAR_LOCKF_HOOK(name, offset_type)                                    \
  RICERCAR_HOOK int name(int number, int command, offset_type size) {             \
    if (controlled()) must_be_alone_at(number);                                   \
    if (!controlled() || !is_node() || command == F_TEST) {                       \
      return RICERCAR_BEHIND(name)(number, command, size);                        \
    }                                                                             \
    flock64 lock = {};                                                            \
    lock.l_type = command == F_ULOCK ? F_UNLCK : F_WRLCK;                         \
    lock.l_whence = SEEK_CUR;                                                     \
    lock.l_len = size;                                                            \
    long result = -1;                                                             \
    file_lock_call(number, command == F_LOCK ? F_SETLKW : F_SETLK, &lock, result, \
                   __builtin_return_address(0));                                  \
    return static_cast<int>(result);                                              \
  }
RICERCAR_LOCKF_HOOK(lockf, off_t)
RICERCAR_LOCKF_HOOK(lockf64, off64_t)

RICERCAR_HOOK ssize_t msgrcv(int queue, void* message, size_t size, long type, int flags) {
  if (!controlled() || (flags & IPC_NOWAIT) != 0) {
    return RICERCAR_BEHIND(msgrcv)(queue, message, size, type, flags);
  }
  Attempted call = {[](const long* values) {
                      return system_call(SYS_msgrcv, values[0], values[1], values[2], values[3],
                                         values[4] | IPC_NOWAIT);
                    },
                    {queue, argument(message), static_cast<long>(size), type, flags},
                    -ENOMSG};
  return as_result(make_attempted("msgrcv", call, RICERCAR_SITE()));
}
RICERCAR_HOOK int msgsnd(int queue, const void* message, size_t size, int flags) {
  if (!controlled() || (flags & IPC_NOWAIT) != 0) {
    return RICERCAR_BEHIND(msgsnd)(queue, message, size, flags);
  }
  Attempted call = {[](const long* values) {
                      return system_call(SYS_msgsnd, values[0], values[1], values[2],
                                         values[3] | IPC_NOWAIT);
                    },
                    {queue, argument(message), static_cast<long>(size), flags},
                    -EAGAIN};
  return static_cast<int>(as_result(make_attempted("msgsnd", call, RICERCAR_SITE())));
}

RICERCAR_HOOK ssize_t mq_receive(mqd_t queue, char* message, size_t size, unsigned* priority) {
  if (!controlled()) return RICERCAR_BEHIND(mq_receive)(queue, message, size, priority);
  return as_result(
      transfer(describe_queue(queue), {"mq_receive", Direction::in}, RICERCAR_SITE(), [&] {
        return system_call(SYS_mq_timedreceive, queue, argument(message), static_cast<long>(size),
                           argument(priority), 0);
      }));
}
RICERCAR_HOOK int mq_send(mqd_t queue, const char* message, size_t size, unsigned priority) {
  if (!controlled()) return RICERCAR_BEHIND(mq_send)(queue, message, size, priority);
  return static_cast<int>(
      as_result(transfer(describe_queue(queue), {"mq_send", Direction::out}, RICERCAR_SITE(), [&] {
        return system_call(SYS_mq_timedsend, queue, argument(message), static_cast<long>(size),
                           priority, 0);
      })));
}

// Both are told the time of day; in the past it is for the kernel, which then does not wait.
RICERCAR_HOOK ssize_t mq_timedreceive(mqd_t queue, char* message, size_t size, unsigned* priority,
                                      const timespec* time) {
  if (!controlled()) return RICERCAR_BEHIND(mq_timedreceive)(queue, message, size, priority, time);
  const std::uint64_t deadline = moment(CLOCK_REALTIME, time);
  Attempted call = {[](const long* values) {
                      return system_call(SYS_mq_timedreceive, values[0], values[1], values[2],
                                         values[3], argument(&long_ago));
                    },
                    {queue, argument(message), static_cast<long>(size), argument(priority)},
                    -ETIMEDOUT};
  return as_result(make_attempted("mq_timedreceive", call, RICERCAR_SITE(), &deadline));
}
RICERCAR_HOOK int mq_timedsend(mqd_t queue, const char* message, size_t size, unsigned priority,
                               const timespec* time) {
  if (!controlled()) return RICERCAR_BEHIND(mq_timedsend)(queue, message, size, priority, time);
  const std::uint64_t deadline = moment(CLOCK_REALTIME, time);
  Attempted call = {[](const long* values) {
                      return system_call(SYS_mq_timedsend, values[0], values[1], values[2],
                                         values[3], argument(&long_ago));
                    },
                    {queue, argument(message), static_cast<long>(size), priority},
                    -ETIMEDOUT};
  return static_cast<int>(
      as_result(make_attempted("mq_timedsend", call, RICERCAR_SITE(), &deadline)));
}
