// Asks members again and again who is there. What a member knows of another one only gets newer, as
// long as it is the same process.
//
//   watcher --members=m1,m2,m3 --rounds=4
#include <cassert>
#include <chrono>
#include <map>

#include "../common/bug.h"
#include "../common/calls.h"
#include "ports.h"

namespace {

int rank(const std::string& state) { return state == "dead" ? 2 : state == "suspect" ? 1 : 0; }

using Age = std::pair<std::uint64_t, int>;  // incarnation, then state

struct Known {
  std::string life;  // of the member that says so
  std::map<std::string, Age> ages;
};

void compare(const std::string& member, Known& before, const std::string& answer) {
  const std::vector<std::string> words = suite::words_of(answer);
  if (words.at(0) != before.life) before = {words[0], {}};
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::vector<std::string> parts = suite::split(words[i], ':');
    const Age age(std::stoull(parts.at(2)), rank(parts.at(1)));
    if (parts[0] == member) assert(parts[1] == "alive" && "who answers is alive");
    assert(age >= before.ages[parts[0]] && "what is known gets newer");
    before.ages[parts[0]] = age;
  }
}

}  // namespace

int main(int count, char** arguments) {
  suite::read_bug(count, arguments);
  const int rounds = std::stoi(std::string(suite::option(count, arguments, "rounds", "4")));
  const auto members =
      suite::split(std::string(suite::option(count, arguments, "members", "")), ',');
  std::map<std::string, Known> known;
  for (int i = 0; i < rounds; ++i) {
    for (const std::string& member : members) {
      const auto answer = suite::Caller(member, group::question_port).ask("members");
      if (answer) compare(member, known[member], *answer);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
  }
}
