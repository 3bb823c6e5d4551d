// Annotations of GitHub: workflow commands, which its runner finds in what a step prints.
#include <fmt/format.h>

#include "report/run_formats.h"

namespace ricercar::inline report {
namespace {

std::string escaped(std::string_view text, bool in_property) {
  std::string result;
  for (const char letter : valid_text(text)) {
    const bool is_special =
        letter == '%' || letter == '\n' || (in_property && (letter == ':' || letter == ','));
    result +=
        is_special ? fmt::format("%{:02X}", static_cast<unsigned>(letter)) : std::string(1, letter);
  }
  return result;
}

std::string command(const char* level, const std::string& properties, const std::string& title,
                    const std::string& message) {
  return fmt::format("::{} {}title={}::{}\n", level, properties, escaped(title, true),
                     escaped(message, false));
}

std::string properties_of(const PlaceSummary& place, const RunFormatContext& context) {
  return fmt::format("file={},line={},",
                     escaped(file_in_repository(place.file, context.sources), true), place.line);
}

std::string annotation(const BugSummary& bug, const RunFormatContext& context) {
  const PlaceSummary* place = main_place(bug);
  const std::string replay = replay_of(bug, context);
  return command("error", place == nullptr ? "" : properties_of(*place, context),
                 "Ricercar: " + bug.kind,
                 bug.message + (replay.empty() ? "" : "\nRun it again: " + replay));
}

}  // namespace

std::string github_summary(const RunSummary& summary, const RunFormatContext& context) {
  std::string text;
  for (const BugSummary& bug : summary.bugs) text += annotation(bug, context);
  const std::string why = summary.bugs.empty() ? failure_without_bug(summary) : "";
  if (!why.empty()) text += command("error", "", "Ricercar", command_of(summary) + ": " + why);
  if (!summary.corpus) return text;
  for (const CorpusEntry& entry : *summary.corpus) {
    if (entry.result == CorpusEntry::shown) continue;
    text += command(entry.result == CorpusEntry::fixed ? "notice" : "warning", "",
                    "Ricercar: " + entry.file, entry.reason);
  }
  return text;
}

}  // namespace ricercar::inline report
