#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "base/error.h"
#include "base/files.h"
#include "cli/run_options.h"
#include "cli/terminal.h"
#include "report/run_formats.h"
#include "report/summary.h"

namespace ricercar::inline cli {
namespace {

namespace fs = std::filesystem;

// Where the builder has put the repository, or where the next one above begins.
std::string repository_above(const fs::path& folder) {
  for (const char* name : {"GITHUB_WORKSPACE", "CI_PROJECT_DIR"}) {
    const char* value = std::getenv(name);
    if (value != nullptr && *value == '/') return fs::path(value).lexically_normal().string();
  }
  for (fs::path each = folder; each != each.root_path(); each = each.parent_path()) {
    if (fs::exists(each / ".git")) return each.string();
  }
  return folder.string();
}

RunFormatContext context() {
  const fs::path folder = fs::current_path();
  return {{repository_above(folder), folder.string()}, RICERCAR_VERSION, tool_command()};
}

bool write_one(const std::string& path, const std::string& content) {
  if (path == "-") {
    fmt::print("{}", content);
    return true;
  }
  try {
    write_file(path, content);
    return true;
  } catch (const UsageError& error) {
    fmt::print(stderr, "ricercar: {}\n", error.what());
    return false;
  }
}

}  // namespace

bool write_run_files(const RunOptions& options, const RunSummary& summary, std::FILE* people) {
  bool is_written = true;
  if (!options.json.empty()) is_written = write_one(options.json, summary_json(summary));
  if (!options.junit.empty()) {
    is_written = write_one(options.junit, junit_summary(summary, context())) && is_written;
  }
  if (!options.sarif.empty()) {
    is_written = write_one(options.sarif, sarif_summary(summary, context())) && is_written;
  }
  if (options.github) fmt::print(people, "{}", github_summary(summary, context()));
  return is_written;
}

}  // namespace ricercar::inline cli
