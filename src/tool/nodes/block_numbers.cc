#include "nodes/block_numbers.h"

namespace ricercar::inline nodes {

std::span<const BlockCount> BlockNumbers::of(Cluster& cluster, std::uint32_t node,
                                             std::span<const CoveredBlock> blocks) {
  known_.resize(cluster.size());
  processes_.resize(cluster.size(), -1);
  // Another process of the node may have the program elsewhere.
  if (processes_[node] != cluster.process_of(node)) known_[node].clear();
  processes_[node] = cluster.process_of(node);
  counts_.clear();
  for (const CoveredBlock& block : blocks) {
    counts_.push_back({number_of(cluster, node, block.address), block.times});
  }
  return counts_;
}

std::vector<std::string> BlockNumbers::places() const {
  std::vector<std::string> all;
  for (const std::string* place : places_) all.push_back(*place);
  return all;
}

void BlockNumbers::give(const std::vector<std::string>& places) {
  for (const std::string& place : places) {
    const auto next = static_cast<std::uint32_t>(numbers_.size());
    places_.push_back(&numbers_.try_emplace(place, next).first->first);
  }
}

std::uint32_t BlockNumbers::number_of(Cluster& cluster, std::uint32_t node, std::uint64_t address) {
  const auto [known, is_new] = known_[node].try_emplace(address, 0);
  if (!is_new) return known->second;
  const auto next = static_cast<std::uint32_t>(numbers_.size());
  const auto [place, is_first] = numbers_.try_emplace(cluster.place_of(node, address), next);
  if (is_first) places_.push_back(&place->first);
  known->second = place->second;
  return known->second;
}

}  // namespace ricercar::inline nodes
