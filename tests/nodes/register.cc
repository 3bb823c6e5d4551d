// A register with a backup: "serve" keeps a number and tells it to the backup before it answers
// ("sync") or after ("late"); "backup" keeps it, too. A client writes to the server ("write") or
// reads from the backup ("read"), so many times. All by datagrams, so that nobody connects.
#include <ricercar/log.h>

#include "../../examples/nodes/net.h"

namespace {

std::string receive_from(int number, sockaddr_in& from) {
  char text[64];
  socklen_t size = sizeof from;
  const ssize_t got =
      recvfrom(number, text, sizeof text, 0, reinterpret_cast<sockaddr*>(&from), &size);
  return got <= 0 ? "" : std::string(text, static_cast<std::size_t>(got));
}

void send_to(int number, const std::string& text, const sockaddr_in& to) {
  sendto(number, text.data(), text.size(), 0, reinterpret_cast<const sockaddr*>(&to), sizeof to);
}

std::string ask(int number, const std::string& text, const sockaddr_in& to) {
  send_to(number, text, to);
  sockaddr_in from{};
  return receive_from(number, from);
}

void serve(bool is_late) {
  const int number = bound_socket(SOCK_DGRAM, 7000);
  const int to_backup = socket(AF_INET, SOCK_DGRAM, 0);
  const sockaddr_in backup = address_of("backup", 7000);
  for (;;) {
    sockaddr_in client{};
    const std::string value = receive_from(number, client);
    if (is_late) send_to(number, "done", client);
    ask(to_backup, value, backup);
    if (!is_late) send_to(number, "done", client);
  }
}

void keep() {
  const int number = bound_socket(SOCK_DGRAM, 7000);
  std::string value = "0";
  for (;;) {
    sockaddr_in from{};
    const std::string text = receive_from(number, from);
    if (text != "read") value = text;
    send_to(number, value, from);
  }
}

void use(const std::string& client, const std::string& value) {
  const int number = socket(AF_INET, SOCK_DGRAM, 0);
  ricercar::invoke(client, "write", std::stoi(value));
  ask(number, value, address_of("server", 7000));
  ricercar::respond(client);
  ricercar::invoke(client, "read");
  ricercar::respond(client, std::stoi(ask(number, "read", address_of("backup", 7000))));
}

}  // namespace

int main(int, char** arguments) {
  const std::string role = arguments[1];
  if (role == "serve") serve(std::string(arguments[2]) == "late");
  if (role == "backup") keep();
  if (role == "use") use(arguments[2], arguments[3]);
  if (role == "wrong") ricercar::respond("nobody");
  if (role == "twice") {
    ricercar::invoke("x", "read");
    ricercar::invoke("x", "write", 1);
  }
}
