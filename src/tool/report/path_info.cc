#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "report/json.h"
#include "report/path_tools.h"
#include "report/style.h"

namespace ricercar::inline report {
namespace {

using Json = nlohmann::ordered_json;
using Counts = std::map<std::string, std::uint64_t>;  // by kind

bool is_event(const ReportStep& step) { return !step.gap.is_one() && !step.operation.empty(); }

bool is_fault(const ReportStep& step) {
  return step.operation == "fault" || step.operation == "crash" || step.operation == "restart";
}

struct PathFigures {
  Counts all;
  std::map<TaskId, Counts> of_lane;
  std::uint64_t events = 0;
};

PathFigures path_figures(const Report& report) {
  PathFigures figures;
  for (const ReportStep& step : report.steps) {
    if (!is_event(step)) continue;
    ++figures.events;
    ++figures.all[step.operation];
    ++figures.of_lane[step.lane][step.operation];
  }
  return figures;
}

std::uint64_t sum_of(const Counts& counts) {
  std::uint64_t sum = 0;
  for (const auto& [kind, count] : counts) sum += count;
  return sum;
}

// "12 events: 9 arrive, 3 call"
std::string words_of(const Counts& counts) {
  std::string kinds;
  for (const auto& [kind, count] : counts) {
    kinds += fmt::format("{}{} {}", kinds.empty() ? ": " : ", ", grouped(count), kind);
  }
  return counted(sum_of(counts), "event") + kinds;
}

std::string faults_text(const Report& report) {
  std::string text;
  for (const ReportStep& step : report.steps) {
    if (is_fault(step)) {
      text += fmt::format("  {:>5}  {}  {}\n", step.number, report.name(step.lane), step.what);
    }
  }
  return text.empty() ? "\nNo fault was injected.\n" : "\nFaults\n" + text;
}

}  // namespace

std::string path_info_text(const Report& report) {
  const PathFigures figures = path_figures(report);
  std::size_t width = std::string("all").size();
  for (const auto& [lane, counts] : figures.of_lane) {
    width = std::max(width, report.name(lane).size());
  }
  std::string text = report.headline + "\n\n";
  for (const auto& [lane, counts] : figures.of_lane) {
    text += fmt::format("  {}  {}\n", padded(report.name(lane), width), words_of(counts));
  }
  text += fmt::format("  {}  {}\n", padded("all", width), words_of(figures.all));
  if (report.is_truncated) text += "\nThe beginning was too long to record.\n";
  return harmless(text + faults_text(report));
}

std::string path_info_json(const Report& report) {
  const PathFigures figures = path_figures(report);
  Json json;
  json["schema"] = "ricercar.info/1";
  json["kind"] = report.kind;
  json["message"] = report.headline;
  json["schedule"] = report.schedule;
  json["truncated"] = report.is_truncated;
  json["events"] = figures.events;
  json["kinds"] = Json::object();
  for (const auto& [kind, count] : figures.all) json["kinds"][kind] = count;
  json["lanes"] = Json::array();
  for (const auto& [lane, counts] : figures.of_lane) {
    Json kinds = Json::object();
    for (const auto& [kind, count] : counts) kinds[kind] = count;
    json["lanes"].push_back(
        {{"name", report.name(lane)}, {"events", sum_of(counts)}, {"kinds", kinds}});
  }
  json["faults"] = Json::array();
  for (const ReportStep& step : report.steps) {
    if (!is_fault(step)) continue;
    json["faults"].push_back(
        {{"event", step.number}, {"lane", report.name(step.lane)}, {"what", step.what}});
  }
  return json_text(json);
}

}  // namespace ricercar::inline report
