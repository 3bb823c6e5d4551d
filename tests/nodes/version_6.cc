// Two nodes that speak to each other by addresses of version 6: `server` (streams and datagrams at
// its own address, for version 6 alone) and `client`.
#include "../../examples/nodes/net.h"

namespace {

sockaddr_in6 address_of_6(const char* host, const char* port) {
  addrinfo hints{};
  hints.ai_family = AF_INET6;
  addrinfo* list = nullptr;
  assert(getaddrinfo(host, port, &hints, &list) == 0);
  assert(list->ai_family == AF_INET6 && list->ai_addrlen == sizeof(sockaddr_in6));
  const sockaddr_in6 address = *reinterpret_cast<const sockaddr_in6*>(list->ai_addr);
  freeaddrinfo(list);
  return address;
}

std::string text_of(const sockaddr_in6& address) {
  char text[INET6_ADDRSTRLEN];
  return inet_ntop(AF_INET6, &address.sin6_addr, text, sizeof text);
}

std::string name_of(const sockaddr_in6& address) {
  char name[256];
  assert(getnameinfo(reinterpret_cast<const sockaddr*>(&address), sizeof address, name, sizeof name,
                     nullptr, 0, 0) == 0);
  return name;
}

int bound_socket_6(int type) {
  const int number = socket(AF_INET6, type, 0);
  const int yes = 1;
  assert(setsockopt(number, IPPROTO_IPV6, IPV6_V6ONLY, &yes, sizeof yes) == 0);
  const sockaddr_in6 own = address_of_6("server", "7000");
  assert(bind(number, reinterpret_cast<const sockaddr*>(&own), sizeof own) == 0);
  return number;
}

void expect_client(const sockaddr_in6& peer, socklen_t size) {
  assert(size == sizeof peer);
  assert(text_of(peer) == "fd00:10:77::2");
  assert(name_of(peer) == "client");
}

void serve() {
  assert(text_of(address_of_6("server", "7000")) == "fd00:10:77::1");
  const int letters = bound_socket_6(SOCK_DGRAM);
  const int listener = bound_socket_6(SOCK_STREAM);
  assert(listen(listener, 4) == 0);
  sockaddr_in6 peer{};
  socklen_t size = sizeof peer;
  const int client = accept(listener, reinterpret_cast<sockaddr*>(&peer), &size);
  expect_client(peer, size);
  assert(receive_text(client) == "hello");
  char text[16];
  size = sizeof peer;
  const ssize_t got =
      recvfrom(letters, text, sizeof text, 0, reinterpret_cast<sockaddr*>(&peer), &size);
  assert(got == 6);
  expect_client(peer, size);
  assert(sendto(letters, "answer", 6, 0, reinterpret_cast<const sockaddr*>(&peer), size) == 6);
}

// Nobody is there for version 4.
void expect_refused() {
  const int number = socket(AF_INET, SOCK_STREAM, 0);
  const sockaddr_in to = address_of("server", 7000);
  assert(connect(number, reinterpret_cast<const sockaddr*>(&to), sizeof to) == -1);
  assert(errno == ECONNREFUSED);
  close(number);
}

// Neither is any other address of version 6, not even one that looks like the number of a node.
void expect_unreachable(const char* text) {
  sockaddr_in6 to = address_of_6("server", "7000");
  assert(inet_pton(AF_INET6, text, &to.sin6_addr) == 1);
  const int number = socket(AF_INET6, SOCK_STREAM, 0);
  assert(connect(number, reinterpret_cast<const sockaddr*>(&to), sizeof to) == -1);
  assert(errno == ENETUNREACH);
  close(number);
}

void ask() {
  expect_refused();
  expect_unreachable("fd00:10:77::9");
  expect_unreachable("2001:db8::1");
  const sockaddr_in6 to = address_of_6("server", "7000");
  assert(name_of(to) == "server");
  const int number = socket(AF_INET6, SOCK_STREAM, 0);
  while (connect(number, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0) usleep(1000);
  assert(send_text(number, "hello"));
  const int letters = socket(AF_INET6, SOCK_DGRAM, 0);
  assert(sendto(letters, "letter", 6, 0, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 6);
  assert(receive_text(letters) == "answer");
}

}  // namespace

int main(int, char** arguments) { std::string(arguments[1]) == "server" ? serve() : ask(); }
