// Hooks: the network interfaces of a node. It has one to itself and one to the others.
#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/ioctl.h>

#include <cstring>
#include <new>

#include "threads/hook.h"
#include "threads/memory/file_hooks.h"
#include "threads/memory/not_modelled.h"
#include "threads/memory/real_function.h"
#include "threads/node_sockets.h"

namespace ricercar::inline hooks {
namespace {

struct Interface {
  ifaddrs entry = {};
  char name[IFNAMSIZ] = "";
  sockaddr_in address = {};
  sockaddr_in mask = {};
  sockaddr_in broadcast = {};
  sockaddr_in6 address_6 = {};
  sockaddr_in6 mask_6 = {};
};

sockaddr_in internet_address(std::uint32_t host) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(host);
  return address;
}

void fill(Interface& interface, const char* name, std::uint32_t host, std::uint32_t mask,
          unsigned flags) {
  std::strcpy(interface.name, name);
  interface.address = internet_address(host);
  interface.mask = internet_address(mask);
  interface.broadcast = internet_address(host | ~mask);
  interface.entry.ifa_name = interface.name;
  interface.entry.ifa_flags = flags | IFF_UP | IFF_RUNNING;
  interface.entry.ifa_addr = reinterpret_cast<sockaddr*>(&interface.address);
  interface.entry.ifa_netmask = reinterpret_cast<sockaddr*>(&interface.mask);
  interface.entry.ifa_broadaddr = reinterpret_cast<sockaddr*>(&interface.broadcast);
}

// The first bytes of an address are those of its network.
void fill_6(Interface& interface, const char* name, std::uint32_t host, std::size_t bytes,
            unsigned flags) {
  std::strcpy(interface.name, name);
  socklen_t size = sizeof interface.address_6;
  write_address(true, {host, 0}, reinterpret_cast<sockaddr*>(&interface.address_6), &size);
  interface.mask_6.sin6_family = AF_INET6;
  std::memset(interface.mask_6.sin6_addr.s6_addr, 0xff, bytes);
  interface.entry.ifa_name = interface.name;
  interface.entry.ifa_flags = flags | IFF_UP | IFF_RUNNING;
  interface.entry.ifa_addr = reinterpret_cast<sockaddr*>(&interface.address_6);
  interface.entry.ifa_netmask = reinterpret_cast<sockaddr*>(&interface.mask_6);
}

// From the program's heap, which may be its own: it frees it.
void* allocate_for_program(std::size_t size) {
  const auto find = [] {
    const RuntimeAllocation allocation;
    return reinterpret_cast<void* (*)(std::size_t)>(::dlsym(RTLD_DEFAULT, "malloc"));
  };
  return find()(size);
}

}  // namespace
}  // namespace ricercar::inline hooks

namespace ricercar::inline threads {

// From SIOCGIFNAME to SIOCSIFMAP: all about interfaces.
void device_call(unsigned long request, void* caller) {
  if (request < SIOCGIFNAME || request > SIOCSIFMAP || !controlled() || !is_node()) return;
  not_modelled(
      "asks for network interfaces by ioctl(), which tells of this machine and not of the node: "
      "getifaddrs() knows better",
      reinterpret_cast<std::uint64_t>(caller));
}

}  // namespace ricercar::inline threads

using namespace ricercar;

// One block, because freeifaddrs() frees what it is given.
RICERCAR_EXPORT int getifaddrs(ifaddrs** list) noexcept {
  if (!controlled() || !is_node()) return RICERCAR_BEHIND(getifaddrs)(list);
  constexpr std::size_t count = 4;
  void* place = allocate_for_program(count * sizeof(Interface));
  if (place == nullptr) {
    errno = ENOMEM;
    return -1;
  }
  auto* interfaces = new (place) Interface[count];
  const std::uint32_t host = host_by_name(name_of_node());
  fill(interfaces[0], "lo", loopback, 0xff000000, IFF_LOOPBACK);
  fill(interfaces[1], "eth0", host, 0xffff0000, IFF_BROADCAST);
  fill_6(interfaces[2], "lo", loopback_6, 16, IFF_LOOPBACK);
  fill_6(interfaces[3], "eth0", host_6_of(node_at(host)), 8, IFF_BROADCAST);
  for (std::size_t i = 0; i + 1 < count; ++i) {
    interfaces[i].entry.ifa_next = &interfaces[i + 1].entry;
  }
  *list = &interfaces[0].entry;
  return 0;
}
