// What executions with delays have shown: behind the last delay of a path, where one more can go.
// A path is the points of its delays, ascending. Kept as a tree, each path below the one with a
// delay less: exact, and a path of any length takes the same memory.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "strategy/delaying/sample_path.h"

namespace ricercar::inline strategy {

class KnownPaths {
 public:
  explicit KnownPaths(std::size_t most) : most_(most) {}

  bool is_full() const { return nodes_.size() >= most_; }

  const DelayPlaces* find(const std::vector<std::uint32_t>& path) const {
    const std::optional<std::uint32_t> node = walk(path, path.size());
    return node ? &nodes_[*node] : nullptr;
  }

  // Nothing happens if there is no room, or none was for the path with a delay less.
  void add(const std::vector<std::uint32_t>& path, DelayPlaces places) {
    if (is_full() || find(path) != nullptr) return;
    if (!path.empty()) {
      const std::optional<std::uint32_t> parent = walk(path, path.size() - 1);
      if (!parent) return;
      children_.emplace(key(*parent, path.back()), static_cast<std::uint32_t>(nodes_.size()));
    }
    nodes_.push_back(places);
  }

 private:
  static std::uint64_t key(std::uint32_t node, std::uint32_t delay) {
    return std::uint64_t{node} << 32 | delay;
  }

  // The node of the first `length` delays.
  std::optional<std::uint32_t> walk(const std::vector<std::uint32_t>& path,
                                    std::size_t length) const {
    if (nodes_.empty()) return std::nullopt;
    std::uint32_t node = 0;
    for (std::size_t i = 0; i < length; ++i) {
      const auto child = children_.find(key(node, path[i]));
      if (child == children_.end()) return std::nullopt;
      node = child->second;
    }
    return node;
  }

  const std::size_t most_;
  std::vector<DelayPlaces> nodes_;  // the first one is the path without a delay
  std::unordered_map<std::uint64_t, std::uint32_t> children_;  // by parent and delay
};

}  // namespace ricercar::inline strategy
