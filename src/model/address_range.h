// Ranges of addresses: of a library, of a function, of a variable.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <span>

namespace ricercar::inline model {

struct AddressRange {
  std::uint64_t low = ~std::uint64_t{0};
  std::uint64_t high = 0;  // the first address behind it

  bool contains(std::uint64_t address) const { return address >= low && address < high; }
};

// `ranges` are in ascending order and do not overlap.
inline bool contains(std::span<const AddressRange> ranges, std::uint64_t address) {
  const auto behind = std::upper_bound(
      ranges.begin(), ranges.end(), address,
      [](std::uint64_t wanted, const AddressRange& range) { return wanted < range.low; });
  return behind != ranges.begin() && std::prev(behind)->contains(address);
}

}  // namespace ricercar::inline model
