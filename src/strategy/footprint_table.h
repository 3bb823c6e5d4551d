// Footprints by small numbers: a program has few different ones, and a search keeps very many.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "model/dependence.h"

namespace ricercar::inline strategy {

class FootprintTable {
 public:
  using Number = std::uint16_t;
  // Of what depends on everything: also what stands for all that the table has no room for.
  static constexpr Number everything = 0;
  // Of what nobody did.
  static constexpr Number nothing_done = 0xffff;

  const Footprint& operator[](Number number) const { return footprints_[number]; }

  Number number_of(const Footprint& footprint) {
    const auto [first, last] = numbers_.equal_range(footprint.hash());
    for (auto i = first; i != last; ++i) {
      if (footprints_[i->second] == footprint) return i->second;
    }
    if (footprints_.size() == nothing_done) return everything;
    const auto number = static_cast<Number>(footprints_.size());
    footprints_.push_back(footprint);
    numbers_.emplace(footprint.hash(), number);
    return number;
  }

 private:
  std::vector<Footprint> footprints_{Footprint::all()};
  std::unordered_multimap<std::uint64_t, Number> numbers_;  // by hash
};

}  // namespace ricercar::inline strategy
