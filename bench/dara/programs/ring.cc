// Processes in a ring that pass a token on, over TCP, so many times round.
//
//   ring --next=HOST --rounds=N [--first=yes]
#include <chrono>
#include <thread>

#include "suites/nodes/common/bug.h"
#include "suites/nodes/common/sockets.h"

namespace {

constexpr std::uint16_t port = 7400;

suite::Socket connected_to(const std::string& host) {
  for (;;) {
    suite::Socket connection = suite::connected(host, port);
    if (connection.is_open()) return connection;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace

int main(int count, char** arguments) {
  const auto option = [&](const char* name) {
    return std::string(suite::option(count, arguments, name, ""));
  };
  const suite::Socket listener = suite::listening(port);
  const suite::Socket next = connected_to(option("next"));
  const suite::Socket before(::accept(listener.number(), nullptr, nullptr));
  const bool is_first = !option("first").empty();
  const int rounds = std::stoi(option("rounds"));
  suite::Lines lines;
  for (int i = 0; i < rounds; ++i) {
    if (is_first) suite::send_line(next.number(), "token");
    lines.read(before.number());
    if (!is_first) suite::send_line(next.number(), "token");
  }
}
