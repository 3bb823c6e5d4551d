#include <fmt/format.h>

#include <cctype>
#include <string_view>

#include "model/dependence.h"
#include "model/messages.h"
#include "report/build_threads.h"
#include "report/phrases.h"
#include "report/stuck.h"
#include "report/style.h"

namespace ricercar::inline report {
namespace {

constexpr std::size_t most_waiting_named = 4;

// How many bytes a race is about: the runtime says so in its message.
std::string bytes_in_message(const std::string& message) {
  const std::size_t end = message.find(" byte");
  if (end == std::string::npos) return {};
  std::size_t start = end;
  while (start > 0 && std::isdigit(static_cast<unsigned char>(message[start - 1]))) --start;
  const std::string number = message.substr(start, end - start);
  if (number.empty()) return {};
  return number == "1" ? "1 byte" : number + " bytes";
}

std::string storage_word(Names& names, std::uint64_t address) {
  switch (names.object(address).storage) {
    case Storage::global:
      return "global";
    case Storage::stack:
      return fmt::format("on the stack of {}", Names::task(names.owner_of_stack(address)->id));
    case Storage::heap:
      return "heap";
    case Storage::unknown:
      break;
  }
  return {};
}

std::string at(const Place& place) {
  return place.is_known() || !place.frame.function.empty() ? " at " + place.file_and_line() : "";
}

// Where an access is, and what of a library the line was calling: two threads in one line may be in
// different parts of a container.
std::string at_access(const Place& place) {
  const bool tells_more = !place.inside.empty() && !place.inside.starts_with("operator delete") &&
                          place.inside != "free";
  return at(place) + (tells_more ? fmt::format(" (in {})", place.inside) : "");
}

Place place_of_outcome(Names& names) {
  const RecordedOutcome& outcome = names.recording().outcome;
  const Place by_stack = names.place(outcome.stack);
  return by_stack.is_known() ? by_stack : names.place(outcome.site);
}

// Where it happened, or at least where the task was seen last.
std::string where_it_happened(Names& names) {
  const Place place = place_of_outcome(names);
  if (place.frame.is_users && place.is_known()) return at(place);
  const Place last = names.last_place(names.recording().outcome.task);
  if (!last.is_known()) return at(place);
  return (place.is_known() ? at(place) + "," : "") + " after " + last.file_and_line();
}

// " (4 bytes, global)": what is known about an object besides its name; may be empty.
std::string object_details(Names& names, std::uint64_t address) {
  std::vector<std::string> words;
  const std::string size = bytes_in_message(names.recording().outcome.message);
  if (!size.empty()) words.push_back(size);
  const std::string storage = storage_word(names, address);
  if (!storage.empty()) words.push_back(storage);
  if (words.empty()) return {};
  return words.size() == 1 ? fmt::format(" ({})", words[0])
                           : fmt::format(" ({}, {})", words[0], words[1]);
}

std::string race_sentence(Names& names) {
  const RecordedOutcome& outcome = names.recording().outcome;
  Place other = names.place(outcome.other_stack);
  if (!other.is_known()) other = names.place(outcome.other_site);
  return fmt::format("data race on `{}`{}: {} {}{} while {} {}{}",
                     names.object(outcome.object).name, object_details(names, outcome.object),
                     names.named_task(outcome.task), access_verb(outcome),
                     at_access(place_of_outcome(names)), names.named_task(outcome.other_task),
                     outcome.other_is_write ? "writes" : "reads", at_access(other)) +
         (is_race_with_free(outcome) ? "; in the other order it is a use after free" : "");
}

std::string waiting_sentence(Names& names, const Waiting& waiting) {
  std::vector<std::string> held;
  for (const RecordedHold* hold : waiting.holds) {
    held.push_back("`" + names.object(hold->object).name + "`");
  }
  std::string text = waiting.task->creator == no_task ? "main" : names.named_task(waiting.task->id);
  if (!held.empty()) text += " holds " + enumerated(held) + " and";
  return text + " " + waiting_phrase(names, waiting.task->waiting, "`");
}

std::string deadlock_sentence(Names& names) {
  const std::vector<Waiting> all = find_waiting(names.recording());
  if (all.empty()) return std::string("deadlock: ") + names.recording().outcome.message;
  std::string text = "deadlock: ";
  for (std::size_t i = 0; i < all.size() && i < most_waiting_named; ++i) {
    if (i > 0) text += "; ";
    text += waiting_sentence(names, all[i]);
  }
  if (all.size() > most_waiting_named) {
    text += fmt::format("; and {} wait", counted(all.size() - most_waiting_named, "more thread"));
  }
  return text;
}

// "assertion `x == 1' failed in int main() (a.cc:12)", "assertion failed: x (a.cc:12)": the end is
// said better with our own names.
std::string assertion_sentence(Names& names) {
  std::string text = names.recording().outcome.message;
  if (text.starts_with("assertion `")) {
    const std::size_t end = text.rfind("' failed");
    if (end != std::string::npos) text.resize(end + 8);
  }
  if (text.starts_with("assertion failed: ") && text.ends_with(')')) text.resize(text.rfind(" ("));
  return text;
}

std::string block_sentence(Names& names) {
  const RecordedOutcome& outcome = names.recording().outcome;
  const RecordedAllocation* block = names.allocation(outcome.object);
  if (block == nullptr || block->freed_by == no_task) return {};
  return fmt::format("; {} freed it{}", names.named_task(block->freed_by),
                     at(names.place(block->freed_stack)));
}

// " (`Node#1.next`)", where more is known than that it is a block.
std::string name_of_memory(Names& names) {
  const std::uint64_t address = names.recording().outcome.object;
  if (names.allocation(address) == nullptr) return {};
  const std::string& name = names.object(address).name;
  return name.starts_with("block ") ? "" : fmt::format(" (`{}`)", name);
}

// What it did comes first, where it was second, and the other face of the bug at the end.
std::string use_after_free_sentence(Names& names) {
  const RecordedOutcome& outcome = names.recording().outcome;
  std::string_view message = outcome.message;
  const bool is_race = message.ends_with(not_ordered);
  if (is_race) message.remove_suffix(std::string_view(not_ordered).size());
  const Place place = place_of_outcome(names);
  return fmt::format("use after free: {} {}{}{}{}{}", names.named_task(outcome.task), message,
                     name_of_memory(names),
                     place.is_known() ? at_access(place) : where_it_happened(names),
                     block_sentence(names), is_race ? not_ordered : "");
}

std::string destroyer_sentence(Names& names) {
  const RecordedOutcome& outcome = names.recording().outcome;
  if (outcome.other_task == no_task) return {};
  return fmt::format("; {} {} it{}", Names::task(outcome.other_task),
                     objects::is_key(outcome.object) ? "deleted" : "destroyed",
                     at(names.place(outcome.other_stack)));
}

}  // namespace

std::string headline_of(Names& names) {
  const RecordedOutcome& outcome = names.recording().outcome;
  const std::string task = outcome.task == no_task ? "" : names.named_task(outcome.task);
  const std::string where = where_it_happened(names);
  const std::string in_task = task.empty() ? "" : " in " + task;
  switch (outcome.kind) {
    case OutcomeKind::data_race:
      return race_sentence(names);
    case OutcomeKind::deadlock:
      return deadlock_sentence(names);
    case OutcomeKind::assertion:
      return assertion_sentence(names) + in_task + where;
    case OutcomeKind::lock_misuse: {
      const std::string object =
          outcome.object == 0 ? "" : ": `" + names.object(outcome.object).name + "`";
      return fmt::format("lock misuse: {} {}{}{}{}", task, outcome.message, object, where,
                         destroyer_sentence(names));
    }
    case OutcomeKind::use_after_free:
      return use_after_free_sentence(names);
    case OutcomeKind::crash:
      return fmt::format("crash: {};{}{}", outcome.message, in_task, where);
    case OutcomeKind::exception:
      return fmt::format("{};{}{}", outcome.message, in_task, where);
    case OutcomeKind::livelock:
      return fmt::format("livelock: {}", outcome.message);
    case OutcomeKind::ok:
      return "no bug";
    default:
      return fmt::format("{}: {};{}{}", info(outcome.kind).name, outcome.message, in_task, where);
  }
}

}  // namespace ricercar::inline report
