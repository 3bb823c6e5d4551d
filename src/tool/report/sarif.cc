// SARIF 2.1.0 (OASIS, 2020), which code scanning reads: a rule for each kind of bug that was found,
// a result for each bug, with the steps of its threads as flows.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "model/outcome_kinds.h"
#include "report/json.h"
#include "report/run_formats.h"

namespace ricercar::inline report {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_flow_steps = 500;  // of a bug; the last ones

Json message(const std::string& text) { return {{"text", valid_text(text)}}; }

// A relative reference of RFC 3986, or a file: URI.
std::string uri_of(const std::string& path) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/";
  std::string uri = path.starts_with('/') ? "file://" : "";
  for (const char letter : path) {
    uri += plain.find(letter) != std::string_view::npos
               ? std::string(1, letter)
               : fmt::format("%{:02X}", static_cast<unsigned char>(letter));
  }
  return uri;
}

// FNV-1a, which stays the same from version to version.
std::string fingerprint(const std::string& text) {
  std::uint64_t hash = 14695981039346656037U;
  for (const char letter : text)
    hash = (hash ^ static_cast<unsigned char>(letter)) * 1099511628211U;
  return fmt::format("{:016x}", hash);
}

class Sarif {
 public:
  Sarif(const RunSummary& summary, const RunFormatContext& context)
      : summary_(summary), context_(context) {}

  Json write() {
    Json results = Json::array();
    for (const BugSummary& bug : summary_.bugs) results.push_back(result(bug));
    Json driver = {{"name", "Ricercar"}, {"version", context_.version}, {"rules", rules_}};
    Json run = {{"tool", {{"driver", driver}}},
                {"invocations", Json::array({invocation()})},
                {"results", results},
                {"columnKind", "utf16CodeUnits"}};
    return {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
            {"version", "2.1.0"},
            {"runs", Json::array({run})}};
  }

 private:
  Json invocation() const {
    const std::string why = failure_without_bug(summary_);
    Json result = {{"executionSuccessful", why.empty()},
                   {"commandLine", valid_text("ricercar run " + command_of(summary_))}};
    Json notes = Json::array();
    if (!why.empty()) notes.push_back({{"level", "error"}, {"message", message(why)}});
    if (summary_.corpus) {
      for (const CorpusEntry& entry : *summary_.corpus) {
        if (entry.result == CorpusEntry::shown) continue;
        notes.push_back({{"level", "note"}, {"message", message(entry.reason)}});
      }
    }
    if (!notes.empty()) result["toolExecutionNotifications"] = notes;
    return result;
  }

  std::size_t rule(const std::string& kind) {
    const auto known = std::find_if(rules_.begin(), rules_.end(),
                                    [&](const Json& each) { return each["id"] == kind; });
    if (known != rules_.end()) return static_cast<std::size_t>(known - rules_.begin());
    const std::optional<OutcomeKind> outcome = kind_by_name(kind);
    const std::string sentence(outcome ? info(*outcome).sentence : "");
    rules_.push_back({{"id", kind},
                      {"shortDescription", message(sentence.empty() ? kind : sentence)},
                      {"defaultConfiguration", {{"level", "error"}}}});
    return rules_.size() - 1;
  }

  Json location(const std::string& file, unsigned line, const std::string& function,
                const std::string& what) const {
    Json place = Json::object();
    if (!file.empty()) {
      const std::string path = file_in_repository(file, context_.sources);
      Json artifact = {{"uri", uri_of(path)}};
      if (!path.starts_with('/')) artifact["uriBaseId"] = "%SRCROOT%";
      place["physicalLocation"] = {{"artifactLocation", artifact}};
      if (line != 0) place["physicalLocation"]["region"] = {{"startLine", line}};
    }
    if (!function.empty()) {
      place["logicalLocations"] =
          Json::array({{{"fullyQualifiedName", valid_text(function)}, {"kind", "function"}}});
    }
    if (!what.empty()) place["message"] = message(what);
    return place;
  }

  Json location(const PlaceSummary& place) const {
    return location(place.file, place.line, place.function, place.thread + " " + place.role);
  }

  Json result(const BugSummary& bug) {
    const PlaceSummary* shown = main_place(bug);
    const std::string replay = replay_of(bug, context_);
    Json json = {{"ruleId", bug.kind}, {"ruleIndex", rule(bug.kind)}, {"level", "error"}};
    json["message"] = message(bug.message + (replay.empty() ? "" : "\nRun it again: " + replay));
    json["locations"] = Json::array();
    if (shown != nullptr) json["locations"].push_back(location(*shown));
    Json related = Json::array();
    std::string where = bug.kind;
    for (const PlaceSummary& place : bug.places) {
      const std::string file = file_in_repository(place.file, context_.sources);
      where += fmt::format("\n{} {} {}", place.role, file, place.function);
      if (&place == shown || place.line == 0) continue;
      related.push_back(location(place));
      related.back()["id"] = related.size();
    }
    if (!related.empty()) json["relatedLocations"] = related;
    if (Json flows = thread_flows(bug.details); !flows.empty()) {
      json["codeFlows"] = Json::array({{{"threadFlows", flows}}});
    }
    json["partialFingerprints"] = {{"ricercarPlaces/v1", fingerprint(where)}};
    json["properties"] = {{"schedule", valid_text(bug.schedule)},
                          {"report", valid_text(bug.report)},
                          {"execution", bug.execution},
                          {"steps", bug.steps}};
    return json;
  }

  // A flow for each lane; the order of all steps is in executionOrder.
  Json thread_flows(const Report& report) const {
    Json flows = Json::array();
    const std::size_t first =
        report.steps.size() > most_flow_steps ? report.steps.size() - most_flow_steps : 0;
    for (const Lane& lane : report.lanes) {
      Json locations = Json::array();
      for (std::size_t i = first; i < report.steps.size(); ++i) {
        const ReportStep& step = report.steps[i];
        if (step.lane != lane.id || step.gap.is_one()) continue;
        const Frame& frame = step.place.frame;
        const std::string what = lane.name + " " + step.what;
        locations.push_back({{"location", location(frame.file, frame.line, frame.function, what)},
                             {"executionOrder", i + 1}});
        if (step.is_outcome) locations.back()["importance"] = "essential";
      }
      if (locations.empty()) continue;
      flows.push_back({{"id", valid_text(lane.name)},
                       {"message", message(report.titled(lane.id))},
                       {"locations", locations}});
    }
    return flows;
  }

  const RunSummary& summary_;
  const RunFormatContext& context_;
  Json rules_ = Json::array();
};

}  // namespace

std::string sarif_summary(const RunSummary& summary, const RunFormatContext& context) {
  return json_text(Sarif(summary, context).write());
}

}  // namespace ricercar::inline report
