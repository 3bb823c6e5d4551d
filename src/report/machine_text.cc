#include "report/machine_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "report/style.h"

namespace ricercar {
namespace {

constexpr std::size_t most_lines = 60;  // unless everything is asked for

std::vector<std::string_view> lines_of(const Array<char>& text) {
  std::vector<std::string_view> lines;
  const std::string_view all(text.data, text.size);
  for (std::size_t start = 0; start < all.size();) {
    const std::size_t end = std::min(all.find('\n', start), all.size());
    lines.push_back(all.substr(start, end - start));
    start = end + 1;
  }
  return lines;
}

std::string shortened(std::string_view line, std::size_t width) {
  if (line.size() <= width) return std::string(line);
  return std::string(line.substr(0, width - 3)) + "...";
}

std::string origin(const Schedule& schedule) {
  std::string command = schedule.program.substr(schedule.program.rfind('/') + 1);
  for (const std::string& argument : schedule.arguments) command += " " + argument;
  return fmt::format("{}, execution {} of strategy {} with seed {}", command,
                     grouped(schedule.execution), schedule.strategy, schedule.seed);
}

std::string story_section(const Recording& recording, const TextOptions& options) {
  const std::vector<std::string_view> lines = lines_of(recording.story);
  const Painter painter(options.colours);
  const std::size_t first =
      options.full || lines.size() <= most_lines ? 0 : lines.size() - most_lines;
  std::string text =
      painter.paint(Ink::bold, fmt::format("What happened: {}", counted(lines.size(), "event"))) +
      "\n";
  if (first > 0) {
    text += painter.paint(Ink::faint,
                          fmt::format("  (the first {} are left out; --full shows them)", first)) +
            "\n";
  }
  const std::size_t width = options.full ? 100000 : static_cast<std::size_t>(options.width) - 8;
  for (std::size_t i = first; i < lines.size(); ++i) {
    text += fmt::format("{:>5}  {}\n", i + 1, shortened(lines[i], width));
  }
  return text;
}

}  // namespace

std::string machine_headline(const ReportInput& input) {
  const RecordedOutcome& outcome = input.recording->outcome;
  const bool is_same = info(outcome.kind).name == input.schedule->kind;
  return fmt::format("{}: {}", input.schedule->kind,
                     is_same ? outcome.message : input.schedule->message.c_str());
}

std::string machine_report(const ReportInput& input, const TextOptions& options) {
  const Painter painter(options.colours);
  const auto width = static_cast<std::size_t>(options.width);
  std::string text = painter.paint(Ink::alarm, wrapped(machine_headline(input), width, 4)) + "\n";
  text += painter.paint(Ink::faint, wrapped(origin(*input.schedule), width, 4)) + "\n";
  if (!input.warning.empty())
    text += painter.paint(Ink::mark, wrapped("note: " + input.warning, width, 4)) + "\n";
  text += "\n" + story_section(*input.recording, options);
  text += "\n" + painter.paint(Ink::bold, "At the end") + "\n" +
          std::string(input.recording->ending.data, input.recording->ending.size);
  if (!input.output.empty())
    text += "\n" + painter.paint(Ink::bold, "What the program wrote") + "\n" + input.output;
  if (!input.schedule_path.empty())
    text += fmt::format("\nRun it again:       ricercar replay {}\n", input.schedule_path);
  return text;
}

}  // namespace ricercar
