#include "threads/changed_names.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <utility>

#include "base/system_call.h"

namespace ricercar::inline threads {
namespace {

constexpr std::size_t most_names = 64;

bool name_exists(const std::string& path) {
  return system_call(SYS_faccessat, AT_FDCWD, as_argument(path.c_str()), F_OK) == 0;
}

std::string absolute_path(const char* path) {
  char folder[PATH_MAX];
  if (path[0] == '/' || system_call(SYS_getcwd, as_argument(folder), sizeof folder) < 0) {
    return path;
  }
  return std::string(folder) + "/" + path;
}

}  // namespace

void ChangedNames::watch() {
  names_.clear();
  watches_ = true;
}

void ChangedNames::may_change(const char* path) {
  if (path == nullptr || names_.size() == most_names) return;
  const std::string full = absolute_path(path);
  const auto is_it = [&](const Name& name) { return name.path == full; };
  if (std::none_of(names_.begin(), names_.end(), is_it))
    names_.push_back({full, name_exists(full)});
}

std::string ChangedNames::changed() {
  if (!std::exchange(watches_, false)) return {};
  const auto changed = std::find_if(names_.begin(), names_.end(), [](const Name& name) {
    return name_exists(name.path) != name.existed;
  });
  if (changed == names_.end()) return {};
  return (changed->existed ? "removed the file '" : "made the file '") + changed->path + "'";
}

}  // namespace ricercar::inline threads
