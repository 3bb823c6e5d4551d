#include "report/divergence.h"

#include <algorithm>

#include "report/names.h"

namespace ricercar::inline report {
namespace {

std::string describe(Names& names, const TaskOperation& option) {
  const Operation& operation = option.operation;
  std::string text = Names::task(option.task);
  text += std::string(" ") + info(operation.kind).words;
  const bool has_name = operation.object != 0 && !is_file_call(operation.kind);
  if (has_name) text += " " + names.object(operation.object).name;
  const Place place = names.place(operation.site);
  return place.is_known() ? text + " at " + place.file_and_line() : text;
}

std::string describe_found(Names& names, const RecordedDivergence& divergence) {
  const std::uint32_t shown = std::min(divergence.found_count, RecordedDivergence::most_options);
  std::string text;
  for (std::uint32_t i = 0; i < shown; ++i) {
    text += (i == 0 ? "" : ", or ") + describe(names, divergence.found_options[i]);
  }
  return divergence.found_count > shown ? text + ", or others" : text;
}

bool could_run(const RecordedDivergence& divergence) {
  const std::uint32_t shown = std::min(divergence.found_count, RecordedDivergence::most_options);
  return std::any_of(
      divergence.found_options, divergence.found_options + shown,
      [&](const TaskOperation& option) { return option.task == divergence.expected_option.task; });
}

}  // namespace

DivergenceText divergence_text(const Recording& recording, Symbols& symbols) {
  const RecordedDivergence& divergence = recording.divergence;
  DivergenceText text{divergence.expected, divergence.found};
  Names names(recording, symbols);
  if (divergence.found_count != 0) text.found = describe_found(names, divergence);
  if (!divergence.knows_expected) return text;
  const TaskOperation& expected = divergence.expected_option;
  text.expected = describe(names, expected);
  const bool is_blocked = divergence.found_count != 0 &&
                          divergence.found_count <= RecordedDivergence::most_options &&
                          !could_run(divergence);
  if (is_blocked) text.found += "; " + Names::task(expected.task) + " cannot run";
  return text;
}

}  // namespace ricercar::inline report
