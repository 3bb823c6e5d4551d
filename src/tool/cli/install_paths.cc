#include "cli/install_paths.h"

#include <filesystem>

#include "base/error.h"

namespace ricercar::inline cli {
namespace {

namespace fs = std::filesystem;

fs::path find_library_folder(const fs::path& prefix) {
  for (const char* folder : {"lib", RICERCAR_INSTALL_LIBDIR}) {
    if (fs::exists(prefix / folder / "libricercar.so")) return prefix / folder;
  }
  throw UsageError("libricercar.so is not in " + (prefix / "lib").string() +
                   "; build or install Ricercar completely");
}

fs::path find_include_folder(const fs::path& prefix) {
  if (fs::exists(prefix / "include/ricercar/ricercar.h")) return prefix / "include";
  return RICERCAR_SOURCE_INCLUDE;
}

}  // namespace

InstallPaths find_install_paths() {
  const fs::path tool = fs::read_symlink("/proc/self/exe");
  const fs::path prefix = tool.parent_path().parent_path();
  return {tool, find_library_folder(prefix), find_include_folder(prefix)};
}

}  // namespace ricercar::inline cli
