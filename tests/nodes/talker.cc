// Sends its words to the server, one by one, and expects them back. The connection is made without
// waiting for it.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>

#include "../../examples/nodes/net.h"

namespace {

// One more on the same socket, if nobody listens yet.
void connect_without_waiting(int server, const sockaddr_in& address) {
  for (int error = -1; error != 0;) {
    assert(connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) == -1);
    assert(errno == EINPROGRESS);
    pollfd entry = {server, POLLOUT, 0};
    assert(poll(&entry, 1, -1) == 1 && (entry.revents & POLLOUT) != 0);
    socklen_t size = sizeof error;
    assert(getsockopt(server, SOL_SOCKET, SO_ERROR, &error, &size) == 0);
    assert(error == 0 || error == ECONNREFUSED);
  }
}

}  // namespace

int main(int, char** arguments) {
  const sockaddr_in address = address_of("server", 7000);
  const int server = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  connect_without_waiting(server, address);
  sockaddr_in peer{};
  socklen_t size = sizeof peer;
  assert(getpeername(server, reinterpret_cast<sockaddr*>(&peer), &size) == 0);
  assert(peer.sin_addr.s_addr == address.sin_addr.s_addr && ntohs(peer.sin_port) == 7000);
  fcntl(server, F_SETFL, 0);
  for (char** word = arguments + 1; *word != nullptr; ++word) {
    assert(send_text(server, *word));
    std::string back;
    while (back.size() < std::strlen(*word)) back += receive_text(server);
    assert(back == *word);
  }
  shutdown(server, SHUT_WR);
  assert(receive_text(server).empty());
  close(server);
}
