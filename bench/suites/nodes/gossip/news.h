// What is said about a member. News are ordered: of two about one member the one with the larger
// incarnation counts, and with the same incarnation `dead` before `suspect` before `alive`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "../common/bug.h"
#include "../common/calls.h"

namespace group {

enum class State { alive, suspect, dead };

inline const char* name_of(State state) {
  return state == State::alive ? "alive" : state == State::suspect ? "suspect" : "dead";
}

inline std::optional<State> state_named(const std::string& name) {
  for (const State each : {State::alive, State::suspect, State::dead}) {
    if (name == name_of(each)) return each;
  }
  return std::nullopt;
}

struct News {
  State state = State::alive;
  std::uint64_t incarnation = 0;
  std::uint64_t life = 0;  // of the process that had this incarnation first; 0: not known
  std::string tag = "-";   // what operators call it; only the member itself changes it

  bool is_newer_than(const News& other) const {
    if (suite::has_bug("old_news")) return state != other.state;
    if (incarnation != other.incarnation) return incarnation > other.incarnation;
    if (suite::has_bug("resurrects") && state == State::alive) return other.state != state;
    return state > other.state;
  }
};

// A word of a message: NAME:STATE:INCARNATION:LIFE:TAG.
struct NamedNews {
  std::string name;
  News news;

  std::string text() const {
    return name + ":" + name_of(news.state) + ":" + std::to_string(news.incarnation) + ":" +
           std::to_string(news.life) + ":" + news.tag;
  }

  // Nothing: it is no news.
  static std::optional<NamedNews> of(const std::string& word) {
    const std::vector<std::string> parts = suite::split(word, ':');
    if (parts.size() != 5 || parts[0].empty()) return std::nullopt;
    const std::optional<State> state = state_named(parts[1]);
    if (!state || !suite::is_number(parts[2]) || !suite::is_number(parts[3])) return std::nullopt;
    return NamedNews{parts[0], {*state, std::stoull(parts[2]), std::stoull(parts[3]), parts[4]}};
  }
};

// Neither spaces nor colons: they separate news.
inline bool is_tag(const std::string& text) {
  return !text.empty() && text.find_first_of(" :\n") == std::string::npos;
}

}  // namespace group
