// A report as Markdown, to be pasted into an issue or a review: what it is about, who waits or
// where it shows, the steps as a table, and how to see it again.
#include <fmt/format.h>

#include "report/reporters.h"
#include "report/style.h"

namespace ricercar::inline report {
namespace {

// Outside of code a bar would end a cell, and some signs mean something else.
bool is_special(char c, bool in_code) {
  return c == '|' || (!in_code && (c == '<' || c == '*' || c == '_' || c == '\\'));
}

std::string escaped(const std::string& text) {
  std::string result;
  bool in_code = false;
  for (const char c : harmless(text)) {
    if (c == '`') in_code = !in_code;
    if (is_special(c, in_code)) result += '\\';
    result += c == '\n' ? ' ' : c;
  }
  return result;
}

// As code, which has no backticks inside.
std::string code(const std::string& text) {
  if (text.empty()) return {};
  std::string inner;
  for (const char c : harmless(text)) {
    if (c == '|') inner += '\\';
    inner += c == '`' ? '\'' : c;
  }
  return "`" + inner + "`";
}

std::string place_cell(const Place& place) {
  if (!place.is_known()) return {};
  const std::string line = code(place.file_and_line());
  return place.text.empty() ? line : line + " " + code(place.text);
}

std::string command_of(const Report& report) {
  std::string command = report.program.substr(report.program.rfind('/') + 1);
  for (const std::string& argument : report.arguments) command += " " + argument;
  return command;
}

std::string head(const Report& report) {
  std::string text = fmt::format("### {}\n\n", escaped(report.headline));
  text += fmt::format("{}, execution {} of strategy {} with seed {}\n", code(command_of(report)),
                      grouped(report.execution), code(report.strategy), report.seed);
  if (!report.warning.empty()) text += "\n> " + escaped(report.warning) + "\n";
  return text;
}

std::string why(const Report& report) {
  std::string text;
  for (const std::string& sentence : report.reasons()) text += "\n" + escaped(sentence) + "\n";
  return text;
}

std::string wait_item(const Report& report, const ReportWait& wait) {
  std::string text =
      fmt::format("* **{}** {}", escaped(report.titled(wait.lane)), escaped(wait.what));
  if (wait.place.is_known()) text += ": " + place_cell(wait.place);
  for (const ReportHold& hold : wait.holds) {
    text += fmt::format("\n  * holds {}: {}", escaped(hold.object), place_cell(hold.place));
  }
  return text + "\n";
}

std::string place_item(const Report& report, const BugPlace& place) {
  const std::string what = place.what.empty() ? place.role : place.what;
  return fmt::format("* **{}** {}: {}\n", escaped(report.titled(place.lane)), escaped(what),
                     place_cell(place.place));
}

std::string places(const Report& report) {
  std::string text;
  for (const ReportWait& wait : report.waits) text += wait_item(report, wait);
  for (const BugPlace& place : report.places) {
    const bool is_told = place.role == "waits" && !report.waits.empty();
    if (!is_told && place.place.is_known()) text += place_item(report, place);
  }
  return text.empty() ? text : "\n" + text;
}

std::string gap_row(const ReportStep::Gap& gap) {
  if (gap.left_out != 0) return fmt::format("| | | {} not shown | |\n", grouped(gap.left_out));
  const std::string times =
      gap.for_ever ? "again and again" : counted(gap.repetitions, "time") + " more";
  return fmt::format("| | | the last {}, {} | |\n", counted(gap.period, "step"), times);
}

std::string step_row(const Report& report, const ReportStep& step) {
  if (step.gap.is_one()) return gap_row(step.gap);
  const std::string number = step.number == 0 ? "" : grouped(step.number);
  const std::string what = escaped(step.what);
  return fmt::format("| {} | {} | {} | {} |\n", number, escaped(report.titled(step.lane)),
                     step.is_outcome ? "**" + what + "**" : what, place_cell(step.place));
}

std::string steps(const Report& report) {
  if (report.steps.empty()) return {};
  std::string text = fmt::format("\n| step | {} | what happened | where |\n|--:|---|---|---|\n",
                                 info(report.world).task);
  for (const ReportStep& step : report.steps) text += step_row(report, step);
  return text;
}

std::string again(const Report& report) {
  if (report.schedule.empty()) return {};
  return fmt::format("\nRun it again: {}\n",
                     code(shell_word(report.tool) + " replay " + shell_word(report.schedule)));
}

}  // namespace

std::string markdown_report(const Report& report, const ReporterOptions&) {
  return head(report) + why(report) + places(report) + steps(report) + again(report);
}

}  // namespace ricercar::inline report
