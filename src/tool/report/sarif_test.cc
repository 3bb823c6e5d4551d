// What is written as SARIF has the properties that the schema of SARIF 2.1.0 (OASIS) allows, of the
// right types, and those that it requires. The schema is not ours to copy: the table has the
// objects and properties that we write, and nothing else may be written. `make check-sarif` asks
// the schema itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "report/run_formats.h"

namespace ricercar::inline report {
namespace {

using Json = nlohmann::json;

// NAME=TYPE; with a star, the object must have it. A type is that of a value, words of which one
// must be there, an object of this table, a [list] of such objects, or one that must not be
// <empty>.
const std::map<std::string, std::string> objects = {
    {"sarifLog", "*version=2.1.0 *runs=[run] $schema=uri"},
    {"run", "*tool=tool invocations=[invocation] results=[result] columnKind=utf16CodeUnits"},
    {"tool", "*driver=toolComponent"},
    {"toolComponent", "*name=string version=string rules=[reportingDescriptor]"},
    {"reportingDescriptor",
     "*id=string shortDescription=message defaultConfiguration=reportingConfiguration"},
    {"reportingConfiguration", "level=none|note|warning|error"},
    {"message", "*text=string"},
    {"invocation",
     "*executionSuccessful=boolean commandLine=string toolExecutionNotifications=[notification]"},
    {"notification", "*message=message level=none|note|warning|error"},
    {"result",
     "*message=message ruleId=string ruleIndex=index level=none|note|warning|error "
     "locations=[location] relatedLocations=[location] codeFlows=[codeFlow] "
     "partialFingerprints=strings properties=object"},
    {"location",
     "id=index physicalLocation=physicalLocation logicalLocations=[logicalLocation] "
     "message=message"},
    {"physicalLocation", "*artifactLocation=artifactLocation region=region"},
    {"artifactLocation", "uri=uri uriBaseId=string"},
    {"region", "*startLine=positive"},
    {"logicalLocation", "fullyQualifiedName=string kind=string"},
    {"codeFlow", "*threadFlows=<threadFlow>"},
    {"threadFlow", "*locations=<threadFlowLocation> id=string message=message"},
    {"threadFlowLocation",
     "location=location executionOrder=index importance=important|essential|unimportant"},
};

bool is_uri(const Json& value) {
  constexpr const char* allowed =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/:%";
  return value.is_string() && !value.get<std::string>().empty() &&
         value.get<std::string>().find_first_not_of(allowed) == std::string::npos;
}

bool is_strings(const Json& value) {
  return value.is_object() &&
         std::all_of(value.begin(), value.end(), [](const Json& each) { return each.is_string(); });
}

bool is_one_of(const std::string& words, const Json& value) {
  return value.is_string() &&
         ("|" + words + "|").find("|" + value.get<std::string>() + "|") != std::string::npos;
}

bool is_of_type(const std::string& type, const Json& value) {
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_boolean();
  if (type == "object") return value.is_object();
  if (type == "strings") return is_strings(value);
  if (type == "uri") return is_uri(value);
  if (type == "index") return value.is_number_integer() && value.get<std::int64_t>() >= -1;
  if (type == "positive") return value.is_number_integer() && value.get<std::int64_t>() >= 1;
  return is_one_of(type, value);
}

void find_faults(const std::string& type, const Json& value, const std::string& where,
                 std::vector<std::string>& faults);

void find_faults_of_list(const std::string& type, const Json& value, const std::string& where,
                         std::vector<std::string>& faults) {
  if (!value.is_array() || (type[0] == '<' && value.empty())) faults.push_back(where);
  if (!value.is_array()) return;
  for (const Json& each : value)
    find_faults(type.substr(1, type.size() - 2), each, where + "[]", faults);
}

void find_faults_of_object(const std::string& properties, const Json& value,
                           const std::string& where, std::vector<std::string>& faults) {
  if (!value.is_object()) return faults.push_back(where);
  Json unknown = value;
  std::istringstream words(properties);
  for (std::string word; words >> word;) {
    const bool is_required = word[0] == '*';
    const std::string name =
        word.substr(is_required ? 1 : 0, word.find('=') - (is_required ? 1 : 0));
    unknown.erase(name);
    if (value.contains(name)) {
      find_faults(word.substr(word.find('=') + 1), value[name], where + "." + name, faults);
    } else if (is_required) {
      faults.push_back(where + "." + name);
    }
  }
  for (const auto& [name, unused] : unknown.items()) faults.push_back(where + "." + name);
}

void find_faults(const std::string& type, const Json& value, const std::string& where,
                 std::vector<std::string>& faults) {
  if (type[0] == '[' || type[0] == '<') return find_faults_of_list(type, value, where, faults);
  if (const auto found = objects.find(type); found != objects.end())
    return find_faults_of_object(found->second, value, where, faults);
  if (!is_of_type(type, value)) faults.push_back(where);
}

std::vector<std::string> faults_of(const Json& log) {
  std::vector<std::string> faults;
  find_faults("sarifLog", log, "log", faults);
  return faults;
}

ReportStep step(std::string what, const char* file, unsigned line) {
  ReportStep step;
  step.lane = task_id(0);
  step.what = std::move(what);
  step.place.frame.file = file;
  step.place.frame.function = file;
  step.place.frame.line = line;
  return step;
}

// With everything that a run may have, and some of it missing.
RunSummary full_summary() {
  RunSummary summary;
  summary.program = "./a b";
  summary.error = "ended early";
  summary.corpus = {{"c/one.json", "deadlock", CorpusEntry::fixed, "does not show any more"}};
  BugSummary bug;
  bug.kind = "data-race";
  bug.message = "a race on x: \xff";
  bug.schedule = "out/bug 1.json";
  bug.places = {{"writes", "T1", "f", "../src/a b.cc", 12}, {"reads", "T0", "", "/usr/x?.h", 3}};
  bug.details.lanes.resize(2);
  bug.details.lanes[0].id = task_id(0);
  bug.details.lanes[0].name = "T0";
  bug.details.lanes[1].id = task_id(1);
  bug.details.steps = {step("writes x", "a.cc", 12), step("waits", "", 0)};
  bug.details.steps[1].is_outcome = true;
  BugSummary bare;
  bare.kind = "of-no-known-kind";
  summary.bugs = {bug, bare};
  summary.bug_count = 2;
  return summary;
}

Json log_of(const RunSummary& summary) {
  return Json::parse(sarif_summary(summary, {{"/home/me", "/home/me/build"}, "1.2", "ricercar"}));
}

TEST(Sarif, HasOnlyWhatTheSchemaAllowsAndAllThatItRequires) {
  EXPECT_EQ(faults_of(log_of(full_summary())), std::vector<std::string>());
  EXPECT_EQ(faults_of(log_of({})), std::vector<std::string>());
}

TEST(Sarif, ResultsNameTheirRules) {
  const Json run = log_of(full_summary())["runs"][0];
  const Json& rules = run["tool"]["driver"]["rules"];
  ASSERT_EQ(run["results"].size(), 2u);
  for (const Json& result : run["results"])
    EXPECT_EQ(rules.at(result["ruleIndex"].get<std::size_t>())["id"], result["ruleId"]);
}

TEST(Sarif, ThisTestFindsWhatIsWrong) {
  const Json good = log_of(full_summary());
  const auto faults_with = [&](const char* at, const Json& value) {
    Json bad = good;
    bad[Json::json_pointer(at)] = value;
    return faults_of(bad);
  };
  const std::vector<std::string> place = {
      "log.runs[].results[].locations[].physicalLocation.region.startLine"};
  const char* line = "/runs/0/results/0/locations/0/physicalLocation/region/startLine";
  EXPECT_EQ(faults_with(line, 0), place);
  EXPECT_EQ(faults_with(line, "12"), place);
  EXPECT_EQ(faults_with("/runs/0/results/0/level", "fatal").size(), 1u);
  EXPECT_EQ(faults_with("/runs/0/results/0/lines", 1).size(), 1u);
  EXPECT_EQ(faults_with("/runs/0/results/0/message", Json::object()).size(), 1u);
  EXPECT_EQ(faults_with("/runs/0/results/0/codeFlows/0/threadFlows", Json::array()).size(), 1u);
}

}  // namespace
}  // namespace ricercar::inline report
