// The clocks of synchronisation objects and atomics, by name: an open-addressing hash table whose
// entries are stamped with the number of the execution, so that a new execution starts with an
// empty table at no cost. Not thread-safe.
#pragma once

#include <cstdint>
#include <vector>

#include "detect/pool.h"
#include "detect/vector_clock.h"

namespace ricercar::inline detect {

class ObjectClocks {
 public:
  ObjectClocks() : entries_(1u << initial_bits) {}

  void begin_execution();

  // The clock of this name, or nullptr if it has none in this execution.
  VectorClock* find(std::uint64_t name) {
    for (std::uint32_t i = home_of(name);; i = next(i)) {
      const Entry& entry = entries_[i];
      if (entry.stamp != execution_) return nullptr;
      if (entry.name == name) return entry.clock;
    }
  }

  // The clock of this name, empty if it is new.
  VectorClock& obtain(std::uint64_t name) {
    VectorClock* clock = find(name);
    return clock != nullptr ? *clock : insert(name);
  }

 private:
  struct Entry {
    std::uint64_t name = 0;
    VectorClock* clock = nullptr;
    std::uint32_t stamp = 0;  // in use if this is `execution_`
  };
  static constexpr std::uint32_t initial_bits = 8;

  std::uint32_t home_of(std::uint64_t name) const {
    return static_cast<std::uint32_t>((name * 0x9e3779b97f4a7c15ULL) >> (64 - bits_));
  }
  std::uint32_t next(std::uint32_t i) const { return (i + 1) & ((1u << bits_) - 1); }
  VectorClock& insert(std::uint64_t name);
  void place(const Entry& entry);
  void grow();

  std::uint32_t execution_ = 1;
  std::uint32_t bits_ = initial_bits;
  std::uint32_t used_ = 0;      // entries in use: at most half of the table
  std::vector<Entry> entries_;  // 2^bits_ of them
  Pool<VectorClock> clocks_;
};

}  // namespace ricercar::inline detect
