// Numbers for the blocks of all programs of a cluster. Nodes of one program share them.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "cluster/blocks.h"
#include "nodes/cluster.h"
#include "strategy/capabilities.h"

namespace ricercar::inline nodes {

class BlockNumbers {
 public:
  // Valid until the next call.
  std::span<const BlockCount> of(Cluster& cluster, std::uint32_t node,
                                 std::span<const CoveredBlock> blocks);
  // Where the block with this number is, as Cluster::place_of says it; empty: in no file.
  const std::string& place(std::uint32_t number) const { return *places_[number]; }

  // By what is in no process: the places.
  std::vector<std::string> places() const;
  void give(const std::vector<std::string>& places);

 private:
  std::uint32_t number_of(Cluster& cluster, std::uint32_t node, std::uint64_t address);

  std::map<std::string, std::uint32_t> numbers_;                         // by place
  std::vector<const std::string*> places_;                               // by number
  std::vector<std::unordered_map<std::uint64_t, std::uint32_t>> known_;  // by node and address
  std::vector<pid_t> processes_;  // whose addresses those are, by node
  std::vector<BlockCount> counts_;
};

}  // namespace ricercar::inline nodes
