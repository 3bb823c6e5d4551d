// The file that describes a cluster: its nodes and the clients that drive them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ricercar::inline nodes {

struct NodePlan {
  std::string name;                      // also its host name
  std::string program;                   // absolute
  std::vector<std::string> arguments;    // without the program's name
  std::vector<std::string> environment;  // NAME=VALUE, added to the tool's own
  std::string folder;                    // where it runs; absolute
  bool has_own_folder = false;           // the file names it
  bool is_client = false;                // an execution is over when all clients have ended
};

// What may go wrong on purpose; cluster_file.cc has their names.
enum class FaultKind : std::uint8_t {
  drop,       // a datagram is lost
  duplicate,  // a datagram comes twice
  reorder,    // a datagram is overtaken by the next one
  delay,      // a message comes later than the receiver's next time limit
  partition,  // some nodes do not hear others, until the network heals
  crash,      // a node stops in the middle
  restart,    // one that has crashed begins again
  skew,       // the date of a node jumps
  disk,       // a write or a sync of a file fails, or a crash tears a write
  cut_short,  // a call reads or writes less than it could
};
inline constexpr std::size_t fault_kinds = 10;

// How often each may happen in one execution.
class FaultBudget {
 public:
  std::uint32_t& operator[](FaultKind kind) { return left_[static_cast<std::size_t>(kind)]; }
  std::uint32_t operator[](FaultKind kind) const { return left_[static_cast<std::size_t>(kind)]; }
  bool any() const {
    return std::any_of(left_.begin(), left_.end(), [](std::uint32_t left) { return left > 0; });
  }

 private:
  std::array<std::uint32_t, fault_kinds> left_ = {};
};

// An option of `ricercar run` that the file gives.
struct SearchField {
  std::string name;   // as on the command line, without dashes
  std::string value;  // likewise
  std::string place;  // FILE:LINE:COLUMN
};

struct ClusterPlan {
  std::string path;             // of the file
  std::vector<NodePlan> nodes;  // with the clients behind them
  FaultBudget faults;
  bool is_swarm = false;  // each execution has a part of the kinds of faults only
  std::uint32_t progress =
      0;                   // steps after everything was healed in which clients must end; 0: any
  std::string properties;  // a file with properties, absolute; empty: there is none
  // How often a time limit may pass although others could still do something; nothing: always.
  std::optional<std::uint32_t> early_timeouts;
  std::string folder;                 // in which the next one runs
  std::vector<std::string> clean_up;  // a command, run before every execution; empty: there is none
  std::vector<SearchField> search;    // how to search, unless the command line says otherwise
};

// Throws UsageError with line and column.
ClusterPlan read_cluster(const std::string& path);

}  // namespace ricercar::inline nodes
