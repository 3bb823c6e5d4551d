#include "report/source_files.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>

namespace ricercar::inline report {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_files = 100000;
constexpr std::size_t most_lines = 1000000;

bool is_hidden(const fs::path& path) { return path.filename().string().starts_with('.'); }

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

std::string trimmed(const std::string& text) {
  const std::size_t start = text.find_first_not_of(" \t\r");
  if (start == std::string::npos) return {};
  return text.substr(start, text.find_last_not_of(" \t\r") - start + 1);
}

std::vector<std::string> read_lines(const std::string& path) {
  std::vector<std::string> lines;
  std::ifstream file(path);
  for (std::string line; lines.size() < most_lines && std::getline(file, line);) {
    lines.push_back(line.substr(0, line.find_last_not_of(" \t\r") + 1));
  }
  return lines;
}

}  // namespace

std::optional<FilePlace> file_place(const std::string& place) {
  const std::size_t colon = place.rfind(':');
  if (colon == std::string::npos || colon == 0) return std::nullopt;
  FilePlace result{place.substr(0, colon), 0};
  const char* last = place.data() + place.size();
  const auto [end, problem] = std::from_chars(place.data() + colon + 1, last, result.line);
  if (problem != std::errc() || end != last) return std::nullopt;
  return result;
}

bool SourceFiles::misses(const std::string& file) { return find(file).empty() && !is_too_large_; }

std::string SourceFiles::line(const std::string& place) {
  const std::optional<FilePlace> wanted = file_place(place);
  if (!wanted) return {};
  const std::vector<std::string>& text = lines(wanted->file);
  const bool exists = wanted->line >= 1 && wanted->line <= text.size();
  return exists ? trimmed(text[wanted->line - 1]) : std::string();
}

void SourceFiles::look_through() {
  if (is_looked_through_) return;
  is_looked_through_ = true;
  std::error_code error;
  std::size_t count = 0;
  const auto options = fs::directory_options::skip_permission_denied;
  for (auto entry = fs::recursive_directory_iterator(folder_, options, error);
       !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    if (is_hidden(entry->path())) {
      entry.disable_recursion_pending();
      continue;
    }
    is_too_large_ = ++count > most_files;
    if (is_too_large_) return;
    if (is_file(entry->path())) paths_.emplace(entry->path().filename(), entry->path());
  }
}

// A path from the root or from the folder is itself; otherwise all paths that end with it.
std::vector<std::string> SourceFiles::find(const std::string& file) {
  if (const fs::path direct = fs::path(folder_) / file; is_file(direct)) return {direct};
  look_through();
  std::vector<std::string> result;
  const auto [begin, end] = paths_.equal_range(fs::path(file).filename());
  for (auto path = begin; path != end; ++path) {
    if (path->second.ends_with("/" + file)) result.push_back(path->second);
  }
  return result;
}

const std::vector<std::string>& SourceFiles::lines(const std::string& file) {
  const auto [found, is_new] = lines_.try_emplace(file);
  if (!is_new) return found->second;
  const std::vector<std::string> paths = find(file);
  if (paths.size() == 1) found->second = read_lines(paths[0]);
  return found->second;
}

}  // namespace ricercar::inline report
