// The basic blocks that a node runs through while it has the turn, and how often. One process of
// the cluster runs at a time, so there is one list for all of them.
#pragma once

#include <cstdint>
#include <span>

namespace ricercar::inline cluster {

struct CoveredBlock {
  std::uint64_t address;  // in the node's code
  std::uint32_t times;
};

class BlockLog {
 public:
  // What comes from now on belongs to another turn.
  void begin_turn() { ++turn_, count_ = 0; }

  void add(std::uint64_t address) {
    Entry& first = table_[slot_of(address)];
    if (first.address == address && first.turn == turn_) [[likely]] {
      ++blocks_[first.index].times;
    } else {
      add_somewhere(address);
    }
  }

  std::span<const CoveredBlock> blocks() const { return {blocks_, count_}; }

 private:
  static constexpr std::uint32_t size = 1 << 16;
  static constexpr std::uint32_t most = size / 2;  // more blocks in one turn are not noted

  struct Entry {
    std::uint64_t address;
    std::uint64_t turn;
    std::uint32_t index;
  };

  static std::uint32_t slot_of(std::uint64_t address) {
    return static_cast<std::uint32_t>(address * 0x9e3779b97f4a7c15 >> 48);
  }
  void add_somewhere(std::uint64_t address) {
    std::uint32_t slot = slot_of(address);
    while (table_[slot].turn == turn_ && table_[slot].address != address) slot = (slot + 1) % size;
    Entry& entry = table_[slot];
    if (entry.turn != turn_) {
      if (count_ == most) return;
      blocks_[count_] = {address, 0};
      entry = {address, turn_, count_++};
    }
    ++blocks_[entry.index].times;
  }

  std::uint64_t turn_ = 0;
  std::uint32_t count_ = 0;
  CoveredBlock blocks_[most];
  Entry table_[size];
};

}  // namespace ricercar::inline cluster
