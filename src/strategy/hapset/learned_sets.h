// Predecessor sets as plain data: what an earlier search has learned, on its way into a new one.
#pragma once

#include <cstdint>
#include <span>

namespace ricercar::inline strategy {

class PredecessorSets;

struct LearnedPair {
  std::uint32_t later;  // statements
  std::uint32_t earlier;
  std::uint32_t count;  // 0: it only looks possible
  bool later_is_local;
};

struct LearnedSets {
  std::span<const std::uint64_t> places;  // of all statements: see PredecessorSets::statement
  std::span<const std::uint32_t> ends;    // by statement: where its places end
  std::span<const LearnedPair> pairs;
};

void give(const LearnedSets& learned, PredecessorSets& sets);

}  // namespace ricercar::inline strategy
