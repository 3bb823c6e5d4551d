#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <thread>

#include "supervisor/supervisor.h"

namespace ricercar::inline supervisor {
namespace {

constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();

// The number behind `name` in a file of lines; `no_limit`: there is none.
std::uint64_t number_in(const std::string& path, const std::string& name) {
  std::ifstream file(path);
  std::string word;
  while (file >> word) {
    std::uint64_t number = 0;
    if (word == name && file >> number) return number;
    file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return no_limit;
}

// Of a file of one number; `no_limit`: there is no such file, or it says "max".
std::uint64_t number_in(const std::string& path) {
  std::ifstream file(path);
  std::uint64_t number = 0;
  return file >> number ? number : no_limit;
}

// Visits the folders of this process's control group, from its own to the root that it sees.
template <typename Visit>
void for_each_group(Visit visit) {
  std::ifstream file("/proc/self/cgroup");
  std::string line;
  while (std::getline(file, line)) {
    if (!line.starts_with("0::/")) continue;
    const std::filesystem::path root = "/sys/fs/cgroup";
    for (auto folder = root / line.substr(4); folder != root.parent_path();
         folder = folder.parent_path())
      visit(folder.string());
  }
}

// The share of a group: so much time in so much time; "max" is no number.
std::uint64_t processors_of_group(const std::string& folder) {
  std::ifstream file(folder + "/cpu.max");
  double quota = 0, period = 0;
  if (!(file >> quota >> period) || period <= 0) return no_limit;
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::ceil(quota / period)));
}

// What was read from files and is not in use is as good as free.
std::uint64_t free_of_group(const std::string& folder) {
  const std::uint64_t most = number_in(folder + "/memory.max");
  const std::uint64_t now = number_in(folder + "/memory.current");
  const std::uint64_t cached = number_in(folder + "/memory.stat", "inactive_file");
  if (most == no_limit || now == no_limit || cached == no_limit) return no_limit;
  return most - std::min(now - std::min(cached, now), most);
}

}  // namespace

std::uint32_t jobs_with_room(std::uint32_t most, pid_t worker) {
  std::uint64_t processors = std::max(1U, std::thread::hardware_concurrency());
  const std::uint64_t free_kb = number_in("/proc/meminfo", "MemAvailable:");
  std::uint64_t free = free_kb == no_limit ? no_limit : free_kb << 10;
  for_each_group([&](const std::string& folder) {
    processors = std::min(processors, processors_of_group(folder));
    free = std::min(free, free_of_group(folder));
  });
  const std::string status = "/proc/" + std::to_string(worker) + "/status";
  const std::uint64_t used_kb = number_in(status, "VmHWM:");
  const std::uint64_t used = used_kb == no_limit ? 1 : std::max<std::uint64_t>(used_kb << 10, 1);
  // A half of what is free stays so: a process may grow.
  const std::uint64_t others = free / 2 / used;
  return static_cast<std::uint32_t>(std::min({std::uint64_t{most}, processors, 1 + others}));
}

}  // namespace ricercar::inline supervisor
