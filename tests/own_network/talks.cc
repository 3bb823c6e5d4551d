// Threads that talk to each other over the machine itself: `tcp`, `udp`, `much` (more than a stream
// takes at once), `outside` (an address that
// is not this machine's), `inherited` (a socket that was open before main), `foreign` (a port where
// another process listens, argument 2).
#include <errno.h>
#include <fcntl.h>
#include <poll.h>

#include <thread>

#include "../../examples/nodes/net.h"

namespace {

constexpr unsigned short port = 47123;

sockaddr_in own_address(unsigned short number) {
  sockaddr_in address = address_of(nullptr, number);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

int connect_to(const sockaddr_in& address) {
  const int number = socket(AF_INET, SOCK_STREAM, 0);
  const int result = connect(number, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  const int error = errno;
  if (result == 0) return number;
  close(number);
  errno = error;
  return -1;
}

// The client may come before the server listens, and is refused then.
void talk_over_tcp() {
  std::thread server([] {
    const int listener = listening_socket(port);
    const int client = accept(listener, nullptr, nullptr);
    assert(receive_text(client) == "question");
    assert(send_text(client, "answer"));
    assert(receive_text(client).empty());
    close(client);
    close(listener);
  });
  int number = -1;
  while ((number = connect_to(own_address(port))) < 0) {
    assert(errno == ECONNREFUSED);
    sched_yield();
  }
  sockaddr_in name{};
  socklen_t size = sizeof name;
  assert(getsockname(number, reinterpret_cast<sockaddr*>(&name), &size) == 0);
  assert(ntohs(name.sin_port) >= 32768 && ntohl(name.sin_addr.s_addr) == INADDR_LOOPBACK);
  assert(send_text(number, "question"));
  assert(receive_text(number) == "answer");
  close(number);
  server.join();
}

void talk_over_udp() {
  const int number = bound_socket(SOCK_DGRAM, port);
  std::thread other([] {
    const int own = socket(AF_INET, SOCK_DGRAM, 0);
    const sockaddr_in to = own_address(port);
    for (const char* text : {"one", "two"}) {
      assert(sendto(own, text, 3, 0, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 3);
    }
    close(own);
  });
  assert(receive_text(number) == "one" && receive_text(number) == "two");
  other.join();
}

void send_much() {
  constexpr std::size_t size = 1'000'000;
  const int listener = listening_socket(port);
  std::thread other([] {
    const std::string all(size, 'x');
    assert(send(connect_to(own_address(port)), all.data(), size, 0) == static_cast<ssize_t>(size));
  });
  std::string all(size, ' ');
  const int client = accept(listener, nullptr, nullptr);
  assert(recv(client, all.data(), size, MSG_WAITALL) == static_cast<ssize_t>(size));
  assert(all == std::string(size, 'x'));
  other.join();
}

// What the kernel says, whatever that is: it is asked, and the socket goes on as its own.
void talk_to_the_outside() {
  const int number = socket(AF_INET, SOCK_DGRAM, 0);
  sockaddr_in address = address_of(nullptr, 9);
  address.sin_addr.s_addr = htonl(0xc0000201);  // 192.0.2.1: nobody has it
  const int result = connect(number, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  sockaddr_in name{};
  socklen_t size = sizeof name;
  assert(result == 0 || errno == ENETUNREACH);
  assert(getsockname(number, reinterpret_cast<sockaddr*>(&name), &size) == 0);
  assert(result != 0 || name.sin_addr.s_addr != htonl(INADDR_LOOPBACK));
  close(number);
}

const int early = [] {
  const int number = socket(AF_INET, SOCK_STREAM, 0);
  listen(number, 4);  // at any port
  return number;
}();

void talk_to_an_early_socket() {
  sockaddr_in name{};
  socklen_t size = sizeof name;
  assert(getsockname(early, reinterpret_cast<sockaddr*>(&name), &size) == 0);
  const int number = connect_to(own_address(ntohs(name.sin_port)));
  assert(number >= 0 && send_text(number, "x"));
  const int client = accept(early, nullptr, nullptr);
  assert(receive_text(client) == "x");
  close(client);
  close(number);
}

}  // namespace

int main(int, char** arguments) {
  const std::string way = arguments[1];
  if (way == "tcp") talk_over_tcp();
  if (way == "udp") talk_over_udp();
  if (way == "much") send_much();
  if (way == "outside") talk_to_the_outside();
  if (way == "inherited") talk_to_an_early_socket();
  if (way == "foreign") {
    const auto number = static_cast<unsigned short>(std::atoi(arguments[2]));
    assert(connect_to(own_address(number)) < 0 && errno == ECONNREFUSED);
    assert(listening_socket(number) >= 0);
  }
}
