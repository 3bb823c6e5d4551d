// The report as text for people.
#include <fmt/format.h>

#include <algorithm>

#include "report/reporters.h"
#include "report/sections.h"

namespace ricercar::inline report {
namespace {

std::string origin_of(const Report& report) {
  std::string command = report.program.substr(report.program.rfind('/') + 1);
  for (const std::string& argument : report.arguments) command += " " + argument;
  return fmt::format("{}, execution {} of strategy {} with seed {}", command,
                     grouped(report.execution), report.strategy, report.seed);
}

class TextReport {
 public:
  TextReport(const Report& report, const ReporterOptions& options)
      : report_(report),
        painter_(options.colours),
        options_{static_cast<std::size_t>(options.width), painter_} {}

  std::string write() {
    add_head();
    add(why_section(report_, options_));
    if (report_.is_told_by_address()) {
      add(bug_section(report_, options_));
      add(unseen_section(report_, options_));
      add(past_race_section(report_, options_));
      add_trace();
    } else {
      add(story_section(report_, options_));
      add(ending_section(report_, options_));
    }
    add(output_section(report_, options_));
    add(next_commands());
    return std::move(text_);
  }

 private:
  void add(const std::string& section) {
    if (!section.empty()) text_ += "\n" + section;
  }

  void add_head() {
    add_line(Ink::alarm, report_.headline);
    add_line(Ink::faint, origin_of(report_));
    add_minimised();
    if (report_.followed_steps != 0) {
      add_line(Ink::faint,
               fmt::format("told up to the end of the first round; a replay goes round up to the "
                           "limit of {} steps, to see that it still does",
                           grouped(report_.followed_steps)));
    }
    if (!report_.warning.empty()) add_line(Ink::mark, "note: " + report_.warning);
    if (!report_.has_debug_information) {
      text_ +=
          "note: the program has no debug information; compile it with -g to see source lines\n";
    }
  }

  void add_minimised() {
    if (!report_.not_minimised.empty())
      add_line(Ink::faint, "not minimised: " + report_.not_minimised);
    if (!report_.minimised) return;
    const ShorterExecution& shorter = *report_.minimised;
    const std::string change = change_of_size(shorter.before, shorter.after);
    if (change.empty()) return;
    std::string words = fmt::format("minimised from {}; {} tried", change,
                                    counted(shorter.executions, "execution"));
    if (!shorter.original.empty()) words += "; as it was found: " + shorter.original;
    add_line(Ink::faint, words);
  }

  void add_line(Ink ink, const std::string& words) {
    text_ += painter_.paint(ink, wrapped(words, options_.width, 4)) + "\n";
  }

  void add_trace() {
    std::string title =
        fmt::format("{}: {}{}, {}", report_.is_same_bug ? "What happened" : "What the replay did",
                    counted(report_.step_count, "step"), rows_shown(),
                    counted(report_.preemptions, "preemption"));
    if (report_.is_truncated) title += " (the beginning was too long to record)";
    const RenderedTable table = render_table(report_, options_);
    add(painter_.paint(Ink::bold, title) + "\n" + table.text + legend());
    if (!table.names_threads) add(threads_section(report_, options_));
    add(blocks_section(report_, options_));
    add(files_section(report_, !table.names_threads, options_));
  }

  // How many rows of the table tell that, if some of it is left out.
  std::string rows_shown() const {
    const std::uint64_t rows = ricercar::rows_shown(report_);
    return rows < report_.step_count ? " in " + counted(rows, "row") : "";
  }

  std::string legend() const {
    const auto any = [&](bool preempts) {
      return std::any_of(report_.steps.begin(), report_.steps.end(), [&](const ReportStep& step) {
        return preempts ? step.preempts : step.switched && !step.preempts;
      });
    };
    std::string text;
    if (any(false)) text += "   > another thread goes on";
    if (any(true))
      text += "   * another thread goes on although the last one could have (a preemption)";
    return text.empty() ? text : painter_.paint(Ink::faint, text) + "\n";
  }

  std::string next_commands() const {
    if (report_.schedule.empty()) return {};
    const std::string replay = shell_word(report_.tool) + " replay ";
    const std::string file = shell_word(report_.schedule);
    std::string text = fmt::format("Run it again:       {}{}\n", replay, file);
    if (!report_.is_told_by_address()) return text;
    return text + fmt::format("In the debugger:    {}--gdb {}\n", replay, file);
  }

  const Report& report_;
  Painter painter_;
  SectionOptions options_;
  std::string text_;
};

}  // namespace

std::string text_report(const Report& report, const ReporterOptions& options) {
  if (!report.has_recording) return report.headline + "\n" + report.warning + "\n";
  return TextReport(report, options).write();
}

}  // namespace ricercar::inline report
