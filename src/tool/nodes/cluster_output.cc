// What the nodes of a cluster have written, kept for a person: standard streams and files.
#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "nodes/cluster.h"

namespace ricercar::inline nodes {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t most_bytes = std::uintmax_t{64} << 20;  // of the files that are kept

// Below the folder of its node as there; what is elsewhere with all of its path.
fs::path place_in(const fs::path& folder, const fs::path& node_folder, const fs::path& file) {
  const fs::path relative = file.lexically_relative(node_folder);
  const bool is_inside = !relative.empty() && *relative.begin() != "..";
  return folder / (is_inside ? relative : file.relative_path());
}

}  // namespace

std::string Cluster::output_file(std::uint32_t node) const {
  return output_.folder + "/" + plan_.nodes[node].name + ".txt";
}

// Negative: there is no folder for it. A disk that is full must not hide a bug.
int Cluster::open_output(std::uint32_t node) const {
  if (output_.folder.empty()) return -1;
  std::error_code ignored;
  fs::create_directories(output_.folder, ignored);
  // A process that takes the place of another one goes on behind what that has written.
  const int anew = turns(node) == 0 ? O_TRUNC : 0;
  return ::open(output_file(node).c_str(), O_WRONLY | O_CREAT | anew | O_APPEND | O_CLOEXEC, 0666);
}

void Cluster::show_outputs() const {
  if (output_.folder.empty()) return;
  std::error_code ignored;
  for (std::uint32_t i = 0; i < size(); ++i) {
    std::ostringstream text;
    text << std::ifstream(output_file(i)).rdbuf();
    if (text.str().empty()) {
      fs::remove(output_file(i), ignored);
      continue;
    }
    const std::string all = plan_.nodes[i].name + " wrote:\n" + text.str();
    if (::write(output_.descriptor, all.data(), all.size()) < 0) return;
  }
  fs::remove(output_.folder, ignored);  // if there is nothing in it
}

// Those that the execution has made or changed, as they are at its end: then they are put back.
void Cluster::keep_files() {
  if (output_.folder.empty()) return;
  std::set<std::pair<std::uint32_t, std::string>> changed;
  for (const FileChange* each = disk().first(); each != nullptr; each = each->next) {
    changed.emplace(each->node, each->new_path != nullptr ? each->new_path : each->path);
  }
  std::uintmax_t left = most_bytes;
  for (const auto& [node, path] : changed) keep_file(node, path, left);
}

void Cluster::keep_file(std::uint32_t node, const std::string& path, std::uintmax_t& left) const {
  std::error_code error;
  const fs::path own_folder = fs::canonical(plan_.nodes[node].folder, error);
  const std::uintmax_t size = fs::file_size(path, error);
  if (error || !fs::is_regular_file(path) || size > left) return;
  const fs::path to = place_in(fs::path(output_.folder) / plan_.nodes[node].name, own_folder, path);
  fs::create_directories(to.parent_path(), error);
  fs::copy_file(path, to, fs::copy_options::overwrite_existing, error);
  left -= size;
}

}  // namespace ricercar::inline nodes
