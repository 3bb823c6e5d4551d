#include "threads/changed_names.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <utility>
#include <vector>

#include "base/system_call.h"

namespace ricercar::inline threads {

bool watches_names = false;

namespace {

constexpr std::size_t most_names = 64;

struct WatchedName {
  std::string path;
  bool existed;
};
std::vector<WatchedName> watched_names;

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

void watch_names() {
  watched_names.clear();
  watches_names = true;
}

void may_change_name(const char* path) {
  if (path == nullptr || watched_names.size() == most_names) return;
  const std::string full = absolute_path(path);
  const auto is_it = [&](const WatchedName& name) { return name.path == full; };
  if (std::none_of(watched_names.begin(), watched_names.end(), is_it))
    watched_names.push_back({full, name_exists(full)});
}

std::string changed_name() {
  if (!std::exchange(watches_names, false)) return {};
  const auto changed =
      std::find_if(watched_names.begin(), watched_names.end(),
                   [](const WatchedName& name) { return name_exists(name.path) != name.existed; });
  if (changed == watched_names.end()) return {};
  return (changed->existed ? "removed the file '" : "made the file '") + changed->path + "'";
}

}  // namespace ricercar::inline threads
