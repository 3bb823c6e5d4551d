// A thread waits in a call on a descriptor that another one closes meanwhile. In Linux the call
// goes on (close(2)), and shutdown() wakes it. `WAY server` and `WAY client`; the time limits pass
// only when all wait, so that the other thread closes when the first one waits.
#include <fcntl.h>
#include <signal.h>

#include <thread>

#include "../../examples/nodes/net.h"

namespace {

constexpr unsigned short letters = 7100, streams = 7000;

void tell_client(int from) {
  const sockaddr_in to = address_of("client", letters);
  sendto(from, "go", 2, 0, reinterpret_cast<const sockaddr*>(&to), sizeof to);
}

// The number is free again at once.
void close_and_use_again(int number) {
  usleep(1000);
  assert(close(number) == 0);
  assert(open("/dev/null", O_RDONLY) == number);
}

void server_that_receives(int from) {
  const int listener = listening_socket(streams);
  const int client = accept(listener, nullptr, nullptr);
  std::thread other([&] {
    close_and_use_again(client);
    tell_client(from);
  });
  assert(receive_text(client) == "x");
  other.join();
}

void client_that_sends(int go) {
  const int server = connected_socket("server", streams);
  assert(receive_text(go) == "go");
  assert(send_text(server, "x"));
  assert(receive_text(server).empty());  // it ends when the call is over
}

void server_that_accepts(int from) {
  const int listener = listening_socket(streams);
  std::thread other([&] {
    close_and_use_again(listener);
    tell_client(from);
  });
  assert(accept(listener, nullptr, nullptr) >= 0);
  tell_client(from);
  other.join();
}

// A second connection finds nobody.
void client_that_connects(int go) {
  assert(receive_text(go) == "go");
  const sockaddr_in to = address_of("server", streams);
  const int first = socket(AF_INET, SOCK_STREAM, 0), second = socket(AF_INET, SOCK_STREAM, 0);
  assert(connect(first, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0);
  assert(receive_text(go) == "go");
  assert(connect(second, reinterpret_cast<const sockaddr*>(&to), sizeof to) == -1);
  assert(errno == ECONNREFUSED);
}

void server_that_shuts_down(int) {
  const int listener = listening_socket(streams);
  const int client = accept(listener, nullptr, nullptr);
  std::thread other([&] {
    usleep(1000);
    assert(shutdown(client, SHUT_RD) == 0);
    usleep(1000);
    assert(shutdown(listener, SHUT_RDWR) == 0);
  });
  assert(receive_text(client).empty());
  assert(accept(listener, nullptr, nullptr) == -1 && errno == EINVAL);
  other.join();
  assert(send_text(client, "over"));
}

void client_that_waits(int) { assert(receive_text(connected_socket("server", streams)) == "over"); }

// Within the process: a pipe, and the number leads elsewhere.
void server_with_a_pipe(int) {
  int ends[2];
  assert(pipe(ends) == 0);
  std::thread other([&] {
    usleep(1000);
    const int nothing = open("/dev/null", O_RDONLY);
    assert(dup2(nothing, ends[0]) == ends[0]);
    assert(write(ends[1], "x", 1) == 1);
    usleep(1000);
    signal(SIGPIPE, SIG_IGN);
    assert(write(ends[1], "x", 1) == -1 && errno == EPIPE);  // now nobody reads
  });
  char byte = 0;
  assert(read(ends[0], &byte, 1) == 1 && byte == 'x');
  assert(read(ends[0], &byte, 1) == 0);
  other.join();
}

}  // namespace

int main(int, char** arguments) {
  const std::string way = arguments[1];
  const bool serves = std::string(arguments[2]) == "server";
  const int own = bound_socket(SOCK_DGRAM, serves ? letters - 1 : letters);
  if (way == "recv") serves ? server_that_receives(own) : client_that_sends(own);
  if (way == "accept") serves ? server_that_accepts(own) : client_that_connects(own);
  if (way == "shutdown") serves ? server_that_shuts_down(own) : client_that_waits(own);
  if (way == "pipe" && serves) server_with_a_pipe(own);
}
