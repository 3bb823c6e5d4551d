#include "threads/node_sockets.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "threads/descriptor.h"
#include "threads/execution.h"
#include "threads/memory/external_state.h"
#include "threads/memory/not_modelled.h"
#include "threads/real.h"

namespace ricercar::inline threads {
namespace {

constexpr std::size_t largest_packet = 64 << 10;

// Hidden ends are far from the numbers that the program gets.
int first_hidden() {
  constexpr rlim_t wanted = 512;
  rlimit limit = {};
  system_call(SYS_getrlimit, RLIMIT_NOFILE, reinterpret_cast<long>(&limit));
  return static_cast<int>(std::min(wanted, limit.rlim_cur / 2));
}

template <typename T>
long argument(T* pointer) {
  return reinterpret_cast<long>(pointer);
}

// A stream has no sender for each message.
void write_sender(bool is_6, SocketAddress sender, msghdr& message) {
  if (sender.port == 0 || message.msg_name == nullptr) {
    message.msg_namelen = 0;
    return;
  }
  write_address(is_6, sender, static_cast<sockaddr*>(message.msg_name), &message.msg_namelen);
}

// Nothing more can be sent until somebody reads the other end.
void fill(int number) {
  static const char nothing[4096] = {};
  const int small = 1;
  system_call(SYS_setsockopt, number, SOL_SOCKET, SO_SNDBUF, argument(&small), sizeof small);
  while (system_call(SYS_sendto, number, argument(nothing), sizeof nothing,
                     MSG_DONTWAIT | MSG_NOSIGNAL) > 0) {
  }
}

// A descriptor of the socket; negative: the program has closed all of them.
int descriptor_of(const NodeSocket& socket) {
  if (socket_inode(socket.number) == socket.inode) return socket.number;
  if (!socket.is_copied && !socket.passes_hooks) return -1;
  for (int number = 0, end = first_hidden(); number < end; ++number) {
    struct stat status = {};
    if (system_call(SYS_fstat, number, argument(&status)) != 0) continue;
    if ((status.st_mode & S_IFMT) == S_IFSOCK && status.st_ino == socket.inode) return number;
  }
  return -1;
}

bool is_time_limit(const KeptOption& option) {
  return option.level == SOL_SOCKET && (option.name == SO_RCVTIMEO || option.name == SO_SNDTIMEO);
}

// A connection has the options of the socket that listened.
void inherit(NodeSocket& socket, int number, const std::vector<KeptOption>& options) {
  socket.options = options;
  for (const KeptOption& each : options) {
    if (!is_time_limit(each)) continue;
    system_call(SYS_setsockopt, number, each.level, each.name, argument(each.value.data()),
                static_cast<long>(each.value.size()));
  }
}

void drain(int hidden) {
  char nothing[8192];
  while (system_call(SYS_recvfrom, hidden, argument(nothing), sizeof nothing, MSG_DONTWAIT) > 0) {
  }
}

}  // namespace

NodeSocket* NodeSockets::find(int number) {
  if (sockets_.empty()) return nullptr;
  const std::uint64_t inode = socket_inode(number);
  if (inode == 0) return nullptr;
  const auto found = std::find_if(sockets_.begin(), sockets_.end(),
                                  [&](const NodeSocket& each) { return each.inode == inode; });
  return found == sockets_.end() ? nullptr : &*found;
}

// --- Opening ---

long NodeSockets::open(int family, int type, int protocol) {
  const int kind = type & ~(SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (kind != SOCK_STREAM && kind != SOCK_DGRAM) return -EPROTONOSUPPORT;
  if (protocol != 0 && protocol != (kind == SOCK_STREAM ? IPPROTO_TCP : IPPROTO_UDP)) {
    return -EPROTONOSUPPORT;
  }
  const EndpointId endpoint = network_now().open(number_of_node(), kind == SOCK_DGRAM);
  if (endpoint == no_endpoint) return -ENFILE;
  network_now()[endpoint].takes_6 = family == AF_INET6;
  return add(endpoint, type, family == AF_INET6);
}

// Packets keep their boundaries, as datagrams do, and the other end is told of the last close.
// The number of the program's end; the other one is `socket.hidden`.
long NodeSockets::make_pair(NodeSocket& socket, int flags) {
  const int kind = network_now()[socket.endpoint].is_datagram ? SOCK_SEQPACKET : SOCK_STREAM;
  int ends[2];
  const long made = system_call(SYS_socketpair, AF_UNIX,
                                kind | (flags & (SOCK_NONBLOCK | SOCK_CLOEXEC)), 0, argument(ends));
  if (made < 0) return made;
  note_descriptors();
  const long hidden = system_call(SYS_fcntl, ends[1], F_DUPFD_CLOEXEC, first_hidden());
  system_call(SYS_close, ends[1]);
  struct stat status = {};
  if (hidden < 0 || system_call(SYS_fstat, ends[0], argument(&status)) != 0) {
    system_call(SYS_close, ends[0]);
    return -EMFILE;
  }
  socket.inode = status.st_ino;
  socket.number = ends[0];
  socket.readable = 0;
  socket.passes_hooks |= all_pass_hooks_ || ends[0] <= STDERR_FILENO;
  socket.hidden = static_cast<int>(hidden);
  return ends[0];
}

long NodeSockets::add(EndpointId endpoint, int flags, bool is_6) {
  NodeSocket socket;
  socket.is_6 = is_6;
  socket.endpoint = endpoint;
  const long number = make_pair(socket, flags);
  if (number >= 0) sockets_.push_back(std::move(socket));
  return number;
}

// A connection that has failed has told the program so; another one begins as if it were new.
bool NodeSockets::renew(NodeSocket& socket, int number) {
  const long status = system_call(SYS_fcntl, number, F_GETFL);
  const int old_hidden = socket.hidden;
  const long other = make_pair(socket, (status & O_NONBLOCK) != 0 ? SOCK_NONBLOCK : 0);
  if (other < 0) return false;
  const long flags = system_call(SYS_fcntl, number, F_GETFD);
  system_call(SYS_dup3, other, number, (flags & FD_CLOEXEC) != 0 ? O_CLOEXEC : 0);
  system_call(SYS_close, other);
  note_descriptors();
  if (old_hidden >= 0) system_call(SYS_close, old_hidden);
  socket.number = number;
  socket.is_full = socket.has_ended = socket.is_hung = false;
  return true;
}

long NodeSockets::bind(NodeSocket& socket, const sockaddr* address, socklen_t size) {
  SocketAddress wanted;
  if (!read_address(socket.is_6, address, size, wanted)) return -EINVAL;
  return -network_now().bind(socket.endpoint, as_own_address(wanted));
}

long NodeSockets::listen(NodeSocket& socket, int number, int backlog) {
  const int error =
      network_now().listen(socket.endpoint, static_cast<std::uint32_t>(std::max(backlog, 0)));
  if (error == 0 && !std::exchange(socket.is_full, true)) fill(number);
  return -error;
}

long NodeSockets::accept(NodeSocket& listener, int number, sockaddr* address, socklen_t* size,
                         int flags) {
  if (network_now()[listener.endpoint].state != EndpointState::listening) return -EINVAL;
  const EndpointId endpoint = network_now().accept(listener.endpoint);
  if (endpoint == no_endpoint) return -EAGAIN;
  char byte;
  system_call(SYS_recvfrom, number, argument(&byte), 1, MSG_DONTWAIT);
  --listener.announced;
  const bool is_6 = listener.is_6;
  const std::vector<KeptOption> inherited = listener.options;
  const long result = add(endpoint, flags, is_6);
  if (result < 0) {
    network_now().close(endpoint);
    return result;
  }
  write_address(is_6, network_now()[endpoint].remote, address, size);
  inherit(sockets_.back(), static_cast<int>(result), inherited);
  show_arrived(sockets_.back());
  return result;
}

long NodeSockets::connect(NodeSocket& socket, int number, const sockaddr* address, socklen_t size) {
  SocketAddress to;
  if (!read_address(socket.is_6, address, size, to)) return -EAFNOSUPPORT;
  if (network_now()[socket.endpoint].state == EndpointState::failed && !renew(socket, number)) {
    return -EMFILE;
  }
  if (socket.is_6 && to.host == any_host) to.host = loopback_6;
  const int error = network_now().connect(socket.endpoint, as_own_address(to));
  if (error == EINPROGRESS && !std::exchange(socket.is_full, true)) fill(number);
  return -error;
}

// The kernel has one as well, for poll.
int NodeSockets::take_error(NodeSocket& socket, int number) {
  int kernels = 0;
  socklen_t size = sizeof kernels;
  hide_error(socket, number);
  if (socket.is_hung) {
    system_call(SYS_getsockopt, number, SOL_SOCKET, SO_ERROR, argument(&kernels), argument(&size));
  }
  return std::exchange(network_now()[socket.endpoint].error, 0);
}

long NodeSockets::connection_result(NodeSocket& socket, int number) {
  return -take_error(socket, number);
}

// --- Sending and reading ---

long NodeSockets::send(NodeSocket& socket, int number, const iovec* parts, std::size_t count,
                       const sockaddr* to, socklen_t size) {
  SocketAddress address;
  if (to != nullptr && !read_address(socket.is_6, to, size, address)) return -EAFNOSUPPORT;
  if (to != nullptr && socket.is_6 && address.host == any_host) address.host = loopback_6;
  send_written(socket);
  std::vector<std::span<const unsigned char>> bytes;
  std::size_t total = 0;
  for (std::size_t i = 0; i < count; ++i) {
    bytes.emplace_back(static_cast<const unsigned char*>(parts[i].iov_base), parts[i].iov_len);
    total += parts[i].iov_len;
  }
  const int error = network_now().send(socket.endpoint, bytes, as_own_address(address));
  if (error == ECONNRESET || error == ECONNREFUSED) take_error(socket, number);
  if (error != 0) return -error;
  if (!network_now().has_room(socket.endpoint) && !std::exchange(socket.is_full, true))
    fill(number);
  return static_cast<long>(total);
}

// Who listens is shown a byte for each connection that waits.
bool NodeSockets::is_ready(const NodeSocket& socket, short events) const {
  const bool can_read = socket.readable > 0 || socket.announced > 0 || !socket.senders.empty();
  if (socket.is_hung) return true;
  if ((events & POLLIN) != 0 && (can_read || socket.has_ended)) return true;
  return (events & POLLOUT) != 0 && !socket.is_full;
}

bool NodeSockets::cannot_read(const NodeSocket& socket) const {
  const Endpoint& endpoint = network_now()[socket.endpoint];
  return !endpoint.is_datagram &&
         (endpoint.state == EndpointState::fresh || endpoint.state == EndpointState::listening);
}

long NodeSockets::was_read(NodeSocket& socket, long result, int flags, msghdr* message,
                           std::size_t control_room) {
  Endpoint& endpoint = network_now()[socket.endpoint];
  // Something has read it that no hook has seen.
  if (result == -EAGAIN && is_ready(socket, POLLIN)) socket.passes_hooks = true;
  const bool has_failed =
      !endpoint.is_datagram && (result == 0 || (result == -ECONNRESET && socket.is_hung));
  if (has_failed && endpoint.error != 0) return -std::exchange(endpoint.error, 0);
  if (has_failed) return 0;
  if (result < 0) return result;
  const bool is_peek = (flags & MSG_PEEK) != 0;
  SocketAddress sender;
  if (endpoint.is_datagram && !socket.senders.empty()) {
    sender = socket.senders.front();
    const bool is_error = sender.port == 0;
    if (is_error && is_peek) return -take_error(socket, descriptor_of(socket));
    if (!is_peek) socket.senders.erase(socket.senders.begin());
    if (is_error) socket.shows_error = false;
    if (is_error) return -std::exchange(endpoint.error, 0);
  }
  if (message != nullptr) {
    write_sender(socket.is_6, sender, *message);
    if (control_room != 0) write_destination(socket, sender, *message, control_room);
  }
  if (is_peek) return result;
  socket.readable -= std::min(socket.readable, static_cast<std::uint64_t>(result));
  network_now().was_read(socket.endpoint, static_cast<std::uint64_t>(result));
  show_arrived(socket);
  return result;
}

long NodeSockets::shut_down(NodeSocket& socket, int how) {
  const bool writes = how == SHUT_WR || how == SHUT_RDWR;
  const bool listens = network_now()[socket.endpoint].state == EndpointState::listening;
  send_written(socket);
  if (writes || listens) {
    if (const int error = network_now().shut_down(socket.endpoint); error != 0) return -error;
  }
  if (how == SHUT_RD || how == SHUT_RDWR || listens) {
    if (socket.hidden >= 0) system_call(SYS_shutdown, socket.hidden, SHUT_WR);
    socket.has_ended = true;
  }
  if (socket.has_ended && network_now()[socket.endpoint].was_shut) hang_up(socket);
  return 0;
}

// --- What arrives ---

void NodeSockets::look() {
  for (NodeSocket& socket : sockets_) {
    Endpoint& endpoint = network_now()[socket.endpoint];
    if (!std::exchange(endpoint.changed, false) || socket.hidden < 0) continue;
    for (; socket.announced < endpoint.waiting; ++socket.announced) {
      system_call(SYS_sendto, socket.hidden, argument("c"), 1, MSG_DONTWAIT | MSG_NOSIGNAL);
    }
    const bool may_send =
        endpoint.state == EndpointState::connected && network_now().has_room(socket.endpoint);
    if (may_send && std::exchange(socket.is_full, false)) drain(socket.hidden);
    show_arrived(socket);
  }
}

// What the kernel does not take now it takes when the program has read.
void NodeSockets::show_arrived(NodeSocket& socket) {
  if (socket.hidden < 0) return;
  Endpoint& endpoint = network_now()[socket.endpoint];
  while (const Message* front = endpoint.arrived.front()) {
    const long taken = system_call(SYS_sendto, socket.hidden, argument(front->bytes), front->size,
                                   MSG_DONTWAIT | MSG_NOSIGNAL);
    if (taken < 0) return;
    if (!endpoint.is_datagram) socket.readable += static_cast<std::uint64_t>(taken);
    if (taken < static_cast<long>(front->size)) {
      endpoint.arrived.shorten(static_cast<std::uint32_t>(taken));
      return;
    }
    if (endpoint.is_datagram) socket.senders.push_back(front->from);
    endpoint.arrived.pop();
  }
  show_error(socket);
  show_end(socket);
}

// A socket for datagrams goes on behind an error, which is read in its turn.
void NodeSockets::show_error(NodeSocket& socket) {
  const Endpoint& endpoint = network_now()[socket.endpoint];
  if (!endpoint.is_datagram || endpoint.error == 0 || socket.shows_error) return;
  const long sent =
      system_call(SYS_sendto, socket.hidden, argument(""), 0, MSG_DONTWAIT | MSG_NOSIGNAL);
  if (sent < 0) return;
  socket.senders.push_back({});
  socket.shows_error = true;
}

// The program has learned of it in another way: what stands around it is read and written again.
void NodeSockets::hide_error(NodeSocket& socket, int number) {
  if (!std::exchange(socket.shows_error, false)) return;
  std::vector<unsigned char> packet(largest_packet);
  for (const SocketAddress& sender : socket.senders) {
    const long size = system_call(SYS_recvfrom, number, argument(packet.data()),
                                  static_cast<long>(packet.size()), MSG_DONTWAIT);
    if (size < 0 || sender.port == 0) continue;
    system_call(SYS_sendto, socket.hidden, argument(packet.data()), size,
                MSG_DONTWAIT | MSG_NOSIGNAL);
  }
  std::erase_if(socket.senders, [](const SocketAddress& sender) { return sender.port == 0; });
}

void NodeSockets::show_end(NodeSocket& socket) {
  const Endpoint& endpoint = network_now()[socket.endpoint];
  if (endpoint.state == EndpointState::failed) return show_failure(socket);
  if (socket.has_ended || !endpoint.has_ended) return;
  socket.has_ended = true;
  // Never both directions: that they are both shut says that the program has closed its end.
  system_call(SYS_shutdown, socket.hidden, SHUT_WR);
  if (endpoint.was_shut) hang_up(socket);
}

// An end that is closed before all was read tells the other one of an error: then poll says so.
void NodeSockets::show_failure(NodeSocket& socket) {
  const int number = descriptor_of(socket);
  if (!std::exchange(socket.is_full, false) && number >= 0) {
    system_call(SYS_sendto, number, argument("x"), 1, MSG_DONTWAIT | MSG_NOSIGNAL);
  }
  system_call(SYS_close, std::exchange(socket.hidden, -1));
  socket.has_ended = socket.is_hung = true;
}

void NodeSockets::hang_up(NodeSocket& socket) {
  if (std::exchange(socket.is_hung, true) || socket.hidden < 0) return;
  system_call(SYS_shutdown, socket.hidden, SHUT_RDWR);
}

// --- Past the hooks ---

void NodeSockets::let_pass(int number) {
  if (number < 0) {
    all_pass_hooks_ = true;
    for (NodeSocket& socket : sockets_) socket.passes_hooks = true;
  } else if (NodeSocket* socket = find(number)) {
    socket->passes_hooks = true;
  }
}

// Streams of the C library lead to the first numbers.
void NodeSockets::note_copy(int number) {
  NodeSocket* socket = find(number);
  if (socket == nullptr) return;
  socket->is_copied = true;
  socket->passes_hooks |= number <= STDERR_FILENO;
}

// By the program, all of its descriptors.
bool NodeSockets::is_closed(const NodeSocket& socket) const {
  if (socket.is_hung || !(socket.is_copied || socket.passes_hooks))
    return descriptor_of(socket) < 0;
  pollfd entry = {socket.hidden, 0, 0};
  system_call(SYS_poll, argument(&entry), 1, 0);
  return (entry.revents & POLLHUP) != 0;
}

void NodeSockets::look_past_hooks() {
  for (NodeSocket& socket : sockets_) {
    const Endpoint& endpoint = network_now()[socket.endpoint];
    if (endpoint.state != EndpointState::connected && !endpoint.is_datagram) continue;
    if (socket.hidden < 0 || !socket.passes_hooks) continue;
    send_written(socket);
    int left = 1;
    if (endpoint.unread == 0 || !endpoint.arrived.empty() || is_closed(socket)) continue;
    system_call(SYS_ioctl, socket.hidden, SIOCOUTQ, argument(&left));
    if (left == 0) network_now().was_read(socket.endpoint);
  }
}

void NodeSockets::send_written(NodeSocket& socket) {
  unsigned char bytes[8192];
  while (socket.passes_hooks && !socket.is_full && socket.hidden >= 0) {
    const long size =
        system_call(SYS_recvfrom, socket.hidden, argument(bytes), sizeof bytes, MSG_DONTWAIT);
    if (size <= 0) return;
    const std::span<const unsigned char> part(bytes, static_cast<std::size_t>(size));
    if (network_now().send(socket.endpoint, std::span(&part, 1)) == 0) continue;
    not_modelled(
        "writes to a socket past Ricercar (stdio, splice) what cannot be sent: it is lost");
  }
}

// --- Closing ---

void NodeSockets::look_for_closed(std::uint64_t inode) {
  look_past_hooks();
  for (std::size_t i = 0; i < sockets_.size();) {
    const NodeSocket& socket = sockets_[i];
    const bool may_be = socket.passes_hooks || inode == any_socket || socket.inode == inode;
    if (!may_be || !is_closed(socket)) {
      ++i;
      continue;
    }
    network_now().close(sockets_[i].endpoint);
    if (sockets_[i].hidden >= 0) system_call(SYS_close, sockets_[i].hidden);
    sockets_.erase(sockets_.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

void NodeSockets::close_all() {
  look_past_hooks();
  for (const NodeSocket& socket : sockets_) network_now().close(socket.endpoint);
  sockets_.clear();
}

int replaced_descriptor(int result) {
  if (has_network() && execution.active()) {
    program_state.sockets.look_for_closed(NodeSockets::any_socket);
    program_state.sockets.deliver_at_once();
  }
  return result;
}

void copied_descriptor(int number) {
  if (has_network() && execution.active()) program_state.sockets.note_copy(number);
}

void used_past_hooks(int number) {
  if (has_network() && execution.active()) program_state.sockets.let_pass(number);
}

}  // namespace ricercar::inline threads
