// Loaded into the programs of a cluster that run natively on one machine: each name of a node is an
// address of the loopback device of its own, so that all can use the same ports.
//
//   LD_PRELOAD=libnative_names.so NATIVE_NAMES=a,b,c NATIVE_NAME=a ./program
#include <arpa/inet.h>
#include <dlfcn.h>
#include <netdb.h>
#include <netinet/in.h>

#include <cstdlib>
#include <cstring>
#include <string>

namespace {

// 127.0.0.2 and so on; 0: not the name of a node.
in_addr_t address_of(const std::string& name) {
  const char* names = std::getenv("NATIVE_NAMES");
  std::string rest = names != nullptr ? names : "";
  for (in_addr_t address = INADDR_LOOPBACK + 1; !rest.empty(); ++address) {
    const std::size_t end = rest.find(',');
    if (rest.substr(0, end) == name) return address;
    rest = end == std::string::npos ? "" : rest.substr(end + 1);
  }
  return 0;
}

}  // namespace

extern "C" {

int getaddrinfo(const char* node, const char* service, const addrinfo* hints, addrinfo** found) {
  static const auto real =
      reinterpret_cast<decltype(&getaddrinfo)>(::dlsym(RTLD_NEXT, "getaddrinfo"));
  const in_addr address = {htonl(node != nullptr ? address_of(node) : 0)};
  char text[INET_ADDRSTRLEN];
  const bool is_node = address.s_addr != 0;
  if (is_node) ::inet_ntop(AF_INET, &address, text, sizeof text);
  return real(is_node ? text : node, service, hints, found);
}

int bind(int socket, const sockaddr* address, socklen_t size) noexcept {
  static const auto real = reinterpret_cast<decltype(&bind)>(::dlsym(RTLD_NEXT, "bind"));
  sockaddr_in own;
  const char* name = std::getenv("NATIVE_NAME");
  if (name == nullptr || size != sizeof own || address->sa_family != AF_INET) {
    return real(socket, address, size);
  }
  std::memcpy(&own, address, sizeof own);
  if (own.sin_addr.s_addr == INADDR_ANY) own.sin_addr.s_addr = htonl(address_of(name));
  return real(socket, reinterpret_cast<const sockaddr*>(&own), sizeof own);
}

}  // extern "C"
