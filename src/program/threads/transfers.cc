#include "threads/transfers.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>

#include <algorithm>
#include <memory>
#include <string>

#include "disk/watch.h"
#include "threads/buffers.h"
#include "threads/descriptor.h"
#include "threads/execution.h"
#include "threads/kept_open.h"
#include "threads/memory/external_state.h"
#include "threads/memory/file_hooks.h"
#include "threads/memory/not_modelled.h"
#include "threads/memory/private_file.h"
#include "threads/memory/snapshot.h"
#include "threads/node_files.h"
#include "threads/node_sockets.h"
#include "threads/polling.h"
#include "threads/real.h"
#include "threads/sleep.h"
#include "threads/timer_descriptor.h"

namespace ricercar::inline threads {
namespace {

template <typename T>
long argument(T* pointer) {
  return reinterpret_cast<long>(pointer);
}

// What is left of a list of parts while a call that takes all of them is made piece by piece. A
// list that is longer than the limit is cut: a short count is then a valid result.
class Rest {
 public:
  static constexpr std::size_t limit = 64;

  Rest(const iovec* parts, std::size_t count) : count_(std::min(count, limit)) {
    std::copy(parts, parts + count_, parts_);
  }
  iovec* parts() { return parts_ + first_; }
  std::size_t count() const { return count_ - first_; }
  std::uint64_t size() const {
    std::uint64_t all = 0;
    for (std::size_t i = first_; i < count_; ++i) all += parts_[i].iov_len;
    return all;
  }
  // So many bytes, and no more.
  void cut_to(std::uint64_t size) {
    for (std::size_t i = first_; i < count_; ++i) {
      parts_[i].iov_len = std::min<std::uint64_t>(parts_[i].iov_len, size);
      size -= parts_[i].iov_len;
    }
  }
  // False: nothing is left.
  bool advance(std::size_t done) {
    while (first_ < count_ && done >= parts_[first_].iov_len) done -= parts_[first_++].iov_len;
    if (first_ == count_) return false;
    parts_[first_].iov_base = static_cast<char*>(parts_[first_].iov_base) + done;
    parts_[first_].iov_len -= done;
    return true;
  }

 private:
  iovec parts_[limit];
  std::size_t count_;
  std::size_t first_ = 0;
};

// Before a call that fills the parts. How much of them was filled is told afterwards.
void expect_writes(const iovec* parts, std::size_t count, std::uint64_t site) {
  for (std::size_t i = 0; i < count; ++i) {
    if (parts[i].iov_len == 0) continue;
    expect_live(parts[i].iov_base, true, site);
    snapshot_expect_write(parts[i].iov_base, parts[i].iov_len);
  }
}

long after_reading(const iovec* parts, std::size_t count, long result, std::uint64_t site) {
  if (result > 0) program_writes_parts(parts, count, static_cast<std::size_t>(result), site);
  return result;
}

// Half of what is written; one byte of what can be read, of which nobody knows how much it is.
void cut_writing(CallFault fault, Rest& rest) {
  if (fault == call_is_short) rest.cut_to(rest.size() / 2);
}
void cut_reading(CallFault fault, Rest& rest) {
  if (fault == call_is_short) rest.cut_to(1);
}

void* as_caller(std::uint64_t site) { return reinterpret_cast<void*>(site); }

void before_writing(const iovec* parts, std::size_t count, std::uint64_t site) {
  program_reads_parts(parts, count, ~std::size_t{0}, site);
}

bool waits_for_all(int number) {
  const Descriptor descriptor = describe(now_open(number));
  return descriptor.is_channel() && !descriptor.non_blocking;
}

// Makes `once` until nothing is left, it fails, or the other end has gone.
template <typename Once>
long make_fully(int number, Rest& rest, Once once) {
  long total = 0;
  for (;;) {
    const long done = once();
    if (done < 0) return total > 0 ? total : done;
    total += done;
    if (done == 0 || !rest.advance(static_cast<std::size_t>(done))) return total;
    if (!waits_for_all(number)) return total;
  }
}

bool is_stream(int socket) {
  int type = 0;
  socklen_t size = sizeof type;
  system_call(SYS_getsockopt, socket, SOL_SOCKET, SO_TYPE, argument(&type), argument(&size));
  return type == SOCK_STREAM;
}

// What became of a connection that was begun.
long connection_error(int socket) {
  int error = 0;
  socklen_t size = sizeof error;
  const long result =
      system_call(SYS_getsockopt, socket, SOL_SOCKET, SO_ERROR, argument(&error), argument(&size));
  return result < 0 ? result : -error;
}

// A socket of a node; null: the kernel's.
NodeSocket* node_socket(int number) {
  return has_network() ? program_state.sockets.find(now_open(number)) : nullptr;
}

NodeSockets& node_sockets() { return program_state.sockets; }

// The kernel knows no names there, and has said so in the message.
long read_at_node(int number, long result, int flags, msghdr* message = nullptr,
                  socklen_t name_room = 0, std::size_t control_room = 0) {
  NodeSocket* socket = node_socket(number);
  if (socket != nullptr && message != nullptr) message->msg_namelen = name_room;
  if (socket == nullptr) return result;
  const long read = node_sockets().was_read(*socket, result, flags, message, control_room);
  if (has_own_network()) channel_changed();  // a sender may have room again
  return read;
}

// As the kernel does: the process ends, unless it ignores or handles the signal.
void send_signal_of_pipe() {
  system_call(SYS_tgkill, system_call(SYS_getpid), system_call(SYS_gettid), SIGPIPE);
}

void name_outside(const char* call, std::uint64_t site) {
  not_modelled(("calls " + std::string(call) +
                "() with an address outside the cluster, which cannot be reached (ENETUNREACH)")
                   .c_str(),
               site);
}

void name_urgent(std::uint64_t site) {
  not_modelled("sends or asks for urgent data (MSG_OOB), which come as all other data", site);
}

// The socket may have moved while others ran: it is looked for again.
long send_from_node(const char* name, int number, const msghdr& message, int flags,
                    std::uint64_t site) {
  if ((flags & MSG_OOB) != 0) name_urgent(site);
  const Transfer how = {name, Direction::out, (flags & MSG_DONTWAIT) != 0, true};
  const long result = transfer(describe(now_open(number)), how, site, [&]() -> long {
    NodeSocket* socket = node_socket(number);
    if (socket == nullptr) return -EBADF;
    if (socket->is_full) return -EAGAIN;
    return node_sockets().send(*socket, now_open(number), message.msg_iov, message.msg_iovlen,
                               static_cast<const sockaddr*>(message.msg_name), message.msg_namelen);
  });
  if (result == -EPIPE && (flags & MSG_NOSIGNAL) == 0) send_signal_of_pipe();
  if (result == -ENETUNREACH && is_node()) name_outside(name, site);
  return result;
}

long connect_from_node(const Descriptor& descriptor, const sockaddr* address, socklen_t size,
                       std::uint64_t site) {
  const int number = descriptor.number;
  NodeSocket* socket = node_socket(number);
  if (socket == nullptr) return -EBADF;
  const long result = node_sockets().connect(*socket, number, address, size);
  channel_changed();
  if (result == -ENETUNREACH && is_node()) name_outside("connect", site);
  if (result != -EINPROGRESS || descriptor.non_blocking) return result;
  if (wait_for_events("connect", descriptor, POLLOUT, nullptr, site) == Readiness::interrupted) {
    return -EINTR;
  }
  acquired_through(descriptor);
  socket = node_socket(number);
  return socket == nullptr ? -EBADF : node_sockets().connection_result(*socket, now_open(number));
}

long accept_at_node(const char* name, int number, sockaddr* address, socklen_t* size, int flags,
                    std::uint64_t site) {
  const Transfer how = {name, Direction::in, false, true};
  return transfer(describe(now_open(number)), how, site, [&]() -> long {
    NodeSocket* listener = node_socket(number);
    if (listener == nullptr) return -EBADF;
    return node_sockets().accept(*listener, now_open(number), address, size, flags);
  });
}

bool cannot_read(int number) {
  const NodeSocket* socket = node_socket(number);
  return socket != nullptr && node_sockets().cannot_read(*socket);
}

long try_to_connect(const Descriptor& descriptor, const sockaddr* address, socklen_t size) {
  NonBlocking careful(descriptor);
  return system_call(SYS_connect, descriptor.number, argument(address), size);
}

}  // namespace

long read_from(const char* name, int number, Parts buffers, std::uint64_t site) {
  const WaitingCall whole_call;
  if (buffers.count < 0) return -EINVAL;
  if (cannot_read(number)) return -ENOTCONN;
  const auto count = static_cast<std::size_t>(buffers.count);
  expect_writes(buffers.parts, count, site);
  Rest rest(buffers.parts, count);
  cut_reading(fault_of_reading(name, number, rest.size(), site), rest);
  const FileStep file({name, FileEffect::writes, nullptr, number}, as_caller(site));
  // Like recv(), unless there is no room for anything.
  const bool is_socket = describe(number).kind == DescriptorKind::socket && rest.size() > 0;
  const Transfer how = {name, Direction::in, false, is_socket};
  const long result = transfer(describe(now_open(number)), how, site, [&] {
    if (is_socket) {
      msghdr message = {nullptr, 0, rest.parts(), rest.count(), nullptr, 0, 0};
      return system_call(SYS_recvmsg, now_open(number), argument(&message), MSG_DONTWAIT);
    }
    if (count == 1) {
      return system_call(SYS_read, now_open(number), argument(rest.parts()->iov_base),
                         static_cast<long>(rest.parts()->iov_len));
    }
    return system_call(SYS_readv, now_open(number), argument(rest.parts()),
                       static_cast<long>(rest.count()));
  });
  file.end_raw(result);
  return after_reading(buffers.parts, count, read_at_node(number, result, 0), site);
}

long write_to(const char* name, int number, Parts data, std::uint64_t site) {
  const WaitingCall whole_call;
  if (data.count < 0) return -EINVAL;
  before_writing(data.parts, static_cast<std::size_t>(data.count), site);
  Rest rest(data.parts, static_cast<std::size_t>(data.count));
  const CallFault fault = fault_of_writing(name, number, rest.size(), site);
  if (const long error = error_of(fault)) return error;
  cut_writing(fault, rest);
  if (node_socket(number) != nullptr) {
    const msghdr message = {nullptr, 0, rest.parts(), rest.count(), nullptr, 0, 0};
    return send_from_node(name, number, message, 0, site);
  }
  point_before_write(name, number, site);
  const FileStep file({name, FileEffect::writes, nullptr, number}, as_caller(site));
  return file.end_raw(make_fully(number, rest, [&] {
    return transfer(describe(now_open(number)), {name, Direction::out}, site, [&] {
      const int to = now_open(number);
      Writing noted(to, Writing::where_it_is, rest.size());
      if (rest.count() == 1) {
        return noted.done(system_call(SYS_write, to, argument(rest.parts()->iov_base),
                                      static_cast<long>(rest.parts()->iov_len)));
      }
      return noted.done(
          system_call(SYS_writev, to, argument(rest.parts()), static_cast<long>(rest.count())));
    });
  }));
}

long receive_from(const char* name, int socket, msghdr* message, int flags, std::uint64_t site) {
  const WaitingCall whole_call;
  expect_writes(message->msg_iov, message->msg_iovlen, site);
  if (cannot_read(socket)) return -ENOTCONN;
  if ((flags & MSG_OOB) != 0 && node_socket(socket) != nullptr) return name_urgent(site), -EINVAL;
  const socklen_t name_room = message->msg_namelen;
  const std::size_t control_room = message->msg_controllen;
  if (message->msg_controllen != 0) note_descriptors();  // a message may bring some
  const bool is_channel = describe(socket).is_channel();
  const Transfer how = {name, Direction::in, (flags & MSG_DONTWAIT) != 0, is_channel};
  const auto once = [&](msghdr* into) {
    const long result = transfer(describe(now_open(socket)), how, site, [&] {
      return system_call(SYS_recvmsg, now_open(socket), argument(into),
                         is_channel ? flags | MSG_DONTWAIT : flags);
    });
    return read_at_node(socket, result, flags, into, name_room, control_room);
  };
  const auto told = [&](long result) {
    return after_reading(message->msg_iov, message->msg_iovlen, result, site);
  };
  Rest rest(message->msg_iov, message->msg_iovlen);
  const auto once_into_rest = [&] {
    msghdr part = *message;
    part.msg_iov = rest.parts();
    part.msg_iovlen = rest.count();
    const long result = once(&part);
    part.msg_iov = message->msg_iov;
    part.msg_iovlen = message->msg_iovlen;
    *message = part;
    return result;
  };
  if ((flags & MSG_WAITALL) == 0 || how.non_blocking || !is_stream(socket)) {
    const CallFault fault = fault_of_reading(name, socket, rest.size(), site);
    cut_reading(fault, rest);
    return told(fault == call_is_short ? once_into_rest() : once(message));
  }
  return told(make_fully(socket, rest, once_into_rest));
}

long send_to(const char* name, int socket, const msghdr* message, int flags, std::uint64_t site) {
  const WaitingCall whole_call;
  const Transfer how = {name, Direction::out, (flags & MSG_DONTWAIT) != 0};
  before_writing(message->msg_iov, message->msg_iovlen, site);
  Rest rest(message->msg_iov, message->msg_iovlen);
  msghdr part = *message;
  const auto* to = static_cast<const sockaddr*>(message->msg_name);
  if (node_sockets().is_outside(socket, to, message->msg_namelen)) {
    node_sockets().leave_network(socket);
  }
  if (node_socket(socket) != nullptr) {
    cut_writing(fault_of_writing(name, socket, rest.size(), site), rest);
    part.msg_iov = rest.parts();
    part.msg_iovlen = rest.count();
    return send_from_node(name, socket, part, flags, site);
  }
  if (message->msg_controllen != 0 && is_node()) {
    not_modelled(
        "sends descriptors or the like through a Unix-domain socket: another node cannot use what "
        "leads to the network",
        site);
  }
  // Sockets that the message carries are open as long as it is on its way.
  if (message->msg_controllen != 0) used_past_hooks(-1);
  bool first = true;
  return make_fully(socket, rest, [&] {
    part.msg_iov = rest.parts();
    part.msg_iovlen = rest.count();
    if (!first) part.msg_controllen = 0;
    first = false;
    return transfer(describe(now_open(socket)), how, site, [&] {
      return system_call(SYS_sendmsg, now_open(socket), argument(&part), flags);
    });
  });
}

bool send_file(int socket, int file, long* offset, std::size_t size, std::uint64_t site,
               long& result) {
  if (node_socket(socket) == nullptr) return false;
  constexpr std::size_t most = 64 << 10;  // at a time
  const std::unique_ptr<char[]> bytes(new char[most]);
  long done = 0;
  while (static_cast<std::size_t>(done) < size) {
    const long at = offset != nullptr ? *offset : system_call(SYS_lseek, file, 0, SEEK_CUR);
    const long got = system_call(SYS_pread64, file, argument(bytes.get()),
                                 static_cast<long>(std::min(most, size - done)), at);
    iovec part = {bytes.get(), static_cast<std::size_t>(std::max(got, 0L))};
    const msghdr message = {nullptr, 0, &part, 1, nullptr, 0, 0};
    const long sent = got <= 0 ? got : send_from_node("sendfile", socket, message, 0, site);
    if (sent <= 0) {
      result = done > 0 ? done : sent;
      return true;
    }
    done += sent;
    if (offset != nullptr) {
      *offset = at + sent;
    } else {
      system_call(SYS_lseek, file, at + sent, SEEK_SET);
    }
  }
  result = done;
  return true;
}

// A time limit is looked at when a message has come, as the kernel does.
long receive_many(int socket, mmsghdr* messages, unsigned count, int flags, const timespec* limit,
                  std::uint64_t site) {
  const std::uint64_t begin = execution.clock.now();
  const TimeLimit until = TimeLimit::of(limit);
  for (unsigned i = 0; i < count; ++i) {
    const bool waits = i == 0 || (flags & MSG_WAITFORONE) == 0;
    const int how = (flags & ~MSG_WAITFORONE) | (waits ? 0 : MSG_DONTWAIT);
    const long size = receive_from("recvmmsg", socket, &messages[i].msg_hdr, how, site);
    if (size < 0) return i > 0 ? static_cast<long>(i) : size;
    program_writes(&messages[i].msg_len, sizeof messages[i].msg_len, site);
    messages[i].msg_len = static_cast<unsigned>(size);
    if (execution.clock.now() - begin >= until.nanoseconds()) return static_cast<long>(i + 1);
  }
  return static_cast<long>(count);
}

long send_many(int socket, mmsghdr* messages, unsigned count, int flags, std::uint64_t site) {
  for (unsigned i = 0; i < count; ++i) {
    const long size = send_to("sendmmsg", socket, &messages[i].msg_hdr, flags, site);
    if (size < 0) return i > 0 ? static_cast<long>(i) : size;
    program_writes(&messages[i].msg_len, sizeof messages[i].msg_len, site);
    messages[i].msg_len = static_cast<unsigned>(size);
  }
  return static_cast<long>(count);
}

long accept_from(const char* name, int socket, sockaddr* address, socklen_t* size, int flags,
                 std::uint64_t site) {
  const WaitingCall whole_call;
  note_descriptors();
  if (node_socket(socket) != nullptr) {
    return accept_at_node(name, socket, address, size, flags, site);
  }
  return transfer(describe(socket), {name, Direction::in}, site, [&] {
    return system_call(SYS_accept4, now_open(socket), argument(address), argument(size), flags);
  });
}

long connect_to(int socket, const sockaddr* address, socklen_t size, std::uint64_t site) {
  const WaitingCall whole_call;
  const Descriptor descriptor = describe(socket);
  if (!descriptor.is_channel()) {
    return system_call(SYS_connect, socket, argument(address), size);
  }
  announce(descriptor, site, "connect");
  released_through(descriptor);
  if (node_sockets().is_partner_outside(socket, address, size)) {
    node_sockets().leave_network(socket);
  }
  if (node_socket(socket) != nullptr) return connect_from_node(descriptor, address, size, site);
  must_be_alone_with(address, size);
  long result = try_to_connect(descriptor, address, size);
  // The listener's queue is full: no descriptor says when that changes.
  while (result == -EAGAIN && !descriptor.non_blocking) {
    give_way(site);
    result = try_to_connect(descriptor, address, size);
  }
  channel_changed();
  if (result != -EINPROGRESS || descriptor.non_blocking) return result;
  if (wait_for_events("connect", descriptor, POLLOUT, nullptr, site) == Readiness::interrupted) {
    return -EINTR;
  }
  return connection_error(now_open(socket));
}

long shut_down(int socket, int how, std::uint64_t site) {
  const Descriptor descriptor = describe(socket);
  announce(descriptor, site, "shutdown");
  released_through(descriptor);
  NodeSocket* own = node_socket(socket);
  const long result =
      own != nullptr ? node_sockets().shut_down(*own, how) : system_call(SYS_shutdown, socket, how);
  if (descriptor.is_channel()) channel_changed();
  return result;
}

long close_descriptor(int number, std::uint64_t site) {
  if (is_private_descriptor(number)) return -EBADF;
  note_descriptors();
  const Descriptor descriptor = describe(number);
  if (!descriptor.is_channel()) {
    const FileStep file({"close", FileEffect::changes, nullptr, number}, as_caller(site));
    const long closed = system_call(SYS_close, number);
    file_lock_changed();
    note_descriptors();
    return file.end_raw(closed);
  }
  announce(descriptor, site, "close");
  released_through(descriptor);
  descriptor_goes(number);
  const std::uint64_t inode = socket_inode(number);
  const long result = system_call(SYS_close, number);
  note_descriptors();
  timer_descriptor_closed(number);
  if (has_network()) node_sockets().look_for_closed(inode);
  channel_changed();
  return result;
}

}  // namespace ricercar::inline threads
