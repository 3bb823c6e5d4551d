// Adds one to the server's number: `add` in one request, `set` by reading and writing it, which
// loses what others do in between. `keeps` expects that the server never forgets.
#include "net.h"

namespace {

// Ends well if the server is gone: that is nobody's mistake.
int ask(int server, const std::string& request) {
  if (!send_text(server, request)) std::exit(0);
  const std::string answer = receive_text(server);
  if (answer.empty()) std::exit(0);
  return std::stoi(answer);
}

int number_now() {
  const int server = connected_socket("server", 7000);
  if (server < 0) std::exit(0);
  const int number = ask(server, "get");
  close(server);
  return number;
}

}  // namespace

int main(int, char** arguments) {
  const std::string way = arguments[1];
  const int server = connected_socket("server", 7000);
  if (server < 0) return 0;
  const int before = ask(server, "get");
  const int after = ask(server, way == "set" ? "set " + std::to_string(before + 1) : "add");
  if (way == "set") assert(ask(server, "get") == before + 1);
  close(server);
  if (way == "keeps") assert(number_now() >= after);
}
