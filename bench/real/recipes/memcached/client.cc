// A client of memcached: client NAME. What was stored is read back or forgotten, never something
// else; of two that add the same key at most one is told that it has; and a counter never counts
// twice.
#include <assert.h>
#include <stdlib.h>

#include "line_connection.h"

namespace {

// What a key has: an empty text if the server has forgotten it, nothing if there was no answer.
std::optional<std::string> get(LineConnection& server, const std::string& key) {
  const auto head = server.ask("get " + key + "\r\n");
  if (!head) return std::nullopt;
  if (*head == "END") return "";
  assert(head->rfind("VALUE " + key + " ", 0) == 0);
  const auto value = server.line(), end = server.line();
  if (!end) return std::nullopt;
  assert(*end == "END");
  return value;
}

std::optional<std::string> store(LineConnection& server, const std::string& how,
                                 const std::string& key, const std::string& value) {
  return server.ask(how + " " + key + " 0 0 " + std::to_string(value.size()) + "\r\n" + value +
                    "\r\n");
}

}  // namespace

int main(int, char** arguments) {
  const std::string name = arguments[1];
  LineConnection server("server", "11211");
  for (int round = 1; round <= 2; ++round) {
    const std::string value = name + std::to_string(round);
    const auto stored = store(server, "set", "key-" + name, value);
    if (stored) assert(*stored == "STORED");
    const auto now = get(server, "key-" + name);
    if (stored && now) assert(*now == value || now->empty());
  }
  const auto added = store(server, "add", "first", name);
  if (added) assert(*added == "STORED" || *added == "NOT_STORED");
  const auto first = get(server, "first");
  if (added == "STORED" && first) assert(*first == name || first->empty());
  store(server, "add", "counter", "0");
  const auto before = server.ask("incr counter 1\r\n"), after = server.ask("incr counter 1\r\n");
  if (before && after && *before != "NOT_FOUND" && *after != "NOT_FOUND") {
    assert(atoi(after->c_str()) > atoi(before->c_str()));
  }
}
