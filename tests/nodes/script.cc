// Does what its arguments say, one after the other, so that a test can make up small clusters. What
// it has received is a text, which begins empty.
//
//   s:NODE:TEXT  sends a datagram; TEXT may be * for the last letter that it has received
//   r, t, p      receives a datagram: waits for it, takes it if it is there, waits for a second
//   l, a         listens, and accepts a connection
//   c:NODE       connects, and again until it is connected
//   w:TEXT, q, k writes to the connection, reads one byte of it, closes it
//   z, g         sleeps, asks for the time
//   n            reports what it has received
//   f            adds a letter to the file `shared`, after it has looked how long that is
//   x            ends if it has received nothing yet
//   =TEXT        fails if it has received this
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <time.h>

#include "../../examples/nodes/net.h"
#include "ricercar/log.h"

namespace {

constexpr unsigned short datagrams = 7000, streams = 8000;
std::string received;
int connection = -1, listener = -1, letters = -1;

void receive(int flags) {
  char text[16];
  const ssize_t size = recv(letters, text, sizeof text, flags);
  received += size < 0 ? std::string("-") : std::string(text, static_cast<std::size_t>(size));
}

void receive_in_time() {
  pollfd entry{letters, POLLIN, 0};
  if (poll(&entry, 1, 1000) == 1) return receive(0);
  received += "!";
}

void send_letters(const std::string& node, std::string text) {
  if (text == "*") text = received.empty() ? "?" : received.substr(received.size() - 1);
  const sockaddr_in to = address_of(node.c_str(), datagrams);
  sendto(letters, text.data(), text.size(), 0, reinterpret_cast<const sockaddr*>(&to), sizeof to);
}

void read_byte() {
  char byte = '.';
  received += recv(connection, &byte, 1, 0) < 0 ? '-' : byte;
}

void add_to_file() {
  const int file = open("shared", O_WRONLY | O_CREAT | O_APPEND, 0600);
  struct stat status {};
  fstat(file, &status);
  received += std::to_string(status.st_size);
  assert(write(file, "x", 1) == 1);
  close(file);
}

void ask_for_time() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  received += std::to_string(now.tv_nsec / 1000000 % 1000);
}

void perform(const std::string& word) {
  const std::string rest = word.size() > 2 ? word.substr(2) : "";
  switch (word[0]) {
    case 's':
      return send_letters(rest.substr(0, rest.find(':')), rest.substr(rest.find(':') + 1));
    case 'r':
      return receive(0);
    case 't':
      return receive(MSG_DONTWAIT);
    case 'p':
      return receive_in_time();
    case 'l':
      listener = listening_socket(streams);
      return;
    case 'a':
      connection = accept(listener, nullptr, nullptr);
      return;
    case 'c':
      connection = connected_socket(rest.c_str(), streams);
      return;
    case 'w':
      send_text(connection, rest);
      return;
    case 'q':
      return read_byte();
    case 'k':
      close(connection);
      return;
    case 'z':
      usleep(1000);
      return;
    case 'g':
      return ask_for_time();
    case 'n':
      return ricercar::log("state", "received", received);
    case 'f':
      return add_to_file();
    case 'x':
      if (received.empty()) std::exit(0);
      return;
    case '=':
      assert(received != word.substr(1));
  }
}

}  // namespace

int main(int count, char** arguments) {
  for (int i = 1; i < count && letters < 0; ++i) {
    if (std::strchr("srtp", arguments[i][0]) != nullptr)
      letters = bound_socket(SOCK_DGRAM, datagrams);
  }
  for (int i = 1; i < count; ++i) perform(arguments[i]);
}
