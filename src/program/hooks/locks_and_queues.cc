// Hooks: locks of files and message queues, which the kernel keeps and may block on.
#include <fcntl.h>
#include <mqueue.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/syscall.h>

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

// A call of which nothing but an attempt can tell whether it would block. The attempt that the
// scheduler makes to find out is the call itself; what it gave is kept.
struct Attempted {
  long (*attempt)(const long* arguments);
  long arguments[5];
  long would_block;  // what the kernel returns then
  bool is_about_files = false;
  long result = 0;
  bool done = false;
  bool has_waited = false;

  bool make() {
    if (done) return true;
    if (is_about_files) note_file_lock();
    result = attempt(arguments);
    done = result != would_block;
    has_waited |= !done;
    return done;
  }
};

long make_attempted(const char* name, Attempted& call, std::uint64_t site) {
  const auto ready = [](void* state) { return static_cast<Attempted*>(state)->make(); };
  released_through(kernel_channel());
  const Readiness why = wait_until_ready({name, ready, &call, all_descriptors(), nullptr}, site);
  if (call.is_about_files && call.has_waited && is_node()) {
    not_modelled(
        "waits for a lock of a file: of several nodes that wait for one, the first in the cluster "
        "file gets it, and other orders are not searched",
        site);
  }
  if (why == Readiness::interrupted && !call.done) return -EINTR;
  acquired_through(kernel_channel());
  channel_changed();
  return call.result;
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
  if (!controlled() || !(is_of_open_file || (is_node() && is_of_process))) return false;
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
      -EAGAIN,
      true};
  result = as_result(make_attempted("fcntl", call, site));
  return true;
}

}  // namespace ricercar::inline threads

using namespace ricercar;

RICERCAR_HOOK int flock(int number, int operation) noexcept {
  if (!controlled()) return RICERCAR_BEHIND(flock)(number, operation);
  if ((operation & (LOCK_NB | LOCK_UN)) != 0) {
    return static_cast<int>(as_result(
        lock_at_once([&] { return system_call(SYS_flock, number, operation); }, RICERCAR_SITE())));
  }
  Attempted call = {
      [](const long* values) { return system_call(SYS_flock, values[0], values[1] | LOCK_NB); },
      {number, operation},
      -EWOULDBLOCK,
      true};
  return static_cast<int>(as_result(make_attempted("flock", call, RICERCAR_SITE())));
}

#define RICERCAR_LOCKF_HOOK(name, offset_type)                                    \
  RICERCAR_HOOK int name(int number, int command, offset_type size) {             \
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
