// `keep`: counts requests, in a file too, and answers each. `ask N`: sends N pairs of requests,
// takes the answers that come in time, and ends with status 1. Whatever goes wrong, both go on.
#include <fcntl.h>
#include <poll.h>
#include <time.h>

#include "../../examples/nodes/net.h"

namespace {

void count_in_file(int count) {
  const int file = open("count", O_RDWR | O_CREAT | O_TRUNC, 0600);
  const std::string text = std::to_string(count);
  char back[16];
  [[maybe_unused]] ssize_t size = write(file, text.data(), text.size());
  fsync(file);
  size = pread(file, back, sizeof back, 0);
  close(file);
}

void keep() {
  const int number = bound_socket(SOCK_DGRAM, 9000);
  for (int count = 1;; ++count) {
    char text[16];
    sockaddr_in from{};
    socklen_t size = sizeof from;
    recvfrom(number, text, sizeof text, 0, reinterpret_cast<sockaddr*>(&from), &size);
    count_in_file(count);
    sendto(number, text, 1, 0, reinterpret_cast<const sockaddr*>(&from), size);
  }
}

void ask(int times) {
  const int number = bound_socket(SOCK_DGRAM, 9001);
  const sockaddr_in to = address_of("keeper", 9000);
  for (int i = 0; i < times; ++i) {
    for (const char* text : {"a", "b"}) {
      sendto(number, text, 1, 0, reinterpret_cast<const sockaddr*>(&to), sizeof to);
    }
    pollfd entry = {number, POLLIN, 0};
    while (poll(&entry, 1, 100) == 1) receive_text(number);
    time(nullptr);
  }
}

}  // namespace

int main(int, char** arguments) {
  if (arguments[1] == std::string("keep")) keep();
  ask(std::atoi(arguments[2]));
  return 1;
}
