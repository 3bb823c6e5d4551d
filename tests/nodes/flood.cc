// `send N`: N bytes through one connection, more than it takes at a time. `take N`: reads them.
#include <vector>

#include "../../examples/nodes/net.h"

namespace {

void send_all(std::size_t count) {
  const int server = connected_socket("taker", 7000);
  std::vector<char> bytes(10000);
  for (std::size_t sent = 0; sent < count; sent += bytes.size()) {
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>((sent + i) % 251);
    assert(write(server, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  }
  close(server);
}

void take_all(std::size_t count) {
  const int client = accept(listening_socket(7000), nullptr, nullptr);
  char bytes[4096];
  std::size_t taken = 0;
  for (ssize_t size; (size = read(client, bytes, sizeof bytes)) > 0;) {
    for (ssize_t i = 0; i < size; ++i, ++taken) assert(bytes[i] == static_cast<char>(taken % 251));
  }
  assert(taken == count);
}

}  // namespace

int main(int, char** arguments) {
  const std::size_t count = static_cast<std::size_t>(std::atol(arguments[2]));
  std::string(arguments[1]) == "send" ? send_all(count) : take_all(count);
}
