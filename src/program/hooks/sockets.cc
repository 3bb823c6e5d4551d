// Hooks: opening and naming sockets. In a node of a cluster they belong to the cluster's network;
// elsewhere they are the kernel's.
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "disk/watch.h"
#include "threads/descriptor.h"
#include "threads/hook.h"
#include "threads/memory/descriptors.h"
#include "threads/memory/external_state.h"
#include "threads/memory/not_modelled.h"
#include "threads/memory/real_function.h"
#include "threads/node_files.h"
#include "threads/node_sockets.h"

namespace ricercar::inline hooks {
namespace {

NodeSockets& sockets() { return program_state.sockets; }

// A socket that listens to a group of machines.
bool is_multicast(int level, int name) {
  return (level == IPPROTO_IP && (name == IP_ADD_MEMBERSHIP || name == MCAST_JOIN_GROUP)) ||
         (level == IPPROTO_IPV6 && (name == IPV6_JOIN_GROUP || name == MCAST_JOIN_GROUP));
}

bool is_internet(int family) { return family == AF_INET || family == AF_INET6; }

NodeSocket* own_socket(int number) {
  return controlled() && has_network() ? sockets().find(number) : nullptr;
}

// Other nodes can see what the call does, so they may come before it.
NodeSocket* own_socket_at(int number, const char* call, std::uint64_t site) {
  if (own_socket(number) == nullptr || !is_node()) return own_socket(number);
  announce(describe(number), site, call);
  return own_socket(number);
}

int to_int(long raw) { return static_cast<int>(as_result(raw)); }

// A Unix-domain socket has a file, unless its name is empty or begins with a zero.
template <typename Bind>
int bind_named(const sockaddr* address, socklen_t size, Bind bind) {
  constexpr std::size_t begin = offsetof(sockaddr_un, sun_path);
  char path[sizeof(sockaddr_un) + 1] = "";
  if (size <= begin || address->sa_family != AF_UNIX) return bind();
  std::memcpy(path, reinterpret_cast<const char*>(address) + begin,
              std::min<std::size_t>(size - begin, sizeof path - 1));
  if (path[0] == 0) return bind();
  Making noted(AT_FDCWD, path);
  return noted.done(bind());
}

}  // namespace
}  // namespace ricercar::inline hooks

using namespace ricercar;

RICERCAR_EXPORT int socket(int family, int type, int protocol) noexcept {
  if (controlled() && is_internet(family) && NodeSockets::can_open(type, protocol)) {
    return to_int(sockets().open(family, type, protocol));
  }
  if (tracking) note_descriptors();
  if (controlled() && family == AF_UNIX) {
    note_kernel_meeting();
  } else if (controlled() && is_node()) {
    not_modelled("opens a socket that is neither TCP nor UDP: what passes through it is not seen",
                 RICERCAR_SITE());
  }
  return RICERCAR_BEHIND(socket)(family, type, protocol);
}

RICERCAR_EXPORT int bind(int number, const sockaddr* address, socklen_t size) noexcept {
  if (controlled() && sockets().is_outside(number, address, size)) sockets().leave_network(number);
  if (NodeSocket* own = own_socket_at(number, "bind", RICERCAR_SITE())) {
    return to_int(sockets().bind(*own, address, size));
  }
  if (controlled()) must_be_alone_with(address, size);
  if (controlled() && is_node()) announce(describe(number), RICERCAR_SITE(), "bind");
  return bind_named(address, size, [&] { return RICERCAR_BEHIND(bind)(number, address, size); });
}

RICERCAR_EXPORT int listen(int number, int backlog) noexcept {
  if (NodeSocket* own = own_socket_at(number, "listen", RICERCAR_SITE())) {
    return to_int(sockets().listen(*own, number, backlog));
  }
  if (controlled() && is_node()) announce(describe(number), RICERCAR_SITE(), "listen");
  return RICERCAR_BEHIND(listen)(number, backlog);
}

RICERCAR_EXPORT int getsockname(int number, sockaddr* address, socklen_t* size) noexcept {
  if (const NodeSocket* own = own_socket(number)) {
    return to_int(sockets().local_name(*own, address, size));
  }
  return RICERCAR_BEHIND(getsockname)(number, address, size);
}

RICERCAR_EXPORT int getpeername(int number, sockaddr* address, socklen_t* size) noexcept {
  if (const NodeSocket* own = own_socket(number)) {
    return to_int(sockets().peer_name(*own, address, size));
  }
  return RICERCAR_BEHIND(getpeername)(number, address, size);
}

RICERCAR_EXPORT int getsockopt(int number, int level, int name, void* value,
                               socklen_t* size) noexcept {
  if (NodeSocket* own = own_socket(number)) {
    const long result = sockets().option(*own, number, level, name, value, size);
    if (result <= 0) return to_int(result);
  }
  if (controlled() && is_node() && level == SOL_SOCKET && name == SO_PEERCRED) {
    not_modelled(
        "asks for the process at the other end of a Unix-domain socket (SO_PEERCRED), whose number "
        "is another one in each run",
        RICERCAR_SITE());
  }
  return RICERCAR_BEHIND(getsockopt)(number, level, name, value, size);
}

RICERCAR_EXPORT int setsockopt(int number, int level, int name, const void* value,
                               socklen_t size) noexcept {
  if (controlled() && is_multicast(level, name)) sockets().leave_network(number);
  if (NodeSocket* own = own_socket(number)) {
    const long result = sockets().set_option(*own, level, name, value, size);
    if (result <= 0) return to_int(result);
  }
  if (tracking) note_descriptor_options();
  return RICERCAR_BEHIND(setsockopt)(number, level, name, value, size);
}
