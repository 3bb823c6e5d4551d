#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "report/json.h"
#include "report/path_tools.h"
#include "report/style.h"

namespace ricercar::inline report {
namespace {

using Json = nlohmann::ordered_json;

// What the properties said at one event.
struct Answers {
  std::uint64_t judged = 0;
  std::vector<std::uint32_t> violated;
};

std::map<std::uint64_t, Answers> answers_by_event(const Recording& recording) {
  std::map<std::uint64_t, Answers> answers;
  for (const RecordedCheck& check : recording.checks) {
    Answers& at = answers[check.act];
    ++at.judged;
    if (check.is_violated) at.violated.push_back(check.property);
  }
  return answers;
}

// All steps are there, so their numbers are their places.
const ReportStep* find_step(const Report& report, std::uint64_t number) {
  const bool is_there = number != 0 && number <= report.steps.size();
  return is_there ? &report.steps[number - 1] : nullptr;
}

struct PropertyFigures {
  std::uint64_t judged = 0;
  std::uint64_t violated_at = 0;  // the event; 0: none
};

PropertyFigures property_figures(const Recording& recording, std::uint32_t property) {
  PropertyFigures figures;
  for (const RecordedCheck& check : recording.checks) {
    if (check.property != property) continue;
    ++figures.judged;
    if (check.is_violated) figures.violated_at = check.act;
  }
  return figures;
}

std::string words_of(const PropertyFigures& figures) {
  if (figures.judged == 0) return "not judged: a value was missing, or nothing was answered";
  const std::string judged = "judged " + counted(figures.judged, "time");
  if (figures.violated_at == 0) return judged + ", never violated";
  return fmt::format("{}, violated at event {}", judged, figures.violated_at);
}

// Without those that say nothing new: no value has changed, and nothing was violated.
bool is_told(const ReportStep& step, const Answers& answers) {
  return !answers.violated.empty() || step.operation == "log" || step.operation == "respond";
}

std::string event_line(const Report& report, const Recording& recording, const ReportStep& step,
                       const Answers& answers) {
  std::string text =
      fmt::format("  {:>5}  {}  {}\n", step.number, report.name(step.lane), step.what);
  for (const std::uint32_t property : answers.violated) {
    text += fmt::format("         VIOLATED '{}'\n", recording.properties[property].name);
  }
  return text;
}

}  // namespace

std::string property_checks_text(const Report& report, const Recording& recording) {
  const std::map<std::uint64_t, Answers> answers = answers_by_event(recording);
  std::string text = fmt::format("{}, {} at {} of {}\n\n",
                                 recording.properties.size == 1
                                     ? "1 property"
                                     : grouped(recording.properties.size) + " properties",
                                 counted(recording.checks.size, "check"), grouped(answers.size()),
                                 counted(report.step_count, "event"));
  for (std::uint32_t i = 0; i < recording.properties.size; ++i) {
    text += fmt::format("  '{}' ({}): {}\n", recording.properties[i].name,
                        recording.properties[i].kind, words_of(property_figures(recording, i)));
  }
  text += "\nWhat was reported, and what was violated then\n";
  for (const auto& [number, at] : answers) {
    const ReportStep* step = find_step(report, number);
    if (step != nullptr && is_told(*step, at)) text += event_line(report, recording, *step, at);
  }
  if (report.outcome == OutcomeKind::property) text += "\n" + report.headline + "\n";
  return harmless(text);
}

std::string property_checks_json(const Report& report, const Recording& recording) {
  Json json;
  json["schema"] = "ricercar.properties/1";
  json["kind"] = report.kind;
  json["message"] = report.headline;
  json["events"] = report.step_count;
  json["checks"] = recording.checks.size;
  json["properties"] = Json::array();
  for (std::uint32_t i = 0; i < recording.properties.size; ++i) {
    const PropertyFigures figures = property_figures(recording, i);
    Json property = {{"name", recording.properties[i].name},
                     {"kind", recording.properties[i].kind},
                     {"judged", figures.judged}};
    if (figures.violated_at != 0) property["violated_at"] = figures.violated_at;
    json["properties"].push_back(property);
  }
  json["at"] = Json::array();
  for (const auto& [number, at] : answers_by_event(recording)) {
    Json event = {{"event", number}, {"judged", at.judged}};
    if (const ReportStep* step = find_step(report, number)) {
      event["node"] = report.name(step->lane);
      event["what"] = step->what;
    }
    Json violated = Json::array();
    for (const std::uint32_t property : at.violated) {
      violated.push_back(recording.properties[property].name);
    }
    event["violated"] = violated;
    json["at"].push_back(event);
  }
  return json_text(json);
}

}  // namespace ricercar::inline report
