// Puts the reversal of a race into the wake-up tree of a point (Abdulla, Aronis, Jonsson, Sagonas,
// JACM 2017, section 6): goes down the tree as long as a branch begins with what the sequence could
// begin with, and adds what is left of the sequence there.
//
// What is added is what the second slot of the race needs, the second slot, and then only as much
// of the rest of the execution as it takes to wake everything that sleeps.
#pragma once

#include <optional>
#include <vector>

#include "strategy/reversal.h"
#include "strategy/sleep_set.h"
#include "strategy/wakeup_guide.h"
#include "strategy/wakeup_tree.h"

namespace ricercar::inline strategy {

class WakeupInsertion {
 public:
  // Both must outlive it.
  WakeupInsertion(WakeupTrees& trees, const HappensBefore& order) : trees_(trees), order_(order) {}

  // `sleepers`: at the point. The trace is the one that the race is in.
  void insert(std::uint32_t& tree, Reversal& reversal, std::span<const Sleeper> sleepers,
              Trace trace);

 private:
  // Down to a child that the sequence could begin with. False: all that is left is in the tree.
  bool descend(Reversal& reversal, const WakeupTrees::Node& node, std::uint32_t child);
  bool follow_values(const Reversal::Element& element);
  void add_branch(std::uint32_t& tree, Reversal& reversal);
  std::uint32_t add(std::uint32_t& tree, std::uint16_t choice, bool is_value,
                    const Footprint& footprint);
  void find_values(const Reversal::Element& element);

  WakeupTrees& trees_;
  const HappensBefore& order_;
  Trace trace_;
  SleepSet sleep_;
  std::uint32_t parent_ = no_index;         // where the branch is to be added
  std::uint32_t child_ = no_index;          // the first of its children
  std::optional<std::uint16_t> new_value_;  // the branch begins with it
  std::vector<std::uint16_t> values_;
};

}  // namespace ricercar::inline strategy
