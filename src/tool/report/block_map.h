// Which heap block is at an address: the last one, because memory is used again after it was freed.
#pragma once

#include <cstdint>
#include <iterator>
#include <map>

#include "model/recording.h"

namespace ricercar::inline report {

class BlockMap {
 public:
  explicit BlockMap(const Array<RecordedAllocation>& blocks) {
    for (const RecordedAllocation& block : blocks) add(block);
  }

  // Null: there never was one.
  const RecordedAllocation* find(std::uint64_t address) const {
    auto next = parts_.upper_bound(address);
    if (next == parts_.begin()) return nullptr;
    const Part& part = std::prev(next)->second;
    return address < part.end ? part.block : nullptr;
  }

 private:
  // What is left of a block after later ones were laid over it; parts do not overlap.
  struct Part {
    std::uint64_t end;
    const RecordedAllocation* block;
  };

  void add(const RecordedAllocation& block) {
    const std::uint64_t start = block.address;
    const std::uint64_t end = start + (block.size == 0 ? 1 : block.size);
    split_at(start);
    split_at(end);
    parts_.erase(parts_.lower_bound(start), parts_.lower_bound(end));
    parts_[start] = {end, &block};
  }

  void split_at(std::uint64_t address) {
    const auto next = parts_.lower_bound(address);
    if (next == parts_.begin()) return;
    Part& before = std::prev(next)->second;
    if (before.end <= address) return;
    parts_.emplace_hint(next, address, Part{before.end, before.block});
    before.end = address;
  }

  std::map<std::uint64_t, Part> parts_;  // by their first address
};

}  // namespace ricercar::inline report
