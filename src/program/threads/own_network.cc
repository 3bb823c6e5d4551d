// Sockets of a program that is no node. What they send to the machine itself goes through a network
// of the program's own, in which everything arrives at once: no other process can interfere, ports
// are the same in every execution, and nothing is left behind in the kernel. A socket that is used
// for another address becomes the kernel's.
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

#include "threads/execution.h"
#include "threads/memory/external_state.h"
#include "threads/memory/not_modelled.h"
#include "threads/node_sockets.h"
#include "threads/process.h"
#include "threads/real.h"

namespace ricercar::inline threads {
namespace {

constexpr std::size_t message_bytes = std::size_t{1} << 30;  // reserved, not used up
constexpr std::size_t table_bytes = std::size_t{1} << 20;
constexpr int most_descriptors = 512;  // that are looked at
constinit bool is_allowed = false;
constinit bool is_made = false;

template <typename T>
long argument(T* pointer) {
  return reinterpret_cast<long>(pointer);
}

// Of the memory of a cluster it needs the network alone.
bool make_network() {
  const std::size_t size = sizeof(ClusterMemory) + message_bytes;
  const long got = system_call(
      SYS_mmap, static_cast<long>(cluster_address), static_cast<long>(size), PROT_READ | PROT_WRITE,
      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE | MAP_NORESERVE, -1, 0);
  if (static_cast<std::uint64_t>(got) != cluster_address) return false;
  ClusterMemory& memory = cluster_memory();
  new (&memory.network) Network();
  memory.network.use(reinterpret_cast<unsigned char*>(&memory + 1), message_bytes);
  memory.network.begin_execution(0);
  use_network(memory);
  return true;
}

bool is_listening_at(int number, std::uint16_t port) {
  sockaddr_in6 address = {};
  socklen_t size = sizeof address;
  int listens = 0;
  socklen_t listens_size = sizeof listens;
  if (system_call(SYS_getsockopt, number, SOL_SOCKET, SO_ACCEPTCONN, argument(&listens),
                  argument(&listens_size)) != 0 ||
      listens == 0) {
    return false;
  }
  const bool is_named =
      system_call(SYS_getsockname, number, argument(&address), argument(&size)) == 0 &&
      (address.sin6_family == AF_INET || address.sin6_family == AF_INET6);
  return is_named && ntohs(address.sin6_port) == port;  // at the same place in both versions
}

// The program has it from before main, or from who started it.
bool has_kernel_listener(std::uint16_t port) {
  for (int number = 0; number < most_descriptors; ++number) {
    if (is_listening_at(number, port)) return true;
  }
  return false;
}

// Of one of the kernel's tables: whether somebody on this machine listens there.
bool lists_listener(const char* table, std::uint16_t port) {
  const std::unique_ptr<char[]> text(new char[table_bytes]);
  const long file = system_call(SYS_openat, AT_FDCWD, argument(table), O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  std::size_t size = 0;
  for (long got = 1; got > 0 && size + 1 < table_bytes; size += static_cast<std::size_t>(got)) {
    got = std::max(0L, system_call(SYS_read, file, argument(text.get() + size),
                                   static_cast<long>(table_bytes - 1 - size)));
  }
  system_call(SYS_close, file);
  text[size] = 0;
  char port_text[8];
  std::snprintf(port_text, sizeof port_text, ":%04X ", port);
  // A line is: number, own address and port, the other one's, and the state, 0A for listening.
  for (const char* at = text.get(); (at = std::strstr(at, port_text)) != nullptr; ++at) {
    const char* state = std::strchr(at + std::strlen(port_text), ' ');
    if (state != nullptr && std::strncmp(state, " 0A ", 4) == 0) return true;
  }
  return false;
}

// The program means somebody else, perhaps. Each port is looked up once.
void name_foreign_listener(std::uint16_t port) {
  static std::uint16_t last = 0;
  if (std::exchange(last, port) == port) return;
  if (!lists_listener("/proc/net/tcp", port) && !lists_listener("/proc/net/tcp6", port)) return;
  not_modelled(
      "connects to a port of this machine where another process listens, and nobody in the program "
      "does: it is refused, because other processes are not reached");
}

// Who may bind to it is at home there.
bool is_of_machine(std::uint32_t host) {
  const long number = system_call(SYS_socket, AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (number < 0) return false;
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(host);
  const bool is_own = system_call(SYS_bind, number, argument(&address), sizeof address) == 0;
  system_call(SYS_close, number);
  return is_own;
}

}  // namespace

SocketAddress as_own_address(SocketAddress address) {
  const bool is_plain = address.host == any_host || is_loopback(address.host);
  if (!has_own_network() || is_plain || !is_of_machine(address.host)) return address;
  return {loopback, address.port};
}

void allow_own_network() { is_allowed = true; }

bool has_network() { return is_node() || is_allowed; }

bool has_own_network() { return !is_node() && is_made; }

void NodeSockets::begin_execution() {
  sockets_.clear();
  all_pass_hooks_ = false;
  if (has_own_network()) cluster_memory().network.begin_execution(0);
}

bool NodeSockets::can_open(int type, int protocol) {
  if (is_node()) return true;
  if (!is_allowed) return false;
  const int kind = type & ~(SOCK_NONBLOCK | SOCK_CLOEXEC);
  const bool is_stream = kind == SOCK_STREAM && (protocol == 0 || protocol == IPPROTO_TCP);
  const bool is_datagram = kind == SOCK_DGRAM && (protocol == 0 || protocol == IPPROTO_UDP);
  if (!is_stream && !is_datagram) return false;
  if (!is_made) is_made = make_network();
  return is_made;
}

void NodeSockets::deliver_at_once() {
  if (sockets_.empty() || !has_own_network()) return;
  Network& network = cluster_memory().network;
  for (bool goes_on = true; goes_on;) {
    goes_on = false;
    for (LinkId id = 0; id < network.link_count(); ++id) {
      for (; network.can_deliver(id); goes_on = true) network.deliver(id);
    }
  }
  if (network.is_full()) {
    stop_search_now(
        "one execution has opened more sockets, or sent more through them, than there is room for");
  }
  network.take_changed_nodes();
  look();
}

void NodeSockets::look_for_written() {
  if (sockets_.empty() || !has_own_network()) return;
  look_past_hooks();
  deliver_at_once();
}

// The options that were kept have their meaning again.
bool NodeSockets::leave_network(int number) {
  NodeSocket* socket = has_own_network() ? find(number) : nullptr;
  if (socket == nullptr) return false;
  must_be_alone();
  const Endpoint& endpoint = cluster_memory().network[socket->endpoint];
  const long status = system_call(SYS_fcntl, number, F_GETFL);
  const long flags = system_call(SYS_fcntl, number, F_GETFD);
  const int kind = endpoint.is_datagram ? SOCK_DGRAM : SOCK_STREAM;
  const long other = system_call(SYS_socket, socket->is_6 ? AF_INET6 : AF_INET,
                                 kind | ((status & O_NONBLOCK) != 0 ? SOCK_NONBLOCK : 0), 0);
  if (other < 0) return false;
  for (const KeptOption& each : socket->options) {
    system_call(SYS_setsockopt, other, each.level, each.name, argument(each.value.data()),
                static_cast<long>(each.value.size()));
  }
  if (endpoint.has_port) {
    sockaddr_in6 address = {};
    socklen_t size = sizeof address;
    write_address(socket->is_6, endpoint.local, reinterpret_cast<sockaddr*>(&address), &size);
    system_call(SYS_bind, other, argument(&address), size);
  }
  system_call(SYS_dup3, other, number, (flags & FD_CLOEXEC) != 0 ? O_CLOEXEC : 0);
  system_call(SYS_close, other);
  note_descriptors();
  look_for_closed(any_socket);
  return true;
}

bool NodeSockets::is_outside(int number, const sockaddr* address, socklen_t size) {
  const NodeSocket* socket = has_own_network() ? find(number) : nullptr;
  SocketAddress to;
  if (socket == nullptr || !read_address(socket->is_6, address, size, to)) return false;
  to = as_own_address(to);
  return to.host != any_host && !is_loopback(to.host);
}

bool NodeSockets::is_partner_outside(int number, const sockaddr* address, socklen_t size) {
  const NodeSocket* socket = has_own_network() ? find(number) : nullptr;
  SocketAddress to;
  if (socket == nullptr || !read_address(socket->is_6, address, size, to)) return false;
  if (is_outside(number, address, size)) return true;
  const Network& network = cluster_memory().network;
  if (network[socket->endpoint].is_datagram || network.is_bound(0, as_own_address(to), false)) {
    return false;
  }
  if (has_kernel_listener(to.port)) return true;
  name_foreign_listener(to.port);
  return false;
}

}  // namespace ricercar::inline threads
