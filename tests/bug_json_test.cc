// The JSON of a bug, from the outside: what a program finds in `run --json` and in `show
// --format=json`, with the lines that are marked in the sources.
#include <fstream>
#include <nlohmann/json.hpp>

#include "support/tool.h"

namespace ricercar::test {
namespace {

using Json = nlohmann::json;

constexpr int ok = 0;
constexpr int bug = 1;
constexpr int usage = 2;

constexpr const char* race = "programs/bug/data-race/two_locks.cc";
constexpr const char* deadlock = "programs/bug/deadlock/ab_ba.cc";

// The numbers of the lines of a source that have `text` in them.
std::vector<unsigned> lines_with(const std::string& source, const std::string& text) {
  std::ifstream file(std::string(RICERCAR_TESTS) + "/" + source);
  std::vector<unsigned> found;
  std::string line;
  for (unsigned number = 1; std::getline(file, line); ++number) {
    if (line.find(text) != std::string::npos) found.push_back(number);
  }
  return found;
}

unsigned line_with(const std::string& source, const std::string& text) {
  const std::vector<unsigned> found = lines_with(source, text);
  EXPECT_EQ(found.size(), 1) << text;
  return found.empty() ? 0 : found[0];
}

// The first element with this value.
Json with(const Json& list, const std::string& name, const Json& value) {
  for (const Json& each : list) {
    if (each.contains(name) && each[name] == value) return each;
  }
  ADD_FAILURE() << "no " << name << " is " << value << " in " << list.dump(2);
  return {};
}

class BugJson : public ToolTest {
 protected:
  static Json bug_of(const std::string& program, const Words& options = {}) {
    Words words = {"run", "--quiet", "--json", "summary.json", "--out", "out"};
    words.insert(words.end(), options.begin(), options.end());
    words.push_back(program);
    expect(tool(words), bug, {});
    return Json::parse(read_file(in_folder("summary.json")))["bugs"].at(0);
  }

  static std::string machines() {
    if (std::filesystem::exists(in_folder("machines"))) return "./machines";
    expect(tool({"c++", "--machines", "-std=c++20",
                 std::string(RICERCAR_TESTS) + "/reports/machines.cc", "-o", "machines"}),
           ok, {});
    return "./machines";
  }
};

TEST_F(BugJson, OfARaceHasBothPlacesWithStacksAndLocks) {
  const Json json = bug_of(program(race));
  const Json& details = json["details"];
  EXPECT_EQ(details["schema"], "ricercar.bug/1");
  EXPECT_EQ(details["kind"], "data-race");
  EXPECT_EQ(details["message"], json["message"]);
  EXPECT_EQ(details["came_again"], true);
  ASSERT_EQ(details["places"].size(), 2);
  for (const char* role : {"reads", "writes"}) {
    const Json place = with(details["places"], "role", role);
    EXPECT_EQ(place["line"], line_with(race, std::string("<- bug: ") + role));
    EXPECT_EQ(place["function"],
              std::string(role == std::string("reads") ? "read" : "write") + "_value");
    EXPECT_EQ(place["stack"][0]["line"], place["line"]);
    EXPECT_EQ(place["what"], std::string(role) + " value");
  }
  const Json reader = with(details["places"], "role", "reads")["holds"];
  EXPECT_EQ(reader[0]["object"], "readers_mutex");
  EXPECT_EQ(reader[0]["line"], line_with(race, "guard(readers_mutex)"));
  const Json writer = with(details["places"], "role", "writes")["holds"];
  EXPECT_EQ(writer[0]["object"], "writers_mutex");
  EXPECT_EQ(writer[0]["line"], line_with(race, "guard(writers_mutex)"));
}

TEST_F(BugJson, OfThreadsSaysWhereTheyWereCreated) {
  const Json threads = bug_of(program(race))["details"]["threads"];
  ASSERT_EQ(threads.size(), 3);
  EXPECT_EQ(threads[0]["title"], "main");
  EXPECT_FALSE(threads[0].contains("created_by"));
  const Json writer = with(threads, "title", "write_value");
  EXPECT_EQ(writer["name"], "T1");
  EXPECT_EQ(writer["created_by"], 0);
  EXPECT_EQ(writer["line"], line_with(race, "std::thread writer"));
}

TEST_F(BugJson, OfADeadlockHasHoldersWaitersAndSteps) {
  const Json details = bug_of(program(deadlock))["details"];
  ASSERT_EQ(details["waits"].size(), 3);
  const unsigned second = lines_with(deadlock, "<- bug: waits")[0];
  for (std::size_t i = 0; i < 2; ++i) {
    const Json& wait = details["waits"][i];
    EXPECT_EQ(wait["line"], second);
    EXPECT_EQ(wait["operation"], "lock");
    const Json other = with(details["waits"], "thread", wait["for"][0]);
    ASSERT_EQ(other["holds"].size(), 1);
    EXPECT_EQ(other["holds"][0]["object"], wait["object"]);
    EXPECT_EQ(other["holds"][0]["line"], line_with(deadlock, "first_guard"));
  }
  const Json lock = with(details["steps"], "operation", "lock");
  EXPECT_TRUE(lock["object"] == "a" || lock["object"] == "b") << lock;
  EXPECT_EQ(lock["line"], line_with(deadlock, "first_guard"));
  EXPECT_EQ(lock["function"], "lock_both");
  EXPECT_TRUE(std::string(lock["source"]).starts_with("std::lock_guard first_guard(first);"))
      << lock;
  const Json full = bug_of(program(deadlock), {"--full"})["details"];
  EXPECT_EQ(with(full["steps"], "operation", "create")["line"],
            line_with(deadlock, "std::thread forward"));
}

TEST_F(BugJson, OfMachinesHasStatesAndMessages) {
  const Json details = bug_of(machines(), {"--strategy", "dfs"})["details"];
  EXPECT_EQ(details["kind"], "unhandled-event");
  EXPECT_EQ(details["world"], "machines");
  const Json server = with(details["machines"], "name", "Server#0");
  EXPECT_EQ(server["variables"], "{served = 1}");
  const Json send = with(details["steps"], "object", "Request{number = 1}");
  EXPECT_EQ(send["operation"], "send");
  EXPECT_EQ(send["machine"], 1);
  EXPECT_EQ(send["to"], 0);
  const Json handle = with(details["steps"], "sent_at", send["step"]);
  EXPECT_EQ(handle["operation"], "handle");
  EXPECT_EQ(handle["object"], "Request{number = 1}");
  EXPECT_EQ(handle["state"], "Open");
  EXPECT_EQ(handle["what"], "handles Request{number = 1} in Open");
}

TEST_F(BugJson, IsShownForASavedSchedule) {
  for (const std::string& each : {program(deadlock), machines()}) {
    Json expected = bug_of(each, {"--strategy", "dfs"})["details"];
    const Finished shown = tool({"show", "--format=json", "out/bug-1.json"});
    expect(shown, ok, {});
    EXPECT_EQ(Json::parse(shown.output), expected);
  }
}

TEST_F(BugJson, HasEveryStepIfAllAreWanted) {
  bug_of(program(race));
  const Json cut = Json::parse(tool({"show", "--format=json", "out/bug-1.json"}).output);
  const Json full = Json::parse(tool({"show", "--format=json", "--full", "out/bug-1.json"}).output);
  EXPECT_GE(full["steps"].size(), cut["steps"].size());
  EXPECT_EQ(full["step_count"], cut["step_count"]);
}

TEST_F(BugJson, InAnUnknownFormatIsRefusedWithThoseThatThereAre) {
  bug_of(program(race));
  expect(tool({"show", "--format=xml", "out/bug-1.json"}), usage,
         {"there is no format 'xml'; there are text"});
}

}  // namespace
}  // namespace ricercar::test
