// The coordinator: the process that searches a cluster. The tool starts it as it starts a program
// under test, and talks to it in the same way.
#pragma once

#include <string>
#include <vector>

namespace ricercar::inline nodes {

// The name of the hidden command that makes the tool a coordinator.
inline constexpr const char* coordinator_command = "coordinate-nodes";

// Searches or replays as the tool that started this process asks for. `properties`: the library to
// which they were compiled, or nothing. `output`: a folder for what each node writes in a replay,
// or nothing. `copies`: see SharedCluster::copies. The status of the process.
int coordinate(const std::string& cluster_file, const std::string& properties,
               const std::string& output, const std::vector<std::string>& copies);

}  // namespace ricercar::inline nodes
