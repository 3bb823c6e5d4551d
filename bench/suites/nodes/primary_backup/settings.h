// What can be set for a store, in a file of lines "name = value"; what follows a "#" is a comment.
#pragma once

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <sstream>
#include <string>

#include "../common/backoff.h"
#include "../common/calls.h"
#include "../common/files.h"

namespace store {

struct Settings {
  using milliseconds = std::chrono::milliseconds;

  milliseconds ping_interval{100};
  milliseconds tick{100};
  milliseconds patience{500};
  milliseconds retry_first{100};
  milliseconds retry_most{1000};
  std::uint64_t attempts = 5;

  suite::Backoff backoff() const { return {retry_first, retry_most}; }

  // A mistake in the file ends the program, with the line. What is not there stays as it is.
  static Settings read(const std::string& file) {
    Settings settings;
    std::istringstream text(suite::content_of(file));
    int number = 0;
    for (std::string line; std::getline(text, line);) {
      ++number;
      const auto words = suite::words_of(line.substr(0, line.find('#')));
      if (words.empty()) continue;
      const bool is_setting = words.size() == 3 && words[1] == "=" && suite::is_number(words[2]);
      if (!is_setting || !settings.set(words[0], std::stoull(words[2]))) {
        std::fprintf(stderr, "%s:%d: not a setting: %s\n", file.c_str(), number, line.c_str());
        std::exit(2);
      }
    }
    return settings;
  }

 private:
  // False: there is no such setting.
  bool set(const std::string& name, std::uint64_t value) {
    const std::map<std::string, milliseconds*> times = {{"ping_interval_ms", &ping_interval},
                                                        {"tick_ms", &tick},
                                                        {"patience_ms", &patience},
                                                        {"retry_first_ms", &retry_first},
                                                        {"retry_most_ms", &retry_most}};
    if (const auto found = times.find(name); found != times.end()) {
      *found->second = milliseconds(value);
      return true;
    }
    if (name != "attempts") return false;
    attempts = value;
    return true;
  }
};

}  // namespace store
