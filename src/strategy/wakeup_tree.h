// What a search still has to run from a choice point on: sequences of decisions, stored as a tree
// (the wake-up trees of Abdulla, Aronis, Jonsson and Sagonas, Source Sets: A Foundation for Optimal
// Dynamic Partial Order Reduction, JACM 2017). A pool holds the nodes of all trees.
#pragma once

#include <cstdint>
#include <vector>

#include "base/plain.h"
#include "model/dependence.h"

namespace ricercar::inline strategy {

class WakeupTrees {
 public:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  struct Node {
    Footprint footprint;   // of the slot
    std::uint16_t choice;  // a task, or an alternative
    bool is_value;
    std::uint32_t children = none;
    std::uint32_t next = none;  // among the children of one node
  };

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(plain(nodes_), free_);
  }

  const Node& operator[](std::uint32_t node) const { return nodes_[node]; }

  // Appends a node to a list of siblings, whose first one is `first`; returns the node.
  std::uint32_t append(std::uint32_t& first, std::uint16_t choice, bool is_value,
                       const Footprint& footprint) {
    const std::uint32_t node = allocate();
    nodes_[node] = {footprint, choice, is_value, none, none};
    if (first == none) {
      first = node;
    } else {
      nodes_[last(first)].next = node;
    }
    return node;
  }
  std::uint32_t append_child(std::uint32_t parent, std::uint16_t choice, bool is_value,
                             const Footprint& footprint) {
    std::uint32_t first = nodes_[parent].children;
    const std::uint32_t node = append(first, choice, is_value, footprint);
    nodes_[parent].children = first;
    return node;
  }

  // Gives children to a node that has none.
  void adopt(std::uint32_t parent, std::uint32_t children) { nodes_[parent].children = children; }

  std::uint32_t find(std::uint32_t first, std::uint16_t choice, bool is_value) const {
    for (std::uint32_t i = first; i != none; i = nodes_[i].next) {
      if (nodes_[i].choice == choice && nodes_[i].is_value == is_value) return i;
    }
    return none;
  }

  // Takes a node out of its list of siblings; returns its children, which are the caller's now.
  std::uint32_t take(std::uint32_t& first, std::uint32_t node) {
    std::uint32_t* link = &first;
    while (*link != node) link = &nodes_[*link].next;
    *link = nodes_[node].next;
    const std::uint32_t children = nodes_[node].children;
    release(node);
    return children;
  }

  void drop(std::uint32_t first) {
    while (first != none) {
      const std::uint32_t next = nodes_[first].next;
      drop(nodes_[first].children);
      release(first);
      first = next;
    }
  }

  std::uint32_t count(std::uint32_t first) const {
    std::uint32_t result = 0;
    for (std::uint32_t i = first; i != none; i = nodes_[i].next) ++result;
    return result;
  }

 private:
  std::uint32_t last(std::uint32_t node) const {
    while (nodes_[node].next != none) node = nodes_[node].next;
    return node;
  }
  std::uint32_t allocate() {
    if (free_ == none) {
      nodes_.emplace_back();
      return static_cast<std::uint32_t>(nodes_.size() - 1);
    }
    const std::uint32_t node = free_;
    free_ = nodes_[node].next;
    return node;
  }
  void release(std::uint32_t node) {
    nodes_[node].next = free_;
    free_ = node;
  }

  std::vector<Node> nodes_;
  std::uint32_t free_ = none;
};

}  // namespace ricercar::inline strategy
