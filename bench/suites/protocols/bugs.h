// What the programs of this suite have in common: `name=number` arguments, one of which names the
// bug that is planted. Everything is set before the machines are created and only read afterwards.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace ricercar::suite {

inline int planted_bug = 0;  // 0: the correct version

inline bool bug(int number) { return planted_bug == number; }

// `paxos bug=2 proposers=3`: the sizes that a program knows, with their defaults, and what the
// command line makes of them. A name that the program does not know ends the program with status 2.
class Arguments {
 public:
  using Sizes = std::map<std::string, int, std::less<>>;

  Arguments(int count, char** arguments, Sizes sizes) : sizes_(std::move(sizes)) {
    sizes_["bug"] = 0;
    for (int i = 1; i < count; ++i) take(arguments[i]);
    planted_bug = (*this)["bug"];
  }

  int operator[](std::string_view name) const { return sizes_.find(name)->second; }

 private:
  void take(std::string_view argument) {
    const std::size_t equals = argument.find('=');
    const auto size = sizes_.find(argument.substr(0, equals));
    if (equals == std::string_view::npos || size == sizes_.end()) refuse(argument);
    size->second = std::atoi(argument.data() + equals + 1);
  }

  [[noreturn]] void refuse(std::string_view argument) const {
    std::fprintf(stderr, "%.*s: not one of these, each followed by =NUMBER:",
                 static_cast<int>(argument.size()), argument.data());
    for (const auto& [name, value] : sizes_) std::fprintf(stderr, " %s (%d)", name.c_str(), value);
    std::fprintf(stderr, "\n");
    std::exit(2);
  }

  Sizes sizes_;
};

}  // namespace ricercar::suite
