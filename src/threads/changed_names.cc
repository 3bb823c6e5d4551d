#include "threads/changed_names.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <utility>
#include <vector>

#include "base/system_call.h"

namespace ricercar {

bool watches_names = false;

namespace {

constexpr std::size_t most = 64;

struct Name {
  std::string path;
  bool existed;
};
std::vector<Name> names;

bool exists(const std::string& path) {
  return system_call(SYS_faccessat, AT_FDCWD, as_argument(path.c_str()), F_OK) == 0;
}

std::string absolute(const char* path) {
  char folder[PATH_MAX];
  if (path[0] == '/' || system_call(SYS_getcwd, as_argument(folder), sizeof folder) < 0) {
    return path;
  }
  return std::string(folder) + "/" + path;
}

}  // namespace

void watch_names() {
  names.clear();
  watches_names = true;
}

void may_change_name(const char* path) {
  if (path == nullptr || names.size() == most) return;
  const std::string full = absolute(path);
  const auto is_it = [&](const Name& name) { return name.path == full; };
  if (std::none_of(names.begin(), names.end(), is_it)) names.push_back({full, exists(full)});
}

std::string changed_name() {
  if (!std::exchange(watches_names, false)) return {};
  const auto changed = std::find_if(names.begin(), names.end(), [](const Name& name) {
    return exists(name.path) != name.existed;
  });
  if (changed == names.end()) return {};
  return (changed->existed ? "removed the file '" : "made the file '") + changed->path + "'";
}

}  // namespace ricercar
