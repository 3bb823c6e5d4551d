#include "report/text.h"

#include <fmt/format.h>

namespace ricercar {

std::string headline(const ReportInput& input, Symbols&) {
  return fmt::format("{}: {}", info(input.recording->outcome.kind).name,
                     input.recording->outcome.message);
}

std::string text_report(const ReportInput& input, Symbols& symbols, const TextOptions&) {
  std::string text = headline(input, symbols) + "\n";
  for (const RecordedEvent& event : input.recording->events) {
    text += fmt::format("{:5}  T{} {} {:#x} = {}\n", event.step_index, index(event.step.task),
                        info(event.step.kind).words, event.step.object, event.step.value);
  }
  return text;
}

}  // namespace ricercar
