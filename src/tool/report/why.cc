#include "report/why.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/build_threads.h"
#include "report/history.h"
#include "report/phrases.h"

namespace ricercar::inline report {
namespace {

std::uint64_t number_of(const RecordedEvent& event) {
  const bool is_step = !is_plain(event.step) || event.step.options > 0;
  return is_step ? event.step_index + 1 : 0;
}

// Only the name of the file: a sentence names many places, and the trace has their folders.
std::string where(const Place& place, std::uint64_t number) {
  const std::string step = number == 0 ? "" : fmt::format(" (step {})", number);
  if (!place.is_known()) return step;
  const std::string& file = place.short_file;
  return fmt::format(" at {}:{}", file.substr(file.rfind('/') + 1), place.frame.line) + step;
}

// "reads `counter` = 0". Threads need no quotes.
std::string with_quotes(const Phrase& words, OperationKind kind) {
  const bool is_thread = kind == OperationKind::create || kind == OperationKind::join ||
                         kind == OperationKind::detach || kind == OperationKind::cancel ||
                         kind == OperationKind::deliver;
  const std::size_t at =
      words.object.empty() || is_thread ? std::string::npos : words.what.find(" " + words.object);
  if (at == std::string::npos) return words.what;
  return words.what.substr(0, at + 1) + "`" + words.object + "`" +
         words.what.substr(at + 1 + words.object.size());
}

}  // namespace

std::string WhyWriter::tell_what(const std::string& role, std::size_t index) {
  const std::string place = tell_where(role, index);
  const auto size = writes_memory(step(index)) ? std::nullopt : sizes_.size_after(index);
  return with_quotes(phrase(names_, event(index), index), step(index).kind) +
         (size ? fmt::format(" (size {})", *size) : "") + place;
}

std::string WhyWriter::tell(const std::string& role, std::size_t index) {
  return who(step(index).task) + " " + tell_what(role, index);
}

std::string WhyWriter::tell_where(const std::string& role, std::size_t index) {
  const RecordedEvent& told = event(index);
  const Place place = names_.place(told.stack);
  const std::uint64_t number = number_of(told);
  result_.events.insert(index);
  add({role, told.step.task, number, phrase(names_, told, index).what, place}, index);
  return where(place, number);
}

std::string WhyWriter::tell_place(const std::string& role, TaskId task, const std::string& what,
                                  const Place& place) {
  add({role, task, 0, what, place}, recording().events.size);
  return where(place, 0);
}

std::string WhyWriter::quoted(std::uint64_t object) {
  return "`" + names_.object(object).name + "`";
}

// The same is not told twice.
void WhyWriter::add(const WhyPlace& place, std::size_t order) {
  const bool is_known = std::any_of(places_.begin(), places_.end(), [&](const Ordered& other) {
    return other.order == order && other.place.role == place.role &&
           other.place.lane == place.lane && other.place.what == place.what;
  });
  if (!is_known) places_.push_back({order, place});
}

Explanation WhyWriter::take() {
  if (!has_recognised()) return {};
  std::stable_sort(places_.begin(), places_.end(),
                   [](const Ordered& a, const Ordered& b) { return a.order < b.order; });
  for (Ordered& each : places_) result_.why.places.push_back(std::move(each.place));
  return std::move(result_);
}

Explanation explain(Names& names) {
  WhyWriter writer(names);
  switch (names.recording().outcome.kind) {
    case OutcomeKind::assertion:
    case OutcomeKind::crash:
    case OutcomeKind::exception:
    case OutcomeKind::exit:
      explain_failure(writer);
      break;
    case OutcomeKind::deadlock:
      explain_deadlock(writer);
      break;
    case OutcomeKind::hang:
      explain_hang(writer);
      break;
    case OutcomeKind::livelock:
      explain_livelock(writer);
      break;
    case OutcomeKind::data_race:
      explain_race(writer);
      break;
    case OutcomeKind::use_after_free:
      explain_use_after_free(writer);
      break;
    case OutcomeKind::lock_misuse:
      explain_lock_misuse(writer);
      break;
    case OutcomeKind::leak:
      explain_leak(writer);
      break;
    default:
      break;
  }
  return writer.take();
}

}  // namespace ricercar::inline report
