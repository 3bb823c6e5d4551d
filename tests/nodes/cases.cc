// Small conversations, one for each argument: `NAME server` and `NAME client`.
#include <errno.h>
#include <time.h>

#include <atomic>
#include <functional>
#include <map>
#include <thread>
#include <vector>

#include "../../examples/nodes/net.h"

namespace {

int accept_one(unsigned short port = 7000) {
  return accept(listening_socket(port), nullptr, nullptr);
}
int connect_to_server() { return connected_socket("server", 7000); }

double seconds_now() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// A thread that waits for a connection, and one that looks whether it has come.
void server_that_looks_now_and_then() {
  std::atomic<bool> stop = false;
  const int listener = listening_socket(7000);
  std::thread other([&] {
    accept(listener, nullptr, nullptr);
    stop = true;
  });
  while (!stop) usleep(1000);
  other.join();
}

void server_that_waits_for_all() {
  const int client = accept_one();
  std::vector<char> bytes(1 << 20);
  assert(recv(client, bytes.data(), bytes.size(), MSG_WAITALL) ==
         static_cast<ssize_t>(bytes.size()));
}
void client_with_a_lot_to_say() {
  const std::vector<char> bytes(1 << 20);
  assert(write(connect_to_server(), bytes.data(), bytes.size()) ==
         static_cast<ssize_t>(bytes.size()));
}

// The usual way to stop a server.
void server_that_is_stopped() {
  const int listener = listening_socket(7000);
  std::thread other([&] { shutdown(listener, SHUT_RDWR); });
  assert(accept(listener, nullptr, nullptr) == -1 && errno == EINVAL);
  other.join();
}

void server_that_gets_lines() {
  const int client = accept_one();
  std::string text;
  for (std::string more; !(more = receive_text(client)).empty();) text += more;
  assert(text == "AB");
}
void client_with_two_ways_to_write() {
  const int server = connect_to_server();
  dprintf(server, "A");
  assert(send_text(server, "B"));
  shutdown(server, SHUT_WR);
}

// Time does not run backwards along a message.
void server_with_a_clock() {
  const int client = accept_one();
  const double before = seconds_now();
  assert(send_text(client, "go"));
  assert(receive_text(client) == "done");
  assert(seconds_now() - before >= 2);
}
void client_that_sleeps() {
  const int server = connect_to_server();
  assert(receive_text(server) == "go");
  sleep(2);
  assert(send_text(server, "done"));
  receive_text(server);
}

// A bug: the second port is told before anybody listens there.
void server_that_is_too_early() {
  const int client = accept_one();
  assert(send_text(client, "8000"));
  accept_one(8000);
}
void client_that_believes_it() {
  const int server = connect_to_server();
  const auto port = static_cast<unsigned short>(std::stoi(receive_text(server)));
  const sockaddr_in address = address_of("server", port);
  const int second = socket(AF_INET, SOCK_STREAM, 0);
  assert(connect(second, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
}

// Who closes without reading everything says so.
void server_that_does_not_listen() {
  const int client = accept_one();
  char byte;
  assert(read(client, &byte, 1) == 1);
  close(client);
}
void client_that_is_not_heard() {
  const int server = connect_to_server();
  assert(send_text(server, "abc"));
  char byte;
  assert(recv(server, &byte, 1, 0) == -1 && errno == ECONNRESET);
}

// What was written before a connection is made is seen behind it.
void server_that_talks_to_itself() {
  static int number = 0;
  const int listener = listening_socket(7000);
  std::thread other([] {
    number = 1;
    connected_socket("localhost", 7000);
  });
  accept(listener, nullptr, nullptr);
  assert(number == 1);
  other.join();
}

void server_of_many() {
  const int listener = listening_socket(7000, 1);
  for (int i = 0; i < 4; ++i) accept(listener, nullptr, nullptr);
}

void server_that_only_sleeps() {
  for (;;) sleep(1);
}

void nothing() {}
void connects() { assert(connect_to_server() >= 0); }
void sleeps() { sleep(1); }

}  // namespace

int main(int, char** arguments) {
  const std::map<std::string, std::pair<std::function<void()>, std::function<void()>>> cases = {
      {"looks", {server_that_looks_now_and_then, connects}},
      {"waitall", {server_that_waits_for_all, client_with_a_lot_to_say}},
      {"stopped", {server_that_is_stopped, nothing}},
      {"written", {server_that_gets_lines, client_with_two_ways_to_write}},
      {"clock", {server_with_a_clock, client_that_sleeps}},
      {"early", {server_that_is_too_early, client_that_believes_it}},
      {"unread", {server_that_does_not_listen, client_that_is_not_heard}},
      {"itself", {server_that_talks_to_itself, nothing}},
      {"backlog", {server_of_many, connects}},
      {"sleeps", {server_that_only_sleeps, sleeps}},
  };
  const auto& [server, client] = cases.at(arguments[1]);
  std::string(arguments[2]) == "server" ? server() : client();
}
