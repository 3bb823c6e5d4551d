// Why an object was used against its rules, and why a thread leaks.
#include <fmt/format.h>

#include "report/build_threads.h"
#include "report/history.h"
#include "report/why.h"

namespace ricercar::inline report {
namespace {

// Who has it now.
void tell_owner(WhyWriter& writer) {
  const Recording& recording = writer.recording();
  const RecordedOutcome& outcome = recording.outcome;
  const std::size_t end = recording.events.size;
  for (const RecordedTask& task : recording.tasks) {
    for (const HeldLock& lock : locks_held_at(recording, task.id, end)) {
      if (lock.object != outcome.object) continue;
      writer.recognise("held-by-another");
      writer.say(fmt::format("{} and has not given it back.", writer.tell("locks", lock.taken)));
      return;
    }
  }
}

// The last thing that another thread, or an earlier moment, has done to it.
void tell_last_use(WhyWriter& writer) {
  const Recording& recording = writer.recording();
  const RecordedOutcome& outcome = recording.outcome;
  const auto last = last_event(recording, 0, recording.events.size, [&](const Step& step) {
    return step.object == outcome.object && step.task != outcome.task;
  });
  if (!last) return;
  writer.recognise("used-before");
  writer.say(
      fmt::format("The last that another thread has done to it: {}.", writer.tell("uses", *last)));
}

}  // namespace

void explain_lock_misuse(WhyWriter& writer) {
  const Recording& recording = writer.recording();
  const RecordedOutcome& outcome = recording.outcome;
  if (recording.truncated || outcome.task == no_task) return;
  if (outcome.object != 0) tell_owner(writer);
  if (!writer.has_recognised() && outcome.object != 0) tell_last_use(writer);
  if (!writer.has_recognised()) return;
  const Place place = writer.names().place(outcome.stack);
  writer.say(fmt::format("{} {}{}.", writer.who(outcome.task), outcome.message,
                         writer.tell_place("fails", outcome.task, outcome.message, place)));
}

void explain_leak(WhyWriter& writer) {
  const Recording& recording = writer.recording();
  const std::size_t end = recording.events.size;
  const auto is_about = [](OperationKind kind, TaskId task) {
    return
        [kind, task](const Step& step) { return step.kind == kind && step.object == index(task); };
  };
  for (const RecordedTask& task : recording.tasks) {
    if (!task.ended || task.detached || task.creator == no_task) continue;
    const auto creation = first_event(recording, 0, end, [&](const Step& step) {
      return step.kind == OperationKind::create && step.value == index(task.id);
    });
    if (!creation) continue;
    const bool is_joined =
        first_event(recording, *creation, end, is_about(OperationKind::join, task.id)).has_value();
    const bool is_detached =
        first_event(recording, *creation, end, is_about(OperationKind::detach, task.id))
            .has_value();
    if (is_joined || is_detached) continue;
    writer.recognise("never-joined");
    writer.say(fmt::format("{}, and nobody joins or detaches it up to the end.",
                           writer.tell("creates", *creation)));
  }
}

}  // namespace ricercar::inline report
