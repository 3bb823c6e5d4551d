// Until when a failure could still be avoided, in words.
#include <fmt/format.h>

#include "report/build.h"
#include "report/build_threads.h"
#include "report/history.h"
#include "report/message_places.h"
#include "report/named_fields.h"
#include "report/style.h"
#include "report/why.h"

namespace ricercar::inline report {
namespace {

// What was tried besides.
std::string what_fails(const ReportChance& chance) {
  const std::string others = counted(chance.later, "other execution");
  if (chance.is_complete && chance.later == 0) {
    return chance.passes ? "After that nothing is left that could avoid it."
                         : "There is no other execution.";
  }
  if (chance.is_complete) {
    const std::string all =
        chance.later == 1 ? "there is one, and it was run"
                          : fmt::format("there are {}, and all were run", grouped(chance.later));
    return fmt::format("{}: {}.",
                       chance.passes ? "After that, every other execution fails"
                                     : "Every other execution fails, too",
                       all);
  }
  if (!chance.passes && chance.later == 0) return {};
  if (!chance.passes) {
    return fmt::format("No execution that passes was found: {} tried, not all that there are.",
                       others);
  }
  if (chance.later == 0) return {};
  return fmt::format("After that, none was found that passes: {} tried, not all that there are.",
                     others);
}

}  // namespace

std::optional<std::size_t> event_of_step(const Recording& recording, std::uint64_t step) {
  for (std::size_t i = 0; i < recording.events.size; ++i) {
    const RecordedEvent& event = recording.events[i];
    const bool is_step = !is_plain(event.step) || event.step.options > 0;
    if (is_step && event.step_index == step) return i;
  }
  return std::nullopt;
}

std::optional<std::size_t> act_of_step(const Recording& recording, std::uint64_t step) {
  for (std::size_t i = 0; i < recording.acts.size; ++i) {
    if (recording.acts[i].steps > step) return i;
  }
  return std::nullopt;
}

std::string words_of_event(Names& names, std::size_t event) {
  return WhyWriter(names).tell("decides", event);
}

std::string words_of_act(const Recording& recording, std::size_t act) {
  const RecordedAct& told = recording.acts[act];
  const auto name_of_machine = [&recording](std::uint32_t number) {
    for (const RecordedMachine& machine : recording.machines) {
      if (machine.number == number) return std::string(machine.name);
    }
    return fmt::format("#{}", number);
  };
  const std::string target = told.target == no_machine ? "" : name_of_machine(told.target);
  const std::string words = words_of(told, target);
  return fmt::format("{} {} (event {})", name_of_machine(told.machine),
                     is_told_in_words(told.kind) ? with_source_lines(words) : words, act + 1);
}

std::string words_of_step(const Recording& recording, Symbols& symbols, std::uint64_t step) {
  std::string words;
  if (info(recording.world).told == Told::by_address) {
    Names names(recording, symbols);
    if (const auto event = event_of_step(recording, step)) words = words_of_event(names, *event);
  } else if (const auto act = act_of_step(recording, step)) {
    words = words_of_act(NamedStory(recording, symbols).recording(), *act);
  }
  return words.substr(0, words.rfind(" ("));
}

std::optional<Step> recorded_step(const Recording& recording, std::uint64_t step) {
  if (info(recording.world).told != Told::by_address) return std::nullopt;
  const auto event = event_of_step(recording, step);
  return event ? std::optional(recording.events[*event].step) : std::nullopt;
}

bool are_in_conflict(const Step& one, const Step& other) {
  const bool are_reads = is_memory_access(one.kind) && is_memory_access(other.kind) &&
                         !writes_memory(one) && !writes_memory(other);
  return one.object != 0 && one.object == other.object && one.task != other.task && !are_reads;
}

namespace {

// A thread has slept, and nobody has run before it went on: only the clock was to put them in
// order.
void tell_sleep(WhyWriter& writer, std::size_t event) {
  const TaskId task = writer.step(event).task;
  for (std::size_t i = event; i-- > 0 && writer.step(i).task == task;) {
    if (writer.step(i).kind != OperationKind::sleep) continue;
    writer.say(
        fmt::format("{}, and goes on before any other thread: a sleep waits for nobody, "
                    "however long it is.",
                    writer.tell("sleeps", i)));
    return;
  }
}

}  // namespace

Why wrong_order(Names& names, std::size_t event, const ReportChance& chance) {
  if (!chance.passes || !chance.is_conflict || chance.instead.empty()) return {};
  const Step& step = names.recording().events[event].step;
  const bool is_access = is_memory_access(step.kind);
  const char* role = takes_lock(step) ? "locks" : is_access ? "reads" : "uses";
  WhyWriter writer(names);
  writer.recognise("wrong-order");
  writer.say(fmt::format("{} first; in an execution that passes, {} before that.",
                         writer.tell(is_access && writes_memory(step) ? "writes" : role, event),
                         chance.instead));
  tell_sleep(writer, event);
  return writer.take().why;
}

std::vector<std::string> sentences_of(const ReportChance& chance) {
  std::vector<std::string> sentences;
  if (!chance.order.empty()) sentences.push_back(chance.order);
  const std::string file = chance.passing.empty() ? "" : fmt::format(" ({})", chance.passing);
  if (chance.passes && chance.is_told) {
    const std::string saved =
        chance.passing.empty() ? "" : "; an execution that passes is " + chance.passing;
    sentences.push_back(fmt::format("That was the last moment to avoid it{}.", saved));
  } else if (chance.passes) {
    const char* when =
        chance.is_in_round ? "It could be avoided in every round" : "The last moment to avoid it";
    const std::string taken =
        chance.taken.empty() ? fmt::format("step {}", chance.step + 1) : chance.taken;
    const std::string instead = chance.instead.empty() ? "with another decision there"
                                                       : "if " + chance.instead + " instead";
    sentences.push_back(
        fmt::format("{}: {}; {}, the execution passes{}.", when, taken, instead, file));
  }
  if (chance.passes && chance.is_in_round) return sentences;
  if (const std::string rest = what_fails(chance); !rest.empty()) sentences.push_back(rest);
  return sentences;
}

}  // namespace ricercar::inline report
