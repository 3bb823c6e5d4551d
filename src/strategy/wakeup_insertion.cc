#include "strategy/wakeup_insertion.h"

namespace ricercar::inline strategy {

void WakeupInsertion::insert(std::uint32_t& tree, Reversal& reversal,
                             std::span<const Sleeper> sleepers, Trace trace) {
  trace_ = trace;
  sleep_.assign(sleepers);
  // The decision that is being explored will sleep too when the sequence is run.
  const HappensBefore::Slot& first = order_.slots()[reversal.race().first];
  sleep_.add({static_cast<std::uint16_t>(index(first.task)), first.footprint});
  parent_ = no_index;
  child_ = tree;
  new_value_.reset();
  while (child_ != no_index) {
    const WakeupTrees::Node node = trees_[child_];
    if (node.is_value || !reversal.is_weak_initial(node.choice, node.footprint)) {
      sleep_.add({node.choice, node.footprint});
      child_ = node.next;
      continue;
    }
    if (!descend(reversal, node, child_)) return;
    if (new_value_) break;
  }
  add_branch(tree, reversal);
}

bool WakeupInsertion::descend(Reversal& reversal, const WakeupTrees::Node& node,
                              std::uint32_t child) {
  const std::size_t same = reversal.first_of(node.choice);
  sleep_.wake(node.choice, node.footprint);
  parent_ = child;
  child_ = node.children;
  if (same < reversal.size()) {
    const Reversal::Element element = reversal[same];
    reversal.remove(same);
    if (!follow_values(element)) return false;
    if (new_value_) return true;
  }
  // Whatever comes after a leaf will be explored.
  return child_ != no_index && reversal.needed() != 0;
}

// The alternatives that the slot has taken. False: whatever comes after the last one of them that
// is in the tree will be explored.
bool WakeupInsertion::follow_values(const Reversal::Element& element) {
  find_values(element);
  for (const std::uint16_t value : values_) {
    if (child_ == no_index) return false;
    const std::uint32_t found = trees_.find(child_, value, true);
    if (found == no_index) {
      new_value_ = value;
      return true;
    }
    parent_ = found;
    child_ = trees_[found].children;
  }
  return true;
}

void WakeupInsertion::find_values(const Reversal::Element& element) {
  values_.clear();
  if (element.slot == HappensBefore::none) return;
  const std::uint64_t start = order_.slots()[element.slot].step;
  const std::uint64_t end = slot_end(trace_, start);
  for (std::uint64_t i = start; i < end; ++i) {
    if ((trace_[i].flags & step_value) != 0) {
      values_.push_back(static_cast<std::uint16_t>(trace_[i].value));
    }
  }
}

std::uint32_t WakeupInsertion::add(std::uint32_t& tree, std::uint16_t choice, bool is_value,
                                   const Footprint& footprint) {
  if (parent_ == no_index) return trees_.append(tree, choice, is_value, footprint);
  return trees_.append_child(parent_, choice, is_value, footprint);
}

void WakeupInsertion::add_branch(std::uint32_t& tree, Reversal& reversal) {
  if (new_value_) parent_ = add(tree, *new_value_, true, {});
  for (std::size_t i = 0;; ++i) {
    if (i >= reversal.needed()) {
      if (sleep_.empty()) return;
      reversal.add_rest();
    }
    if (i >= reversal.size()) return;
    const Reversal::Element element = reversal[i];
    const Footprint& footprint = reversal.footprint_of(element);
    parent_ = add(tree, element.task, false, footprint);
    sleep_.wake(element.task, footprint);
    find_values(element);
    for (const std::uint16_t value : values_) parent_ = add(tree, value, true, {});
  }
}

}  // namespace ricercar::inline strategy
