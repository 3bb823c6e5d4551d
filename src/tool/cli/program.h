// What is searched or replayed: a program, or a cluster of them, as it was named on the command
// line. Owns nothing but the properties of a cluster; copies share these. Any thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/property_library.h"

namespace ricercar::inline cli {

struct Program {
  std::string typed;                   // as the user wrote it
  std::string path;                    // absolute
  std::vector<std::string> arguments;  // without the program's name
  // The programs of a cluster: then `path` is that of the file which describes it.
  std::vector<std::string> nodes = {};
  std::shared_ptr<const PropertyLibrary> properties = {};  // of a cluster; null: it has none

  bool is_cluster() const { return !nodes.empty(); }
};

// Finds a program as a shell does. Throws UsageError if there is none or it is not under control.
Program find_program(const std::string& typed, std::vector<std::string> arguments);

// A cluster by its file. Throws UsageError if it is wrong, or a node is not under control.
Program find_cluster(const std::string& file);
// Tells one build from another.
std::string build_of(const Program& program);

}  // namespace ricercar::inline cli
