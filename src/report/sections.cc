#include "report/sections.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/headline.h"
#include "report/phrases.h"
#include "report/stuck.h"

namespace ricercar {
namespace {

constexpr std::size_t most_frames = 16;
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

std::string frame_row(Names& names, const Frame& frame, const SectionOptions& options) {
  const std::string function = frame.function.empty() ? "(unknown)" : frame.function;
  const Place place = names.place_of(frame);
  const std::string where = frame.file.empty() ? frame.module : place.file_and_line();
  return "  " + row(options, "  " + function, 34, where, frame.is_users ? place.text : "");
}

std::string folded_row(std::size_t calls) {
  return fmt::format("      ({} of the library)\n", counted(calls, "call"));
}

// Inside of the library: what the user's line called, and where it ended up there.
std::string library_lines(Names& names, const std::vector<Frame>& frames, std::size_t count,
                          const SectionOptions& options) {
  std::string text;
  if (count > 1) text += frame_row(names, frames[0], options);
  if (count > 2) text += folded_row(count - 2);
  return text + frame_row(names, frames[count - 1], options);
}

enum class Inside { hidden, shown };

// The user's own calls; the library's are counted.
std::string stack_lines(Names& names, const StackRef& stack, const SectionOptions& options,
                        Inside inside = Inside::hidden) {
  std::string text;
  std::size_t shown = 0;
  std::size_t folded = 0;
  const std::vector<Frame> frames = names.frames(stack);
  for (const Frame& frame : frames) {
    if (!frame.is_users && !options.full) {
      ++folded;
      continue;
    }
    if (folded > 0 && shown == 0 && inside == Inside::shown) {
      text += library_lines(names, frames, folded, options);
    }
    // Library calls below the last call of the user's are how threads are started.
    if (folded > 0 && shown > 0) text += folded_row(folded);
    folded = 0;
    if (++shown > most_frames && !options.full) {
      text += "      ...\n";
      break;
    }
    text += frame_row(names, frame, options);
  }
  return text;
}

std::string creation(Names& names, const RecordedTask& task) {
  if (task.creator == no_task) return {};
  const Place place = names.place(task.creation);
  const std::string where = place.is_known() ? " at " + place.file_and_line() : "";
  return fmt::format("created by {}{}", Names::task(task.creator), where);
}

}  // namespace

std::string threads_section(Names& names, const SectionOptions& options) {
  const Recording& recording = names.recording();
  if (recording.tasks.size < 2) return {};
  std::string text = heading(options, "Threads");
  for (std::uint64_t i = 0; i < recording.tasks.size;) {
    const RecordedTask& first = recording.tasks[i];
    const bool has_run = !names.title(first.id).empty() || first.stack.size > 0;
    const std::string words = has_run ? names.title(first.id) : "(has not run)";
    const std::string origin = creation(names, first);
    std::uint64_t next = i + 1;
    while (next < recording.tasks.size &&
           names.title(recording.tasks[next].id) == names.title(first.id) &&
           creation(names, recording.tasks[next]) == origin) {
      ++next;
    }
    const std::string range = Names::tasks(first.id, recording.tasks[next - 1].id);
    text += row(options, padded(range, 4) + " " + words, 30, origin);
    i = next;
  }
  return text;
}

std::string waiting_section(Names& names, const SectionOptions& options) {
  std::string text = heading(options, "Who holds what, and who waits for what");
  for (const Waiting& waiting : find_waiting(names.recording())) {
    const std::string task = Names::task(waiting.task->id);
    for (const RecordedHold* hold : waiting.holds) {
      text += place_row(options, fmt::format("{} holds {}", task, names.object(hold->object).name),
                        44, names.place(hold->stack));
    }
    std::vector<std::string> owners;
    for (const TaskId owner : waiting.for_tasks) {
      owners.push_back(owner == waiting.task->id ? "itself" : Names::task(owner));
    }
    std::string words = task + " " + waiting_phrase(names, waiting.task->waiting);
    const bool is_join = waiting.task->waiting.kind == OperationKind::join;
    if (!owners.empty() && !is_join) words += ", held by " + enumerated(owners);
    text += place_row(options, words, 44, names.place_of_wait(*waiting.task));
  }
  return text;
}

std::string accesses_section(Names& names, const SectionOptions& options) {
  const RecordedOutcome& outcome = names.recording().outcome;
  std::string text = heading(options, "The two accesses");
  const std::string object = names.object(outcome.object).name;
  text += fmt::format("  {} {} {}\n", names.titled_task(outcome.other_task),
                      outcome.other_is_write ? "writes" : "reads", object);
  text += stack_lines(names, outcome.other_stack, options, Inside::shown);
  text += fmt::format("  {} {}\n", names.titled_task(outcome.task), access_phrase(names));
  text += stack_lines(names, outcome.stack, options, Inside::shown);
  return text;
}

std::string unseen_section(const std::vector<std::string>& libraries,
                           const std::vector<std::string>& files, const SectionOptions& options) {
  if (libraries.empty() && files.empty()) return {};
  std::string text = heading(options, "Code that is not instrumented");
  std::vector<std::string> all = libraries;
  all.insert(all.end(), files.begin(), files.end());
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

std::string memory_section(Names& names, const SectionOptions& options) {
  const RecordedOutcome& outcome = names.recording().outcome;
  std::string text = heading(options, "The memory");
  text += fmt::format("  {} {}\n", names.titled_task(outcome.task), outcome.message);
  text += stack_lines(names, outcome.stack, options, Inside::shown);
  const RecordedAllocation* block = names.allocation(outcome.object);
  if (block == nullptr) return text;
  if (block->freed_by != no_task) {
    text += fmt::format("  freed by {}\n", names.titled_task(block->freed_by));
    text += stack_lines(names, block->freed_stack, options);
  }
  if (block->task == no_task) return text + "  allocated before main began\n";
  text += fmt::format("  allocated by {}\n", names.titled_task(block->task));
  return text + stack_lines(names, block->stack, options);
}

std::string stack_section(Names& names, const SectionOptions& options) {
  const RecordedOutcome& outcome = names.recording().outcome;
  if (outcome.stack.size == 0 || outcome.task == no_task) return {};
  const std::string lines = stack_lines(names, outcome.stack, options);
  if (lines.empty()) return {};
  return heading(options, fmt::format("Where {} was", names.titled_task(outcome.task))) + lines;
}

std::string blocks_section(Names& names, const SectionOptions& options) {
  if (names.named_blocks().empty()) return {};
  std::string text = heading(options, "Heap blocks");
  for (const Names::NamedBlock& named : names.named_blocks()) {
    const RecordedAllocation& block = *named.allocation;
    const std::string owner =
        block.task == no_task ? "from before main" : "by " + Names::task(block.task);
    const std::string words =
        fmt::format("{}: {}, {}", named.name, counted(block.size, "byte"), owner);
    text += block.stack.size == 0 ? row(options, words, 30, "")
                                  : place_row(options, words, 30, names.place(block.stack));
  }
  return text;
}

std::string files_section(Names& names, const SectionOptions& options) {
  if (names.short_files().empty()) return {};
  std::string text = heading(options, "Files");
  for (const auto& [name, path] : names.short_files()) {
    text += "  " + padded(name, 20) + "  " + options.painter.paint(Ink::faint, path) + "\n";
  }
  return text;
}

std::string output_section(const std::string& output, bool is_cut, const SectionOptions& options) {
  if (output.empty()) return {};
  std::vector<std::string> lines;
  const std::string text = harmless(output);
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    lines.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  const std::size_t shown = options.full ? lines.size() : std::min(lines.size(), most_output_lines);
  const bool all = shown == lines.size() && !is_cut;
  std::string result =
      heading(options, all ? "The program's output" : "The end of the program's output");
  for (std::size_t i = lines.size() - shown; i < lines.size(); ++i) {
    result += "  | " + lines[i] + "\n";
  }
  return result;
}

}  // namespace ricercar
