// The bug that was planted in a program of this suite: `--bug=NAME` on its command line. Read at
// the start of main and never changed.
#pragma once

#include <cstring>
#include <string_view>

namespace suite {

inline std::string_view planted_bug = "none";

inline bool has_bug(std::string_view name) { return planted_bug == name; }

// The value of `--NAME=VALUE`, or what it is without one.
inline std::string_view option(int count, char** arguments, std::string_view name,
                               std::string_view otherwise) {
  for (int i = 1; i < count; ++i) {
    std::string_view argument = arguments[i];
    if (!argument.starts_with("--")) continue;
    argument.remove_prefix(2);
    if (argument.starts_with(name) && argument.substr(name.size()).starts_with("=")) {
      return argument.substr(name.size() + 1);
    }
  }
  return otherwise;
}

inline void read_bug(int count, char** arguments) {
  planted_bug = option(count, arguments, "bug", "none");
}

}  // namespace suite
