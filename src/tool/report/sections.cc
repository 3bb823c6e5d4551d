#include "report/sections.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/operation.h"

namespace ricercar::inline report {
namespace {

constexpr std::size_t most_output_lines = 20;

std::string heading(const SectionOptions& options, const std::string& text) {
  return options.painter.paint(Ink::bold, text) + "\n";
}

// `place` is the last to be cut: it is what a reader clicks on.
std::string row(const SectionOptions& options, const std::string& left, std::size_t left_width,
                const std::string& place, const std::string& text = "") {
  if (place.empty()) return "  " + left + "\n";
  const std::string start = "  " + padded(left, left_width) + "  ";
  const std::size_t room =
      std::max<std::size_t>(options.width - std::min(options.width, width_of(start)), 20);
  const std::string shown = short_place(place, room);
  const bool has_room = !text.empty() && width_of(shown) + 8 <= room;
  const std::string right = has_room ? cut_to(shown + "  " + text, room) : shown;
  return start + options.painter.paint(Ink::faint, right) + "\n";
}

std::string place_row(const SectionOptions& options, const std::string& left,
                      std::size_t left_width, const Place& place) {
  return row(options, left, left_width, place.file_and_line(), place.is_known() ? place.text : "");
}

std::string frame_row(const Place& call, const SectionOptions& options) {
  const Frame& frame = call.frame;
  const std::string function = frame.function.empty() ? "(unknown)" : frame.function;
  const std::string where = frame.file.empty() ? frame.module : call.file_and_line();
  return "  " + row(options, "  " + function, 34, where, frame.is_users ? call.text : "");
}

std::string folded_row(std::size_t calls) {
  return fmt::format("      ({} of the library)\n", counted(calls, "call"));
}

// Inside of the library: what the user's line called, and where it ended up there.
std::string library_lines(const CallStack& stack, std::size_t count,
                          const SectionOptions& options) {
  std::string text;
  if (count > 1) text += frame_row(stack.calls[0], options);
  if (count > 2) text += folded_row(count - 2);
  return text + frame_row(stack.calls[count - 1], options);
}

enum class Inside { hidden, shown };

// The user's own calls; the library's are counted.
std::string stack_lines(const Report& report, const CallStack& stack, const SectionOptions& options,
                        Inside inside = Inside::hidden) {
  std::string text;
  std::size_t shown = 0;
  std::size_t folded = 0;
  for (const Place& call : stack.calls) {
    if (!call.frame.is_users && !report.is_full) {
      ++folded;
      continue;
    }
    if (folded > 0 && shown == 0 && inside == Inside::shown) {
      text += library_lines(stack, folded, options);
    }
    // Library calls below the last call of the user's are how threads are started.
    if (folded > 0 && shown > 0) text += folded_row(folded);
    folded = 0;
    ++shown;
    text += frame_row(call, options);
  }
  if (!stack.is_cut) return text;
  return text + (folded > 0 ? folded_row(folded) : "") + "      ...\n";
}

std::string creation(const Report& report, const Lane& lane) {
  if (lane.creator == no_task) return {};
  const std::string where = lane.created.is_known() ? " at " + lane.created.file_and_line() : "";
  return fmt::format("created by {}{}", report.name(lane.creator), where);
}

// "T1", "T1, T2", "T1 to T9"
std::string range_of(const Lane& first, const Lane& last) {
  if (first.id == last.id) return first.name;
  return first.name + (index(last.id) == index(first.id) + 1 ? ", " : " to ") + last.name;
}

std::string words_of(const Report& report, const ReportWait& wait) {
  std::vector<std::string> owners;
  for (const TaskId owner : wait.awaited) {
    owners.push_back(owner == wait.lane ? "itself" : report.name(owner));
  }
  const bool is_held = !owners.empty() && wait.operation != info(OperationKind::join).name;
  return report.name(wait.lane) + " " + wait.what +
         (is_held ? ", held by " + enumerated(owners) : "");
}

std::string waiting_section(const Report& report, const SectionOptions& options) {
  std::string text = heading(options, "Who holds what, and who waits for what");
  for (const ReportWait& wait : report.waits) {
    for (const ReportHold& hold : wait.holds) {
      text += place_row(options, fmt::format("{} holds {}", report.name(wait.lane), hold.object),
                        44, hold.place);
    }
    text += place_row(options, words_of(report, wait), 44, wait.place);
  }
  return text;
}

// The earlier one first.
std::string accesses_section(const Report& report, const SectionOptions& options) {
  std::string text = heading(options, "The two accesses");
  for (std::size_t i = report.places.size(); i-- > 0;) {
    const BugPlace& access = report.places[i];
    text += fmt::format("  {} {}\n", report.titled(access.lane), access.what);
    text += stack_lines(report, access.stack, options, Inside::shown);
  }
  return text;
}

std::string memory_section(const Report& report, const SectionOptions& options) {
  std::string text = heading(options, "The memory");
  const BugPlace& use = report.places.front();
  text += fmt::format("  {} {}\n", report.titled(use.lane), use.what);
  text += stack_lines(report, use.stack, options, Inside::shown);
  if (report.places.size() > 1) {
    text += fmt::format("  freed by {}\n", report.titled(report.places[1].lane));
    text += stack_lines(report, report.places[1].stack, options);
  }
  if (!report.knows_block) return text;
  if (report.allocated_by == no_task) return text + "  allocated before main began\n";
  text += fmt::format("  allocated by {}\n", report.titled(report.allocated_by));
  return text + stack_lines(report, report.allocated, options);
}

std::string stack_section(const Report& report, const SectionOptions& options) {
  const std::string lines = stack_lines(report, report.stack, options);
  if (lines.empty()) return {};
  return heading(options, fmt::format("Where {} was", report.titled(report.lane))) + lines;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    lines.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return lines;
}

std::string shortened(const std::string& line, std::size_t width) {
  return line.size() <= width ? line : line.substr(0, width - 3) + "...";
}

}  // namespace

std::string why_section(const Report& report, const SectionOptions& options) {
  const std::vector<std::string> reasons = report.reasons();
  if (reasons.empty()) return {};
  std::string text = heading(options, "Why");
  for (const std::string& sentence : reasons) {
    text += "  " + wrapped(sentence, options.width, 4) + "\n";
  }
  return text;
}

std::string bug_section(const Report& report, const SectionOptions& options) {
  if (!report.is_same_bug) return {};
  switch (report.outcome) {
    case OutcomeKind::deadlock:
      return waiting_section(report, options);
    case OutcomeKind::data_race:
      return accesses_section(report, options);
    case OutcomeKind::use_after_free:
      return memory_section(report, options);
    default:
      return stack_section(report, options);
  }
}

std::string unseen_section(const Report& report, const SectionOptions& options) {
  const std::vector<std::string>& all = report.unseen;
  if (all.empty()) return {};
  std::string text = heading(options, "Code that is not instrumented");
  const std::string sentence = fmt::format(
      "{} {} not instrumented, so what {} by atomics of {} own is not seen. If that orders the two "
      "accesses, there is no race: compile {} with `ricercar c++`, or put into a file for "
      "--suppressions:",
      enumerated(all), all.size() == 1 ? "is" : "are", all.size() == 1 ? "it orders" : "they order",
      all.size() == 1 ? "its" : "their", all.size() == 1 ? "it" : "them");
  text += "  " + wrapped(sentence, options.width, 2) + "\n";
  for (const std::string& name : all) text += fmt::format("    race:{}\n", name);
  return text;
}

std::string past_race_section(const Report& report, const SectionOptions& options) {
  if (!report.past_race) return {};
  const PastRace& past = *report.past_race;
  std::string text = heading(options, "Past the race");
  const std::string searched =
      (past.is_complete ? "all " : "") + counted(past.executions, "execution");
  if (past.kind.empty()) {
    const std::string words =
        fmt::format("Nothing else {} wrong in {} of another search, which continues past it.",
                    past.is_complete ? "goes" : "went", searched);
    return text + "  " + wrapped(words, options.width, 2) + "\n";
  }
  const std::string words =
      fmt::format("Another search continues past it, and its execution {} ends so: {}",
                  grouped(past.execution), past.headline);
  text += "  " + wrapped(words, options.width, 2) + "\n";
  return past.schedule.empty() ? text : text + "  ricercar replay " + past.schedule + "\n";
}

std::string threads_section(const Report& report, const SectionOptions& options) {
  if (report.lanes.size() < 2) return {};
  std::string text = heading(options, "Threads");
  for (auto first = report.lanes.begin(); first != report.lanes.end();) {
    const std::string origin = creation(report, *first);
    const auto next = std::find_if(first + 1, report.lanes.end(), [&](const Lane& lane) {
      return lane.title != first->title || creation(report, lane) != origin;
    });
    const std::string words = first->has_run ? first->title : "(has not run)";
    text += row(options, padded(range_of(*first, *(next - 1)), 4) + " " + words, 30, origin);
    first = next;
  }
  return text;
}

std::string blocks_section(const Report& report, const SectionOptions& options) {
  if (report.blocks.empty()) return {};
  std::string text = heading(options, "Heap blocks");
  for (const ReportBlock& block : report.blocks) {
    const std::string owner =
        block.lane == no_task ? "from before main" : "by " + report.name(block.lane);
    const std::string words =
        fmt::format("{}: {}, {}", block.name, counted(block.size, "byte"), owner);
    text += block.knows_place ? place_row(options, words, 30, block.place)
                              : row(options, words, 30, "");
  }
  return text;
}

std::string files_section(const Report& report, bool with_threads, const SectionOptions& options) {
  std::map<std::string, std::string> files = report.files;
  for (const Lane& lane : report.lanes) {
    const Frame& frame = lane.created.frame;
    const bool is_short = frame.is_users && lane.created.short_file != frame.file;
    if (with_threads && is_short) files.try_emplace(lane.created.short_file, frame.file);
  }
  if (files.empty()) return {};
  std::string text = heading(options, "Files");
  for (const auto& [name, path] : files) {
    text += "  " + padded(name, 20) + "  " + options.painter.paint(Ink::faint, path) + "\n";
  }
  return text;
}

std::string output_section(const Report& report, const SectionOptions& options) {
  if (report.output.empty()) return {};
  if (!report.is_told_by_address()) {
    return heading(options, "What the program wrote") + report.output;
  }
  const std::vector<std::string> lines = lines_of(harmless(report.output));
  const std::size_t shown =
      report.is_full ? lines.size() : std::min(lines.size(), most_output_lines);
  const bool all = shown == lines.size() && !report.is_output_cut;
  std::string result =
      heading(options, all ? "The program's output" : "The end of the program's output");
  for (std::size_t i = lines.size() - shown; i < lines.size(); ++i) {
    result += "  | " + lines[i] + "\n";
  }
  return result;
}

static std::string words_of(const ReportStep::Gap& gap, bool is_first) {
  if (gap.left_out == 0)
    return fmt::format("  (the same {})", counted(gap.repetitions, "more time"));
  return fmt::format("  ({}{} {} left out; --full shows {})", is_first ? "the first " : "",
                     gap.left_out, gap.left_out == 1 ? "is" : "are",
                     gap.left_out == 1 ? "it" : "them");
}

std::uint64_t rows_shown(const Report& report) {
  return static_cast<std::uint64_t>(
      std::count_if(report.steps.begin(), report.steps.end(),
                    [](const ReportStep& step) { return !step.gap.is_one(); }));
}

std::string story_section(const Report& report, const SectionOptions& options) {
  std::size_t name_width = 0;
  for (const Lane& lane : report.lanes) {
    if (lane.steps > 0) name_width = std::max(name_width, lane.name.size());
  }
  const bool has_merged = std::any_of(report.steps.begin(), report.steps.end(),
                                      [](const ReportStep& step) { return !step.parts.empty(); });
  const std::string rows = has_merged ? " in " + counted(rows_shown(report), "row") : "";
  std::string text = heading(
      options, fmt::format("What happened: {}{}", counted(report.step_count, "event"), rows));
  const std::size_t width = report.is_full ? 100000 : options.width - 8;
  for (const ReportStep& step : report.steps) {
    if (step.gap.is_one()) {
      const bool is_first = &step == &report.steps.front();
      text += options.painter.paint(Ink::faint, words_of(step.gap, is_first)) + "\n";
      continue;
    }
    const std::string name = report.name(step.lane);
    const std::string line = name + std::string(name_width - name.size() + 2, ' ') + step.what;
    text += fmt::format("{:>5}  {}\n", step.number, shortened(line, width));
    for (const ReportStep::Condition& each : step.becomes) {
      const std::string state = each.state.empty() ? "" : " in " + each.state;
      text += options.painter.paint(
          Ink::faint,
          fmt::format("       -> {}{} {}\n", report.name(each.lane), state, each.variables));
    }
  }
  return text;
}

std::string ending_section(const Report& report, const SectionOptions& options) {
  std::string text = heading(options, "At the end");
  for (const Lane& lane : report.lanes) text += lane.ending;
  return text;
}

}  // namespace ricercar::inline report
