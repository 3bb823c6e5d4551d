// The executions of a best-first search as a tree of differences from the default behaviour
// (GAMBIT, section 3.2): a node is its parent's execution up to a choice point, another decision
// there, and the default behaviour from there on. A node goes when it has been run and the last of
// the executions that were found below it has gone.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/plain.h"

namespace ricercar::inline strategy {

class ExecutionTree {
 public:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  static constexpr std::uint32_t root = 0;

  struct Node {
    std::uint32_t parent;
    std::uint32_t first_child;
    std::uint32_t next_sibling;
    std::uint32_t depth;     // of the choice point, counted from 1
    std::uint32_t children;  // that have not gone, those that wait included
    std::uint32_t run;       // which execution it was, counted from 1; 0: it waits
    std::uint16_t choice;
    // Numbers of footprints (FootprintTable): of what the parent did at the point, and of what
    // this one did there, once it has been run.
    std::uint16_t passed;
    std::uint16_t own;
    bool is_value;  // the choice is an alternative, and no task
  };
  static_assert(sizeof(Node) <= 32);

  // With `remembers_children` a node knows the children that have been run as well, for as long as
  // it lives itself: a child is never added twice.
  explicit ExecutionTree(bool remembers_children) : remembers_(remembers_children) {
    nodes_.push_back({none, none, none, 0, 0, 0, 0, 0, 0, false});
    if (remembers_) table_.resize(64, none);
  }

  template <typename Archive>
  void serialize(Archive& archive) {
    // A text tells how much memory it takes.
    std::uint64_t room = nodes_.capacity();
    archive(room);
    nodes_.reserve(room);
    archive(plain(nodes_), free_, table_, entries_, live_, created_);
  }

  const Node& operator[](std::uint32_t node) const { return nodes_[node]; }
  std::uint64_t size() const { return live_; }
  std::uint64_t created() const { return created_; }
  std::size_t most_nodes() const { return nodes_.size(); }  // at a time, so far
  std::uint64_t bytes() const { return nodes_.capacity() * sizeof(Node) + table_.capacity() * 4; }

  // By node: the depth of its deepest child that has not gone.
  std::vector<std::uint32_t> deepest_children() const {
    std::vector<std::uint32_t> deepest(nodes_.size(), 0);
    for (std::size_t i = 1; i < nodes_.size(); ++i) {
      if (has_gone(nodes_[i])) continue;
      std::uint32_t& depth = deepest[nodes_[i].parent];
      depth = std::max(depth, nodes_[i].depth);
    }
    return deepest;
  }
  // How many nodes the same executions would take in a tree with one for every choice, shared by
  // those that begin alike (the paper's Figure 3a), down to their deepest children.
  std::uint64_t uncompressed_size(const std::vector<std::uint32_t>& deepest_children) const {
    std::uint64_t size = 1 + (deepest_children[root] > 0 ? deepest_children[root] - 1 : 0);
    for (std::size_t i = 1; i < nodes_.size(); ++i) {
      if (has_gone(nodes_[i])) continue;
      const std::uint32_t end = deepest_children[i];
      size += end > nodes_[i].depth ? end - nodes_[i].depth : 1;
    }
    return size;
  }

  // The child of this name; `none`: it is not known.
  std::uint32_t find(std::uint32_t parent, std::uint32_t depth, std::uint16_t choice) const {
    if (!remembers_) return none;
    for (std::size_t i = slot(parent, depth, choice);; i = (i + 1) & (table_.size() - 1)) {
      if (table_[i] == none) return none;
      const Node& node = nodes_[table_[i]];
      if (node.parent == parent && node.depth == depth && node.choice == choice) return table_[i];
    }
  }

  // A child was found. It becomes a node now or later, by add().
  void expect_child(std::uint32_t parent) { ++nodes_[parent].children; }

  std::uint32_t add(std::uint32_t parent, std::uint32_t depth, std::uint16_t choice,
                    std::uint16_t passed = 0, bool is_value = false) {
    const std::uint32_t node = allocate();
    nodes_[node] = {parent, none, none, depth, 0, 0, choice, passed, 0, is_value};
    if (remembers_) {
      nodes_[node].next_sibling = nodes_[parent].first_child;
      nodes_[parent].first_child = node;
      if (++entries_ * 2 > table_.size()) grow();
      enter(node);
    }
    ++live_;
    ++created_;
    return node;
  }

  // The node is run, as this execution.
  void start(std::uint32_t node, std::uint32_t execution) { nodes_[node].run = execution; }
  void set_own(std::uint32_t node, std::uint16_t footprint) { nodes_[node].own = footprint; }
  void set_passed(std::uint32_t node, std::uint16_t footprint) { nodes_[node].passed = footprint; }

  // The node has been run, and its children are known.
  void finish(std::uint32_t node) {
    while (node != root && nodes_[node].run != 0 && nodes_[node].children == 0) {
      const std::uint32_t parent = nodes_[node].parent;
      if (remembers_) {
        forget_children(node);
      } else {
        release(node);
      }
      --live_;
      --nodes_[parent].children;
      node = parent;
    }
  }

 private:
  // As a name it may be there still, or as a place for another one.
  static bool has_gone(const Node& node) { return node.run != 0 && node.children == 0; }

  // A child that has gone stays as a name only, until its parent goes.
  void forget_children(std::uint32_t node) {
    std::uint32_t child = nodes_[node].first_child;
    while (child != none) {
      const std::uint32_t next = nodes_[child].next_sibling;
      leave(child);
      release(child);
      child = next;
    }
    nodes_[node].first_child = none;
  }

  std::uint32_t allocate() {
    if (free_ == none) {
      nodes_.emplace_back();
      return static_cast<std::uint32_t>(nodes_.size() - 1);
    }
    const std::uint32_t node = free_;
    free_ = nodes_[node].parent;
    return node;
  }
  void release(std::uint32_t node) {
    nodes_[node].parent = free_;
    free_ = node;
  }

  std::size_t slot(std::uint32_t parent, std::uint32_t depth, std::uint16_t choice) const {
    std::uint64_t hash = (std::uint64_t{parent} << 32 | depth) * 0x9e3779b97f4a7c15ULL + choice;
    hash ^= hash >> 29;
    hash *= 0xbf58476d1ce4e5b9ULL;
    return (hash >> 20) & (table_.size() - 1);
  }
  void enter(std::uint32_t node) {
    std::size_t i = slot(nodes_[node].parent, nodes_[node].depth, nodes_[node].choice);
    while (table_[i] != none) i = (i + 1) & (table_.size() - 1);
    table_[i] = node;
  }
  // Closes the gap, so that every entry can still be found from where it belongs.
  void leave(std::uint32_t node) {
    const std::size_t mask = table_.size() - 1;
    std::size_t gap = slot(nodes_[node].parent, nodes_[node].depth, nodes_[node].choice);
    while (table_[gap] != node) gap = (gap + 1) & mask;
    --entries_;
    for (std::size_t i = (gap + 1) & mask; table_[i] != none; i = (i + 1) & mask) {
      const Node& other = nodes_[table_[i]];
      const std::size_t home = slot(other.parent, other.depth, other.choice);
      if (((i - home) & mask) < ((i - gap) & mask)) continue;
      table_[gap] = table_[i];
      gap = i;
    }
    table_[gap] = none;
  }
  void grow() {
    std::vector<std::uint32_t> old(table_.size() * 2, none);
    old.swap(table_);
    for (const std::uint32_t node : old) {
      if (node != none) enter(node);
    }
  }

  bool remembers_;
  std::vector<Node> nodes_;
  std::uint32_t free_ = none;
  std::vector<std::uint32_t> table_;  // nodes by parent, depth and choice
  std::size_t entries_ = 0;
  std::uint64_t live_ = 1;
  std::uint64_t created_ = 1;
};

}  // namespace ricercar::inline strategy
