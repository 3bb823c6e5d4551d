// Who is primary and who is backup. A server that has started again is another one: each life has a
// number.
#pragma once

#include <cstdint>
#include <sstream>
#include <string>

namespace store {

constexpr std::uint16_t view_port = 7600;
constexpr std::uint16_t store_port = 7700;

struct Server {
  std::string name = "-";  // "-": nobody
  std::uint64_t life = 0;

  bool is_there() const { return name != "-"; }
  bool operator==(const Server&) const = default;
};

struct View {
  std::uint64_t number = 0;
  Server primary;
  Server backup;

  std::string text() const {
    std::ostringstream words;
    words << "view " << number << ' ' << primary.name << ' ' << primary.life << ' ' << backup.name
          << ' ' << backup.life;
    return words.str();
  }
  static View of(const std::string& text) {
    View view;
    std::string word;
    std::istringstream words(text);
    words >> word >> view.number >> view.primary.name >> view.primary.life >> view.backup.name >>
        view.backup.life;
    return view;
  }
};

}  // namespace store
