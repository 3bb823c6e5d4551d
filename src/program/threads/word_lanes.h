// Words of memory (8 aligned bytes) in lanes of 64: a set of words, and who has touched which of
// them. What is done to a large range is done lane by lane, and a lane is found by its page.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/flat_map.h"
#include "model/ids.h"

namespace ricercar::inline threads {

inline constexpr std::uint64_t word_bytes = 8;
inline constexpr std::uint64_t words_per_lane = 64;
inline constexpr std::uint64_t lane_bytes = word_bytes * words_per_lane;
inline constexpr std::uint64_t lanes_per_page = 8;

// The words of a lane as bits.
struct LaneBits {
  std::uint64_t lane;
  std::uint64_t bits;
};

// Calls visit(lane, bits) for each lane of a range of at least one byte.
template <typename Visit>
void for_each_lane(std::uint64_t address, std::uint64_t size, Visit visit) {
  const std::uint64_t last = (address + size - 1) / word_bytes;
  for (std::uint64_t word = address / word_bytes; word <= last;) {
    const std::uint64_t offset = word % words_per_lane;
    const std::uint64_t count = std::min(words_per_lane - offset, last - word + 1);
    visit(word / words_per_lane, (~std::uint64_t{0} >> (words_per_lane - count)) << offset);
    word += count;
  }
}

// It outlives a worker: see base/search_heap.h.
class WordSet {
 public:
  std::uint64_t bits(std::uint64_t lane) const {
    const std::uint64_t* found = lanes_.find(lane + 1);
    return found == nullptr ? 0 : *found;
  }
  void insert(const LaneBits& words) { lanes_.at(words.lane + 1, 0) |= words.bits; }

 private:
  FlatMap<std::uint64_t> lanes_;
};

// Who has touched the words of a lane in one execution.
struct TouchedLane {
  std::uint32_t execution = 0;
  TaskId owner = no_task;  // who touched all of them first, unless there are `owners`
  std::uint32_t owners = 0;
  std::uint64_t known = 0;  // to be shared: nothing else is noted of these words
  std::uint64_t touched = 0;
  std::uint64_t written = 0;
  std::uint64_t shared = 0;  // by several tasks
};

struct TouchedPage {
  std::uint64_t number = 0;
  std::array<TouchedLane, lanes_per_page> lanes = {};
};

}  // namespace ricercar::inline threads
