#include "report/run_formats.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>

#include "report/style.h"

namespace ricercar::inline report {
namespace {

namespace fs = std::filesystem;

// How many bytes the character at the beginning has; 0: it is none, or XML does not allow it.
std::size_t length_of_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return first >= 0x20 || first == '\t' || first == '\n' ? 1 : 0;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  std::uint32_t code = first & (0x7fU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
    code = code << 6 | (byte(i) & 0x3fU);
  }
  constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = code >= 0xd800 && code <= 0xdfff;
  const bool is_excluded = code == 0xfffe || code == 0xffff || code > 0x10ffff;
  return code < least[length] || is_surrogate || is_excluded ? 0 : length;
}

}  // namespace

std::string valid_text(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t length = length_of_character(text);
    result += length == 0 ? "\xef\xbf\xbd" : text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return result;
}

std::string file_in_repository(const std::string& file, const SourceRoot& sources) {
  if (file.empty()) return {};
  const fs::path path = (fs::path(sources.folder) / file).lexically_normal();
  const fs::path relative = path.lexically_relative(sources.root);
  const bool is_below = !sources.root.empty() && !relative.empty() && *relative.begin() != "..";
  return is_below ? relative.string() : path.string();
}

std::string command_of(const RunSummary& summary) {
  std::string command = summary.program;
  for (const std::string& argument : summary.arguments) command += " " + shell_word(argument);
  return command;
}

std::string replay_of(const BugSummary& bug, const RunFormatContext& context) {
  if (bug.schedule.empty()) return {};
  return shell_word(context.replay_tool) + " replay " + shell_word(bug.schedule);
}

std::string failure_without_bug(const RunSummary& summary) {
  if (!summary.error.empty()) return summary.error;
  if (!summary.unconfirmed.empty()) {
    return "an execution was not deterministic: " + summary.unconfirmed.front().doubt;
  }
  return summary.interrupted ? "the search was interrupted" : "";
}

const PlaceSummary* main_place(const BugSummary& bug) {
  const auto found = std::find_if(bug.places.begin(), bug.places.end(),
                                  [](const PlaceSummary& place) { return place.line != 0; });
  return found == bug.places.end() ? nullptr : &*found;
}

}  // namespace ricercar::inline report
