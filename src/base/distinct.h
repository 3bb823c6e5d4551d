// How many different numbers there were, in four kilobytes: an estimate that is off by 2 % or less
// in most cases (Flajolet, Fusy, Gandouet, Meunier, HyperLogLog, AofA 2007), exact or nearly so
// while there are few.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

namespace ricercar::inline base {

class DistinctCounter {
 public:
  // The numbers should look random: hashes.
  void add(std::uint64_t hash) {
    const std::uint64_t place = hash >> (64 - bits);
    const auto rank = static_cast<std::uint8_t>(std::countl_zero(hash << bits | 1) + 1);
    if (rank > ranks_[place]) ranks_[place] = rank;
  }

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(ranks_);
  }

  // All that the other one was given.
  void add(const DistinctCounter& other) {
    for (std::size_t i = 0; i < ranks_.size(); ++i)
      ranks_[i] = std::max(ranks_[i], other.ranks_[i]);
  }

  std::uint64_t estimate() const {
    double sum = 0;
    std::uint32_t empty = 0;
    for (const std::uint8_t rank : ranks_) {
      sum += std::ldexp(1.0, -rank);
      if (rank == 0) ++empty;
    }
    const double places = ranks_.size();
    const double raw = 0.7213 / (1 + 1.079 / places) * places * places / sum;
    // With few numbers, how many places are still empty tells more.
    if (raw < 2.5 * places && empty != 0) {
      return static_cast<std::uint64_t>(places * std::log(places / empty) + 0.5);
    }
    return static_cast<std::uint64_t>(raw + 0.5);
  }

 private:
  static constexpr int bits = 12;
  std::array<std::uint8_t, std::size_t{1} << bits> ranks_{};
};

}  // namespace ricercar::inline base
