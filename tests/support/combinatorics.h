// Numbers of interleavings, by formula.
#pragma once

#include <cstdint>

namespace ricercar::test {

inline std::uint64_t factorial(std::uint64_t n) { return n < 2 ? 1 : n * factorial(n - 1); }

// The ways to interleave `sequences` sequences of `length` steps each.
inline std::uint64_t multinomial(std::uint64_t sequences, std::uint64_t length) {
  std::uint64_t ways = factorial(sequences * length);
  for (std::uint64_t i = 0; i < sequences; ++i) ways /= factorial(length);
  return ways;
}

}  // namespace ricercar::test
