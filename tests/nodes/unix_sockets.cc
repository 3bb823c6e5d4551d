// Nodes that meet at Unix-domain sockets, as a server and its clients on one machine do.
//
//   stream server|one|two     the server must not hear of `two` before `one`: it may
//   both server|one|two       the same, and whatever comes first is right
//   letter server|one|two     datagrams, to an abstract name, with answers
//   gone server|one           the client must not see the end of the connection: the server may
//   crash
#include <stddef.h>
#include <sys/un.h>

#include <thread>

#include "../../examples/nodes/net.h"

namespace {

struct Address {
  sockaddr_un address{};
  socklen_t size = 0;

  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&address); }
};

// With a zero in front it has no file.
Address address_at(const std::string& path) {
  Address result;
  result.address.sun_family = AF_UNIX;
  std::memcpy(result.address.sun_path, path.data(), path.size());
  result.size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size());
  return result;
}

int bound_at(int type, const std::string& path) {
  const int number = socket(AF_UNIX, type, 0);
  const Address address = address_at(path);
  assert(bind(number, address.get(), address.size) == 0);
  return number;
}

int connected_to(const std::string& path) {
  const int number = socket(AF_UNIX, SOCK_STREAM, 0);
  const Address address = address_at(path);
  while (connect(number, address.get(), address.size) != 0) {
    assert(errno == ENOENT || errno == ECONNREFUSED);
    usleep(1000);
  }
  return number;
}

void serve_streams(bool any_order) {
  const int listener = bound_at(SOCK_STREAM, "meeting");
  assert(listen(listener, 4) == 0);
  const int first = accept(listener, nullptr, nullptr);
  const int second = accept(listener, nullptr, nullptr);
  const std::string name = receive_text(first);
  assert(any_order || name == "one");
  assert(receive_text(second) == (name == "one" ? "two" : "one"));
  assert(send_text(first, "1"));
  assert(send_text(second, "2"));
  assert(receive_text(first).empty());
}

void ask(const std::string& name) {
  const int server = connected_to("meeting");
  assert(send_text(server, name));
  const std::string answer = receive_text(server);
  assert(answer == "1" || answer == "2");
}

const std::string letters_of_server("\0server", 7);

void serve_letters() {
  const int number = bound_at(SOCK_DGRAM, letters_of_server);
  for (int i = 0; i < 2; ++i) {
    sockaddr_un from{};
    socklen_t size = sizeof from;
    char text[8];
    const ssize_t got =
        recvfrom(number, text, sizeof text, 0, reinterpret_cast<sockaddr*>(&from), &size);
    assert(got == 3);
    sendto(number, text, 3, 0, reinterpret_cast<const sockaddr*>(&from), size);
  }
}

void write_letter(const std::string& name) {
  const int number = bound_at(SOCK_DGRAM, std::string("\0", 1) + name);
  const Address server = address_at(letters_of_server);
  while (sendto(number, name.data(), 3, 0, server.get(), server.size) != 3) usleep(1000);
  assert(receive_text(number) == name);
}

void serve_until_the_end() {
  const int listener = bound_at(SOCK_STREAM, "meeting");
  assert(listen(listener, 4) == 0);
  const int client = accept(listener, nullptr, nullptr);
  while (send_text(client, receive_text(client))) continue;
}

void look_for_the_end() {
  const int server = connected_to("meeting");
  for (int i = 0; i < 3; ++i) {
    if (!send_text(server, "x")) assert(!"the server is gone before this is sent");
    assert(receive_text(server) == "x");
  }
}

}  // namespace

int main(int, char** arguments) {
  const std::string way = arguments[1], name = arguments[2];
  const bool serves = name == "server";
  if (way == "stream" || way == "both") serves ? serve_streams(way == "both") : ask(name);
  if (way == "letter") serves ? serve_letters() : write_letter(name);
  if (way == "gone") serves ? serve_until_the_end() : look_for_the_end();
}
