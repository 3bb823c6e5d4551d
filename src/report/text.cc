#include "report/text.h"

#include <fmt/format.h>

#include "report/headline.h"
#include "report/machine_text.h"
#include "report/places.h"
#include "report/rows.h"
#include "report/sections.h"
#include "report/table.h"

namespace ricercar {
namespace {

bool shows_the_bug(const ReportInput& input) {
  return info(input.recording->outcome.kind).name == input.schedule->kind;
}

std::string what_the_search_saw(const ReportInput& input) {
  return fmt::format("{}: {}", input.schedule->kind, input.schedule->message);
}

class Report {
 public:
  Report(const ReportInput& input, Symbols& symbols, const TextOptions& options)
      : input_(input),
        recording_(*input.recording),
        same_bug_(shows_the_bug(input)),
        names_(*input.recording, symbols),
        painter_(options.colours),
        width_(static_cast<std::size_t>(options.width)),
        options_{width_, options.full, painter_} {}

  std::string write() {
    const std::string sentence = same_bug_ ? headline_of(names_) : what_the_search_saw(input_);
    text_ = painter_.paint(Ink::alarm, wrapped(sentence, width_, 4)) + "\n";
    text_ += painter_.paint(Ink::faint, wrapped(origin(), width_, 4)) + "\n";
    if (!input_.warning.empty()) {
      text_ += painter_.paint(Ink::mark, wrapped("note: " + input_.warning, width_, 4)) + "\n";
    }
    if (!names_.symbols().has_debug_information()) {
      text_ +=
          "note: the program has no debug information; compile it with -g to see source lines\n";
    }
    add(details());
    if (same_bug_) {
      add(unseen_section(input_.unseen_libraries, input_.unseen_files, options_));
    }
    add_trace();
    add(blocks_section(names_, options_));
    add(files_section(names_, options_));
    add(output_section(input_.output, input_.output_is_cut, options_));
    add(next_commands());
    return std::move(text_);
  }

 private:
  void add(const std::string& section) {
    if (!section.empty()) text_ += "\n" + section;
  }

  std::string origin() const {
    const Schedule& schedule = *input_.schedule;
    std::string command = schedule.program.substr(schedule.program.rfind('/') + 1);
    for (const std::string& argument : schedule.arguments) command += " " + argument;
    return fmt::format("{}, execution {} of strategy {} with seed {}", command,
                       grouped(schedule.execution), schedule.strategy, schedule.seed);
  }

  std::string details() {
    if (!same_bug_) return {};
    switch (recording_.outcome.kind) {
      case OutcomeKind::deadlock:
        return waiting_section(names_, options_);
      case OutcomeKind::data_race:
        return accesses_section(names_, options_);
      case OutcomeKind::use_after_free:
        return memory_section(names_, options_);
      default:
        return stack_section(names_, options_);
    }
  }

  void add_trace() {
    const std::vector<Row> rows = choose_rows(names_, options_.full);
    const std::uint64_t preemptions = count_preemptions(recording_);
    std::string title =
        fmt::format("{}: {}, {}", same_bug_ ? "What happened" : "What the replay did",
                    counted(recording_.steps, "step"), counted(preemptions, "preemption"));
    if (recording_.truncated) title += " (the beginning was too long to record)";
    std::string text = painter_.paint(Ink::bold, title) + "\n";
    const RenderedTable table = render_table(names_, rows, {width_, painter_});
    text += table.text;
    if (!rows.empty()) text += legend(rows);
    add(text);
    if (!table.names_threads) add(threads_section(names_, options_));
  }

  std::string legend(const std::vector<Row>& rows) const {
    bool switched = false;
    bool preempted = false;
    for (const Row& row : rows) {
      switched = switched || (row.switched && !row.preempts);
      preempted = preempted || row.preempts;
    }
    std::string text;
    if (switched) text += "   > another thread goes on";
    if (preempted)
      text += "   * another thread goes on although the last one could have (a preemption)";
    return text.empty() ? text : painter_.paint(Ink::faint, text) + "\n";
  }

  std::string next_commands() const {
    if (input_.schedule_path.empty()) return {};
    return fmt::format(
        "Run it again:       ricercar replay {0}\nIn the debugger:    ricercar replay --gdb {0}\n",
        input_.schedule_path);
  }

  const ReportInput& input_;
  const Recording& recording_;
  bool same_bug_;
  Names names_;
  Painter painter_;
  std::size_t width_;
  SectionOptions options_;
  std::string text_;
};

}  // namespace

std::string headline(const ReportInput& input, Symbols& symbols) {
  if (is_about_machines(*input.recording)) return machine_headline(input);
  if (!shows_the_bug(input)) return what_the_search_saw(input);
  Names names(*input.recording, symbols);
  return headline_of(names);
}

std::vector<PlaceSummary> places(const ReportInput& input, Symbols& symbols) {
  if (is_about_machines(*input.recording) || !shows_the_bug(input)) return {};
  Names names(*input.recording, symbols);
  std::vector<PlaceSummary> result;
  for (const BugPlace& found : bug_places(names)) {
    const Frame& frame = found.place.frame;
    result.push_back(
        {found.role, names.titled_task(found.task), frame.function, frame.file, frame.line});
  }
  return result;
}

std::string text_report(const ReportInput& input, Symbols& symbols, const TextOptions& options) {
  if (is_about_machines(*input.recording)) return machine_report(input, options);
  return Report(input, symbols, options).write();
}

}  // namespace ricercar
