// The one seeded generator (xorshift64* seeded through splitmix64). Deterministic on every machine.
#pragma once

#include <cstdint>

namespace ricercar::inline base {

// A bijective scrambler: neighbouring inputs give unrelated outputs.
constexpr std::uint64_t mix64(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15ULL;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
  return value ^ (value >> 31);
}

class Random {
 public:
  explicit constexpr Random(std::uint64_t seed) : state_(mix64(seed) | 1) {}

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(state_);
  }

  constexpr std::uint64_t next() {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return state_ * 0x2545f4914f6cdd1dULL;
  }

  // Uniform in [0, bound). Multiply-shift: the bias is below 2^-32 and costs no division.
  constexpr std::uint32_t below(std::uint32_t bound) {
    return static_cast<std::uint32_t>(((next() >> 32) * bound) >> 32);
  }

 private:
  std::uint64_t state_;
};

}  // namespace ricercar::inline base
