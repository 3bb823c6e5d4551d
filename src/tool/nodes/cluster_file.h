// The file that describes a cluster: its nodes and the clients that drive them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ricercar::inline nodes {

struct NodePlan {
  std::string name;                      // also its host name
  std::string program;                   // absolute
  std::vector<std::string> arguments;    // without the program's name
  std::vector<std::string> environment;  // NAME=VALUE, added to the tool's own
  std::string folder;                    // where it runs; absolute
  bool is_client = false;                // an execution is over when all clients have ended
};

// How often each may happen in one execution.
struct FaultBudget {
  std::uint32_t drop = 0;       // a datagram is lost
  std::uint32_t duplicate = 0;  // a datagram comes twice
  std::uint32_t reorder = 0;    // a datagram is overtaken by the next one
  std::uint32_t crash = 0;      // a node stops in the middle
  std::uint32_t restart = 0;    // one that has crashed begins again
};

struct ClusterPlan {
  std::string path;             // of the file
  std::vector<NodePlan> nodes;  // with the clients behind them
  FaultBudget faults;
  std::string properties;  // a file with properties, absolute; empty: there is none
};

// Throws UsageError with line and column.
ClusterPlan read_cluster(const std::string& path);

}  // namespace ricercar::inline nodes
