// The source text that belongs to a report, from the disk.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "base/error.h"
#include "base/files.h"
#include "report/build.h"

namespace ricercar::inline report {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t largest_file = std::size_t{8} << 20;
constexpr std::size_t longest_whole_file = 1500;  // lines
constexpr unsigned lines_around = 30;
constexpr std::size_t most_source_lines = 12000;  // of all files
constexpr std::size_t longest_line = 400;

using UsedLines = std::map<std::string, std::set<unsigned>>;  // by file

void add_use(UsedLines& used, const Place& place) {
  if (place.is_known() && place.frame.is_users) used[place.frame.file].insert(place.frame.line);
}

UsedLines used_lines(const Report& report) {
  UsedLines used;
  for (const ReportStep& step : report.all_steps) add_use(used, step.place);
  for (const BugPlace& place : report.places) add_use(used, place.place);
  for (const ReportWait& wait : report.waits) add_use(used, wait.place);
  return used;
}

std::vector<std::string> text_lines_of(const std::string& path) {
  std::vector<std::string> lines;
  std::string text;
  try {
    text = read_file(path, largest_file);
  } catch (const UsageError&) {
    return lines;
  }
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    lines.push_back(text.substr(start, std::min(end - start, longest_line)));
    start = end + 1;
  }
  return lines;
}

// [first, last] around each line that is used; what overlaps or touches is one part.
std::vector<std::pair<unsigned, unsigned>> parts_of(const std::set<unsigned>& used,
                                                    unsigned count) {
  if (count <= longest_whole_file) return {{1, count}};
  std::vector<std::pair<unsigned, unsigned>> parts;
  for (const unsigned line : used) {
    if (line > count) continue;
    const unsigned first = line > lines_around ? line - lines_around : 1;
    const unsigned last = std::min(count, line + lines_around);
    if (!parts.empty() && first <= parts.back().second + 1) {
      parts.back().second = last;
    } else {
      parts.emplace_back(first, last);
    }
  }
  return parts;
}

// Of a cluster nobody says which of its programs a file belongs to.
bool is_newer(const std::string& file, const std::string& program) {
  std::error_code error;
  if (program.ends_with(".toml")) return false;
  const auto written = fs::last_write_time(file, error);
  if (error) return false;
  const auto built = fs::last_write_time(program, error);
  return !error && written > built;
}

}  // namespace

void add_sources(Report& report) {
  std::size_t room = most_source_lines;
  for (const auto& [file, used] : used_lines(report)) {
    const std::vector<std::string> lines = text_lines_of(file);
    ReportSource source{file, {}, is_newer(file, report.program)};
    for (const auto& [first, last] : parts_of(used, static_cast<unsigned>(lines.size()))) {
      if (last < first || last - first >= room) continue;
      source.parts.push_back({first, {lines.begin() + (first - 1), lines.begin() + last}});
      room -= last - first + 1;
    }
    if (!source.parts.empty()) report.sources.push_back(std::move(source));
  }
}

}  // namespace ricercar::inline report
