#include "report/message_places.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <regex>
#include <utility>

#include "report/symbols.h"

namespace ricercar::inline report {
namespace {

// Empty: nobody knows.
std::string look_up_line(const std::string& path, std::uint64_t offset) {
  RecordedModule module{};
  module.high = ~std::uint64_t{0};
  Recording recording{};
  recording.modules = {&module, 1};
  // One further: frames are found by return addresses, which lie behind the call.
  const std::vector<Frame> frames = debug_symbols(recording, path)->frames(offset + 1);
  const auto users = std::find_if(frames.begin(), frames.end(), [](const Frame& frame) {
    return frame.is_users && !frame.file.empty();
  });
  return users == frames.end() ? "" : fmt::format("{}:{}", users->file, users->line);
}

// Reading debug information takes long, and a report names few places again and again.
const std::string& line_of(const std::string& path, std::uint64_t offset) {
  static std::map<std::pair<std::string, std::uint64_t>, std::string> known;
  const auto [line, is_new] = known.try_emplace({path, offset});
  if (is_new) line->second = look_up_line(path, offset);
  return line->second;
}

}  // namespace

std::string with_source_lines(const std::string& message) {
  static const std::regex place(R"( at (/[^(]*)\(\+0x([0-9a-f]+)\))");
  std::smatch match;
  if (!std::regex_search(message, match, place)) return message;
  const std::string& line = line_of(match[1], std::stoull(match[2], nullptr, 16));
  if (line.empty()) return message;
  return match.prefix().str() + " at " + line + with_source_lines(match.suffix());
}

}  // namespace ricercar::inline report
