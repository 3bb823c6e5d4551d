// What a server tells the people who run it: a line on standard error, with the time since its
// start. Thread-safe.
#pragma once

#include <chrono>
#include <cstdio>
#include <string>

namespace suite {

inline void note(const std::string& what) {
  using Clock = std::chrono::steady_clock;
  static const Clock::time_point start = Clock::now();
  const auto passed = std::chrono::duration<double>(Clock::now() - start);
  std::fprintf(stderr, "[%8.3f] %s\n", passed.count(), what.c_str());
}

}  // namespace suite
