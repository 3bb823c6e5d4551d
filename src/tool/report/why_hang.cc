// Why a thread does not come back: from a call that waits for something outside of the program, or
// from a loop without any operation.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "report/build_threads.h"
#include "report/history.h"
#include "report/phrases.h"
#include "report/style.h"
#include "report/why.h"

namespace ricercar::inline report {
namespace {

bool waits_for_a_signal(const RecordedOutcome& outcome) {
  const std::string_view message = outcome.message;
  return message.find("pause()") != std::string_view::npos ||
         message.find(" in sig") != std::string_view::npos;
}

// The last signal for the thread came before it waits.
bool tell_early_delivery(WhyWriter& writer) {
  const Recording& recording = writer.recording();
  if (!waits_for_a_signal(recording.outcome)) return false;
  const TaskId task = recording.outcome.task;
  const auto delivery = last_event(recording, 0, recording.events.size, [task](const Step& step) {
    return step.kind == OperationKind::deliver && step.object == index(task);
  });
  if (!delivery || recording.truncated) return false;
  const Place place = writer.names().place(recording.outcome.stack);
  writer.recognise("early-signal");
  const std::string delivered = writer.tell("signals", *delivery);
  writer.say(fmt::format("{}, before it waits{}; no signal is delivered to it after that.",
                         delivered, writer.tell_place("waits", task, "waits", place)));
  return true;
}

// Who could have done something, and why nobody does.
void tell_others(WhyWriter& writer) {
  const Recording& recording = writer.recording();
  std::vector<std::string> words;
  for (const RecordedTask& task : recording.tasks) {
    if (task.id == recording.outcome.task || task.ended) continue;
    if (!task.blocked) return;
    const std::string what = waiting_phrase(writer.names(), task.waiting, "`");
    const Place place = writer.names().place_of_wait(task);
    words.push_back(writer.who(task.id) + " " + what +
                    writer.tell_place("waits", task.id, what, place));
  }
  const bool is_alone = std::all_of(
      recording.tasks.begin(), recording.tasks.end(),
      [&](const RecordedTask& task) { return task.id == recording.outcome.task || task.ended; });
  if (recording.tasks.size < 2 || (words.empty() && !is_alone)) return;
  writer.recognise("waits-outside");
  const std::string who = writer.who(recording.outcome.task);
  const Place place = writer.names().place(recording.outcome.stack);
  const std::string where =
      writer.tell_place("waits", recording.outcome.task, "does not come back", place);
  writer.say(fmt::format(
      "{} does not come back{}, and {}.", who, where,
      is_alone ? "all other threads have ended" : "nobody else can go on: " + enumerated(words)));
}

}  // namespace

void explain_hang(WhyWriter& writer) {
  if (writer.recording().outcome.task == no_task) return;
  if (tell_early_delivery(writer)) return;
  explain_failure(writer);
  if (!writer.has_recognised()) tell_others(writer);
}

}  // namespace ricercar::inline report
