// Hooks: names of hosts. In a node of a cluster they are the names of the nodes, which are known
// without asking anybody.
#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "threads/hook.h"
#include "threads/memory/not_modelled.h"
#include "threads/memory/real_function.h"
#include "threads/node_sockets.h"

namespace ricercar::inline hooks {
namespace {

bool names_nodes() { return controlled() && is_node(); }

void name_outside(const char* name, std::uint64_t site) {
  char what[400];
  std::snprintf(what, sizeof what,
                "asks for the address of a host that is not in the cluster ('%.255s')", name);
  not_modelled(what, site);
}

// 0: there is no such host. Numbers are names of themselves; those of version 6 the C library
// knows.
std::uint32_t host_named(const char* name) {
  in_addr number = {};
  if (inet_pton(AF_INET, name, &number) == 1) return ntohl(number.s_addr);
  const std::uint32_t host = host_by_name(name);
  if (host != 0) return host;
  return std::strcmp(name, "localhost") == 0 ? loopback : 0;
}

// The same for a call of the program's.
std::uint32_t host_asked_for(const char* name, std::uint64_t site) {
  const std::uint32_t host = host_named(name);
  if (host == 0) name_outside(name, site);
  return host;
}

struct NumberText {
  char text[INET6_ADDRSTRLEN] = "";
};

NumberText as_number(std::uint32_t host, bool is_6) {
  NumberText number;
  sockaddr_in6 address = {};
  socklen_t size = sizeof address;
  write_address(is_6, {host, 0}, reinterpret_cast<sockaddr*>(&address), &size);
  const auto* plain = reinterpret_cast<const sockaddr_in*>(&address);
  is_6 ? inet_ntop(AF_INET6, &address.sin6_addr, number.text, sizeof number.text)
       : inet_ntop(AF_INET, &plain->sin_addr, number.text, sizeof number.text);
  return number;
}

// The address of version 6 of the same host, if it has one that is the cluster's.
std::uint32_t host_of_version_6(std::uint32_t host) {
  if (host == loopback) return loopback_6;
  const char* name = name_by_host(host);
  return name != nullptr ? host_6_of(node_at(host)) : 0;
}

bool is_number(const char* name) {
  in_addr number = {};
  return inet_pton(AF_INET, name, &number) == 1;
}
bool is_number_of_version_6(const char* name) { return std::strchr(name, ':') != nullptr; }

// What gethostbyname returns is valid until it is called again.
struct HostEntry {
  hostent entry = {};
  char name[256] = "";
  char address[sizeof(in_addr)] = {};
  char* addresses[2] = {};
  char* aliases[1] = {};
};

hostent* fill(HostEntry& into, const char* name, std::uint32_t host) {
  std::snprintf(into.name, sizeof into.name, "%s", name);
  const std::uint32_t number = htonl(host);
  std::memcpy(into.address, &number, sizeof number);
  into.addresses[0] = into.address;
  into.addresses[1] = into.aliases[0] = nullptr;
  into.entry = {into.name, into.aliases, AF_INET, sizeof(in_addr), into.addresses};
  return &into.entry;
}

HostEntry last_entry;

}  // namespace
}  // namespace ricercar::inline hooks

using namespace ricercar;

RICERCAR_EXPORT int getaddrinfo(const char* name, const char* service, const addrinfo* hints,
                                addrinfo** list) {
  if (!controlled()) return RICERCAR_BEHIND(getaddrinfo)(name, service, hints, list);
  if (!is_node()) {
    not_modelled("calls getaddrinfo(): the memory that it reads or fills is not looked at",
                 RICERCAR_SITE());
    return RICERCAR_BEHIND(getaddrinfo)(name, service, hints, list);
  }
  addrinfo wanted = hints != nullptr ? *hints : addrinfo{};
  const bool is_mapped = (wanted.ai_flags & AI_V4MAPPED) != 0;
  const bool is_6 =
      wanted.ai_family == AF_INET6 ||
      (wanted.ai_family == AF_UNSPEC && name != nullptr && is_number_of_version_6(name));
  const bool is_number_wanted = (wanted.ai_flags & AI_NUMERICHOST) != 0;
  wanted.ai_family = is_6 ? AF_INET6 : AF_INET;
  const bool is_name_wanted = (wanted.ai_flags & AI_CANONNAME) != 0;
  wanted.ai_flags =
      (wanted.ai_flags | AI_NUMERICHOST) & ~(AI_ADDRCONFIG | AI_CANONNAME | AI_V4MAPPED | AI_ALL);
  NumberText number;
  const char* const asked = name;
  const std::uint32_t host = name != nullptr ? host_named(name) : 0;
  if (name == nullptr && is_name_wanted) return EAI_BADFLAGS;
  if (host != 0 && is_number_wanted && !is_number(name)) return EAI_NONAME;
  if (host != 0) {
    // A name has addresses of both versions; a number of version 4 has one of version 6 only if
    // that is asked for.
    const std::uint32_t host_6 = is_number(name) ? 0 : host_of_version_6(host);
    if (is_6 && host_6 == 0 && !is_mapped) return EAI_ADDRFAMILY;
    number = as_number(is_6 && host_6 != 0 ? host_6 : host, is_6);
    name = number.text;
  }
  const int result = RICERCAR_BEHIND(getaddrinfo)(name, service, &wanted, list);
  // Asked for a number, the C library would take that for the name. It gives back what is its own.
  if (result == 0 && is_name_wanted) (*list)->ai_canonname = RICERCAR_BEHIND(strdup)(asked);
  if (result == EAI_NONAME && host == 0 && name != nullptr) name_outside(name, RICERCAR_SITE());
  return result;
}

RICERCAR_EXPORT hostent* gethostbyname(const char* name) {
  if (!names_nodes()) return RICERCAR_BEHIND(gethostbyname)(name);
  const std::uint32_t host = host_asked_for(name, RICERCAR_SITE());
  if (host != 0) return fill(last_entry, name, host);
  h_errno = HOST_NOT_FOUND;
  return nullptr;
}

RICERCAR_EXPORT int gethostbyname_r(const char* name, hostent* entry, char* buffer, size_t size,
                                    hostent** result, int* error) {
  if (!names_nodes()) {
    return RICERCAR_BEHIND(gethostbyname_r)(name, entry, buffer, size, result, error);
  }
  *result = nullptr;
  const std::uint32_t host = host_asked_for(name, RICERCAR_SITE());
  if (host == 0) {
    *error = HOST_NOT_FOUND;
    return 0;
  }
  constexpr std::size_t alignment = alignof(HostEntry);
  const std::size_t skipped = -reinterpret_cast<std::uintptr_t>(buffer) % alignment;
  if (size < sizeof(HostEntry) + skipped) return ERANGE;
  *entry = *fill(*new (buffer + skipped) HostEntry, name, host);
  *result = entry;
  return 0;
}

// The name of the node whose address it is.
RICERCAR_EXPORT int getnameinfo(const sockaddr* address, socklen_t size, char* name,
                                socklen_t name_size, char* service, socklen_t service_size,
                                int flags) {
  const auto real = RICERCAR_BEHIND(getnameinfo);
  if (!names_nodes()) {
    return real(address, size, name, name_size, service, service_size, flags);
  }
  SocketAddress from;
  const bool is_6 = address->sa_family == AF_INET6;
  const bool is_read = read_address(is_6, address, size, from);
  const char* known = is_read ? name_by_host(from.host) : nullptr;
  if (is_read && is_loopback(from.host)) known = "localhost";
  if ((flags & NI_NUMERICHOST) != 0 || name == nullptr || known == nullptr) {
    return real(address, size, name, name_size, service, service_size, flags | NI_NUMERICHOST);
  }
  if (std::strlen(known) >= name_size) return EAI_OVERFLOW;
  std::strcpy(name, known);
  if (service == nullptr || service_size == 0) return 0;
  return real(address, size, nullptr, 0, service, service_size, flags | NI_NUMERICHOST);
}

RICERCAR_EXPORT int gethostname(char* name, size_t size) noexcept {
  if (!names_nodes()) return RICERCAR_BEHIND(gethostname)(name, size);
  const char* own = name_of_node();
  if (std::strlen(own) >= size) {
    errno = ENAMETOOLONG;
    return -1;
  }
  std::strcpy(name, own);
  return 0;
}

RICERCAR_EXPORT int uname(utsname* about) noexcept {
  const int result = RICERCAR_BEHIND(uname)(about);
  if (result == 0 && names_nodes()) {
    std::snprintf(about->nodename, sizeof about->nodename, "%s", name_of_node());
  }
  return result;
}
