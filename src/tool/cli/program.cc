#include "cli/program.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "base/error.h"
#include "nodes/cluster_file.h"
#include "report/executable.h"

namespace ricercar::inline cli {
namespace {

namespace fs = std::filesystem;

std::string search_path(const std::string& name) {
  const char* variable = std::getenv("PATH");
  std::string folders = std::string(variable != nullptr ? variable : "") + ":";
  for (std::size_t colon = 0; (colon = folders.find(':')) != std::string::npos;) {
    const std::string folder = folders.substr(0, colon);
    folders.erase(0, colon + 1);
    const std::string candidate = (folder.empty() ? "." : folder) + "/" + name;
    if (::access(candidate.c_str(), X_OK) == 0 && !fs::is_directory(candidate)) return candidate;
  }
  const std::string here = fs::exists(name) ? "; did you mean ./" + name + "?" : "";
  throw UsageError(fmt::format("there is no program '{}' in PATH{}", name, here));
}

}  // namespace

Program find_program(const std::string& typed, std::vector<std::string> arguments) {
  const std::string found = typed.find('/') == std::string::npos ? search_path(typed) : typed;
  require_controlled(found);
  return {typed, fs::canonical(found), std::move(arguments)};
}

Program find_cluster(const std::string& file) {
  Program program{file, "", {}, {}, {}};
  const ClusterPlan plan = read_cluster(file);
  for (const NodePlan& node : plan.nodes) {
    try {
      require_controlled(node.program);
    } catch (const UsageError& error) {
      throw UsageError(fmt::format("the node '{}': {}", node.name, error.what()));
    }
    program.nodes.push_back(node.program);
  }
  program.path = fs::canonical(file);
  if (!plan.properties.empty()) {
    program.properties = std::make_shared<const PropertyLibrary>(plan.properties);
  }
  return program;
}

// Of a cluster all of its programs count, and what its file says.
std::string build_of(const Program& program) {
  std::string all = build_id_of(program.path);
  for (const std::string& node : program.nodes) all += "+" + build_id_of(node);
  return all;
}

}  // namespace ricercar::inline cli
