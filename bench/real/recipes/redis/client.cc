// A client of redis-server, which appends every change to a file and syncs it: client NAME.
// What was answered with OK is there from then on, whatever crashes; and no step of a counter
// counts twice.
#include <assert.h>
#include <stdlib.h>

#include "line_connection.h"

namespace {

std::string command(std::initializer_list<std::string> words) {
  std::string text = "*" + std::to_string(words.size()) + "\r\n";
  for (const std::string& word : words) {
    text += "$" + std::to_string(word.size()) + "\r\n" + word + "\r\n";
  }
  return text;
}

// The number that a key of our own has; nothing if there was no answer.
std::optional<int> get(LineConnection& server, const std::string& key) {
  const auto size = server.ask(command({"GET", key}));
  if (!size) return std::nullopt;
  if (*size == "$-1") return 0;
  if (size->rfind("-LOADING", 0) == 0) return std::nullopt;
  assert((*size)[0] == '$');
  const auto value = server.line();
  if (!value) return std::nullopt;
  return atoi(value->c_str());
}

}  // namespace

int main(int, char** arguments) {
  const std::string mine = std::string("key-") + arguments[1];
  LineConnection server("server", "6379");
  int answered = 0, asked = 0;
  for (int round = 1; round <= 3; ++round) {
    asked = round;
    const auto stored = server.ask(command({"SET", mine, std::to_string(round)}));
    if (stored == "+OK") answered = round;
    const auto now = get(server, mine);
    if (now) assert(*now >= answered && *now <= asked);
  }
  const auto before = server.ask(command({"INCR", "shared"}));
  const auto after = server.ask(command({"INCR", "shared"}));
  if (before && after && (*before)[0] == ':' && (*after)[0] == ':') {
    assert(atoi(after->c_str() + 1) > atoi(before->c_str() + 1));
  }
}
