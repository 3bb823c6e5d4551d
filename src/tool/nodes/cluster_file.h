// The file that describes a cluster: its nodes and the clients that drive them.
#pragma once

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

struct ClusterPlan {
  std::string path;             // of the file
  std::vector<NodePlan> nodes;  // with the clients behind them
};

// Throws UsageError with line and column.
ClusterPlan read_cluster(const std::string& path);

}  // namespace ricercar::inline nodes
