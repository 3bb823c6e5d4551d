// Sockets of a node: their addresses and options, as the program sees them.
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

#include <algorithm>
#include <cstring>

#include "threads/node_sockets.h"

namespace ricercar::inline threads {
namespace {

constexpr std::uint32_t nowhere = 0xffffffff;  // an address that no node has

// fd00:10:77::, in front of the number of a node, from 1 on.
constexpr unsigned char cluster_6[15] = {0xfd, 0, 0, 0x10, 0, 0x77};

// What stands for an address of version 6 is none of version 4.
std::uint32_t host_of_4(std::uint32_t host) { return is_version_6(host) ? nowhere : host; }

// Those of version 4 stand behind ::ffff.
std::uint32_t host_of_6(const in6_addr& address) {
  if (IN6_IS_ADDR_UNSPECIFIED(&address)) return any_host;
  if (IN6_IS_ADDR_LOOPBACK(&address)) return loopback_6;
  const std::uint32_t number = address.s6_addr[15];
  const bool is_of_cluster = std::memcmp(address.s6_addr, cluster_6, sizeof cluster_6) == 0;
  if (is_of_cluster && number >= 1 && number <= max_nodes) return host_6_of(number - 1);
  if (!IN6_IS_ADDR_V4MAPPED(&address)) return nowhere;
  std::uint32_t host = 0;
  std::memcpy(&host, address.s6_addr + 12, sizeof host);
  return host_of_4(ntohl(host));
}

in6_addr address_6(std::uint32_t host) {
  in6_addr address = {};
  if (host == loopback_6) address.s6_addr[15] = 1;
  if (host == any_host || host == loopback_6) return address;
  if (is_version_6(host)) {
    std::memcpy(address.s6_addr, cluster_6, sizeof cluster_6);
    address.s6_addr[15] = static_cast<unsigned char>(node_at(host) + 1);
    return address;
  }
  address.s6_addr[10] = address.s6_addr[11] = 0xff;
  const std::uint32_t wire = htonl(host);
  std::memcpy(address.s6_addr + 12, &wire, sizeof wire);
  return address;
}

template <typename Address>
void hand_out(const Address& from, sockaddr* to, socklen_t* size) {
  std::memcpy(to, &from, std::min<std::size_t>(*size, sizeof from));
  *size = sizeof from;
}

long hand_out_value(const void* from, std::size_t count, void* to, socklen_t* size) {
  std::memcpy(to, from, std::min<std::size_t>(*size, count));
  *size = std::min<socklen_t>(*size, static_cast<socklen_t>(count));
  return 0;
}

const KeptOption* kept(const NodeSocket& socket, int level, int name) {
  for (const KeptOption& each : socket.options) {
    if (each.level == level && each.name == name) return &each;
  }
  return nullptr;
}

bool is_buffer_size(int level, int name) {
  return level == SOL_SOCKET && (name == SO_SNDBUF || name == SO_RCVBUF);
}

// Of the options of a socket itself the kernel knows most.
bool is_kept(int level, int name) {
  return level != SOL_SOCKET || is_buffer_size(level, name) || name == SO_REUSEPORT;
}

// Options of another protocol: Linux refuses them.
bool is_foreign(int level, bool is_6, bool is_datagram) {
  return (level == IPPROTO_IPV6 && !is_6) || (level == IPPROTO_TCP && is_datagram) ||
         (level == IPPROTO_UDP && !is_datagram);
}

}  // namespace

bool read_address(bool is_6, const sockaddr* from, socklen_t size, SocketAddress& address) {
  if (from == nullptr || from->sa_family != (is_6 ? AF_INET6 : AF_INET)) return false;
  if (size < (is_6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in))) return false;
  if (is_6) {
    const auto* internet = reinterpret_cast<const sockaddr_in6*>(from);
    address = {host_of_6(internet->sin6_addr), ntohs(internet->sin6_port)};
  } else {
    const auto* internet = reinterpret_cast<const sockaddr_in*>(from);
    address = {host_of_4(ntohl(internet->sin_addr.s_addr)), ntohs(internet->sin_port)};
  }
  return true;
}

void write_address(bool is_6, SocketAddress address, sockaddr* to, socklen_t* size) {
  if (to == nullptr || size == nullptr) return;
  if (is_6) {
    sockaddr_in6 internet = {};
    internet.sin6_family = AF_INET6;
    internet.sin6_port = htons(address.port);
    internet.sin6_addr = address_6(address.host);
    return hand_out(internet, to, size);
  }
  sockaddr_in internet = {};
  internet.sin_family = AF_INET;
  internet.sin_port = htons(address.port);
  internet.sin_addr.s_addr = htonl(address.host);
  hand_out(internet, to, size);
}

namespace {

constexpr int number_of_lo = 1, number_of_eth0 = 2;

// An address of the node, of the version of its sender's.
std::uint32_t destination_for(std::uint32_t sender) {
  if (is_loopback(sender)) return is_version_6(sender) ? loopback_6 : loopback;
  return is_version_6(sender) ? host_6_of(number_of_node()) : host_of(number_of_node());
}

bool is_on(const NodeSocket& socket, int level, int name) {
  const KeptOption* option = kept(socket, level, name);
  return option != nullptr && std::any_of(option->value.begin(), option->value.end(),
                                          [](unsigned char byte) { return byte != 0; });
}

template <typename Value>
void add_control(msghdr& message, std::size_t room, int level, int type, const Value& value) {
  const std::size_t used = CMSG_ALIGN(message.msg_controllen);
  if (used + CMSG_LEN(sizeof value) > room) {
    message.msg_flags |= MSG_CTRUNC;
    return;
  }
  auto* header = reinterpret_cast<cmsghdr*>(static_cast<char*>(message.msg_control) + used);
  header->cmsg_len = CMSG_LEN(sizeof value);
  header->cmsg_level = level;
  header->cmsg_type = type;
  std::memcpy(CMSG_DATA(header), &value, sizeof value);
  message.msg_controllen = std::min(room, used + CMSG_SPACE(sizeof value));
}

}  // namespace

void write_destination(const NodeSocket& socket, SocketAddress sender, msghdr& message,
                       std::size_t room) {
  if (sender.port == 0 || message.msg_control == nullptr) return;
  const std::uint32_t host = destination_for(sender.host);
  const int interface = is_loopback(host) ? number_of_lo : number_of_eth0;
  if (is_on(socket, IPPROTO_IP, IP_PKTINFO) && !is_version_6(host)) {
    const in_addr address = {htonl(host)};
    add_control(message, room, IPPROTO_IP, IP_PKTINFO, in_pktinfo{interface, address, address});
  }
  if (is_on(socket, IPPROTO_IPV6, IPV6_RECVPKTINFO)) {
    const in6_pktinfo about = {address_6(host), static_cast<unsigned>(interface)};
    add_control(message, room, IPPROTO_IPV6, IPV6_PKTINFO, about);
  }
}

long NodeSockets::option(NodeSocket& socket, int number, int level, int name, void* value,
                         socklen_t* size) {
  const Endpoint& endpoint = cluster_memory().network[socket.endpoint];
  if (is_foreign(level, socket.is_6, endpoint.is_datagram)) return -ENOPROTOOPT;
  int answer = 0;
  if (level == SOL_SOCKET && name == SO_ERROR) {
    answer = take_error(socket, number);
  } else if (level == SOL_SOCKET && name == SO_TYPE) {
    answer = endpoint.is_datagram ? SOCK_DGRAM : SOCK_STREAM;
  } else if (level == SOL_SOCKET && name == SO_DOMAIN) {
    answer = socket.is_6 ? AF_INET6 : AF_INET;
  } else if (level == SOL_SOCKET && name == SO_PROTOCOL) {
    answer = endpoint.is_datagram ? IPPROTO_UDP : IPPROTO_TCP;
  } else if (level == SOL_SOCKET && name == SO_ACCEPTCONN) {
    answer = endpoint.state == EndpointState::listening ? 1 : 0;
  } else if (const KeptOption* own = kept(socket, level, name)) {
    return hand_out_value(own->value.data(), own->value.size(), value, size);
  } else if (is_buffer_size(level, name)) {
    answer = static_cast<int>(Network::room);
  } else if (level == IPPROTO_TCP && name == TCP_INFO) {
    tcp_info info = {};
    const bool is_connected = endpoint.state == EndpointState::connected;
    info.tcpi_state = is_connected ? TCP_ESTABLISHED : TCP_CLOSE;
    return hand_out_value(&info, sizeof info, value, size);
  } else if (!is_kept(level, name)) {
    return 1;
  }
  return hand_out_value(&answer, sizeof answer, value, size);
}

// Time limits are the kernel's as well: it is asked for them when somebody waits. The kernel takes
// twice what is asked for as the size of a buffer, and says so.
long NodeSockets::set_option(NodeSocket& socket, int level, int name, const void* value,
                             socklen_t size) {
  if (value == nullptr) return -EFAULT;
  Endpoint& endpoint = cluster_memory().network[socket.endpoint];
  if (is_foreign(level, socket.is_6, endpoint.is_datagram)) return -ENOPROTOOPT;
  if (level == SOL_SOCKET && name == SO_LINGER && size >= sizeof(linger)) {
    linger how;
    std::memcpy(&how, value, sizeof how);
    endpoint.is_abrupt = how.l_onoff != 0 && how.l_linger == 0;
  }
  const bool is_time_limit = level == SOL_SOCKET && (name == SO_RCVTIMEO || name == SO_SNDTIMEO);
  if (!is_kept(level, name) && !is_time_limit) return 1;
  const auto* bytes = static_cast<const unsigned char*>(value);
  KeptOption option = {level, name, {bytes, bytes + size}};
  int number = 0;
  if (size >= sizeof number) std::memcpy(&number, value, sizeof number);
  if (is_buffer_size(level, name) && size >= sizeof number) {
    number *= 2;
    std::memcpy(option.value.data(), &number, sizeof number);
  }
  if (level == IPPROTO_IPV6 && name == IPV6_V6ONLY) {
    endpoint.takes_4 = number == 0;
  }
  std::erase_if(socket.options,
                [&](const KeptOption& each) { return each.level == level && each.name == name; });
  socket.options.push_back(std::move(option));
  return is_time_limit ? 1 : 0;
}

long NodeSockets::local_name(const NodeSocket& socket, sockaddr* address, socklen_t* size) const {
  write_address(socket.is_6, cluster_memory().network[socket.endpoint].local, address, size);
  return 0;
}

long NodeSockets::peer_name(const NodeSocket& socket, sockaddr* address, socklen_t* size) const {
  const Endpoint& endpoint = cluster_memory().network[socket.endpoint];
  const bool is_connected = endpoint.is_datagram || endpoint.state == EndpointState::connected;
  if (endpoint.remote.port == 0 || !is_connected) return -ENOTCONN;
  write_address(socket.is_6, endpoint.remote, address, size);
  return 0;
}

}  // namespace ricercar::inline threads
