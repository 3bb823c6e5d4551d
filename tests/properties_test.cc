// Values that nodes report, and properties over them, from the outside.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "support/tool.h"

namespace ricercar::test {
namespace {

class PropertiesTest : public ToolTest {
 protected:
  static void SetUpTestSuite() {
    ToolTest::SetUpTestSuite();
    ::setenv("XDG_CACHE_HOME", in_folder("cache").c_str(), 1);
  }

  // `top`: what stands above the nodes. A node: its name and its command.
  static void cluster(const std::string& top, const std::vector<Words>& nodes) {
    std::ofstream file(in_folder("cluster.toml"));
    file << top << '\n';
    for (const Words& node : nodes) {
      file << "[[node]]\nname = \"" << node[0] << "\"\ncommand = [";
      for (std::size_t i = 1; i < node.size(); ++i) {
        file << (i == 1 ? "" : ", ") << '"' << node[i] << '"';
      }
      file << "]\n";
    }
  }

  // Two nodes that agree on a leader, with properties from a file.
  static void leaders_with_file(const std::string& file, const char* mode,
                                const std::string& faults) {
    const std::string leaders = program("nodes/leaders.cc");
    cluster("properties = \"" + file + "\"\nfaults = { " + faults + " }",
            {{"a", leaders, "a", "b", mode}, {"b", leaders, "b", "a", mode}});
  }

  // With these properties of nodes/leader_properties.cc.
  static void leaders(const char* mode, const char* properties,
                      const std::string& faults = "drop = 1") {
    ::setenv("PROPERTIES", properties, 1);
    leaders_with_file(std::string(RICERCAR_TESTS) + "/nodes/leader_properties.cc", mode, faults);
  }

  // With this one.
  static void leaders_with(const std::string& property) {
    std::ofstream(in_folder("properties.cc"))
        << "#include <ricercar/properties.h>\nusing ricercar::State;\n"
        << property;
    leaders_with_file("properties.cc", "careful", "drop = 1");
  }

  static Finished search(const Words& options = {}) {
    std::filesystem::remove_all(in_folder("out"));
    Words words = {"run", "--out", "out", "--strategy", "random", "--nodes", "cluster.toml"};
    words.insert(words.end(), options.begin(), options.end());
    return tool(words);
  }
};

// --- Reports ---

TEST_F(PropertiesTest, ReportsStandAtTheirPlaceInTheOrder) {
  cluster("", {{"talker", program("nodes/reports.c"), "fails"}});
  expect(search(), 1,
         {"1  talker  starts", "2  talker  logs c: integer = -3", "3  talker  logs c: number = 1.5",
          "4  talker  logs boolean = true", "5  talker  logs c: text = \"some words\"",
          "6  talker  forgets integer,number", "7  talker  fails: "});
  expect(tool({"show", "--format", "json", "out/bug-1.json"}), 0,
         {R"("operation":"log")", R"("value":"integer = -3")"});
}

TEST_F(PropertiesTest, WhatEachNodeHasWrittenIsKept) {
  const std::string reports = program("nodes/reports.c");
  cluster("", {{"silent", program("nodes/leaders.cc"), "silent", "talker", "careful"},
               {"talker", reports, "fails"}});
  expect(search(), 1, {"talker wrote:\nin its own words\n"});
  std::ifstream file(in_folder("out/bug-1/talker.txt"));
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), "in its own words\n");
  EXPECT_FALSE(std::filesystem::exists(in_folder("out/bug-1/silent.txt")));
  std::ifstream log(in_folder("out/bug-1/talker/talk.log"));
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(log), {}), "in its own file\n");
  EXPECT_FALSE(std::filesystem::exists(in_folder("talk.log")));
}

TEST_F(PropertiesTest, AReportWithoutANameForEachValueIsAnError) {
  cluster("", {{"talker", program("nodes/reports.c"), "wrong"}});
  expect(search(), 2,
         {"the node 'talker' calls ricercar::log(\"list\", \"one\", ...)",
          "there are 1 names and 2 values"});
}

// --- Histories ---

TEST_F(PropertiesTest, OfAHistoryShowWhatCannotBeExplained) {
  const std::string store = program("nodes/register.cc");
  std::ofstream(in_folder("history.cc"))
      << "#include <ricercar/history.h>\n"
         "const ricercar::models::Register zero = {ricercar::Value::of(0)};\n"
         "const auto store = ricercar::linearizable(\"store\", zero);\n";
  const auto cluster_with = [&](const char* when) {
    cluster("properties = \"history.cc\"",
            {{"server", store, "serve", when}, {"backup", store, "backup"}});
    std::ofstream file(in_folder("cluster.toml"), std::ios::app);
    file << "[[client]]\nname = \"one\"\ncommand = [\"" << store << "\", \"use\", \"one\", \"1\"]\n"
         << "[[client]]\nname = \"two\"\ncommand = [\"" << store << "\", \"use\", \"\", \"2\"]\n";
  };
  cluster_with("late");
  expect(
      search(), 1,
      {"'store' is not linearizable: ", "invokes write(1)", "invokes read()", "has the answer "});
  expect(tool({"replay", "-n", "2", "out/bug-1.json"}), 1, {"2 of 2 replays showed the bug"});
  cluster_with("sync");
  expect(search({"-n", "500"}), 0, {"no bug found"});
}

// The clients are in C, and the model of the second search is the test's own.
TEST_F(PropertiesTest, OfAHistoryAreJudgedByAnyModel) {
  std::ofstream(in_folder("queue.cc")) << R"(
#include <ricercar/history.h>
const auto queue = ricercar::linearizable("queue", ricercar::models::Queue());
)";
  std::ofstream(in_folder("bag.cc")) << R"(
#include <set>
#include <ricercar/history.h>

struct Bag {
  std::multiset<ricercar::Value> values = {};

  bool apply(const ricercar::Operation& operation) {
    if (operation.is("push")) return values.insert(operation.argument(0)), true;
    if (operation.returns_nothing()) return values.empty();
    for (auto it = values.begin(); it != values.end(); ++it) {
      if (operation.returns(*it)) return values.erase(it), true;
    }
    return false;
  }
  bool operator==(const Bag&) const = default;
};

const auto bag = ricercar::linearizable("bag", Bag());
)";
  const std::string queue = program("nodes/queue.c");
  const auto cluster_with = [&](const std::string& properties, const char* way) {
    cluster("properties = \"" + properties + "\"", {{"queue", queue, "serve", way}});
    std::ofstream file(in_folder("cluster.toml"), std::ios::app);
    for (const auto& [name, words] : {std::pair{"one", "++"}, {"two", "--"}}) {
      file << "[[client]]\nname = \"" << name << "\"\ncommand = [\"" << queue << "\", \"use\", \""
           << name << "\", \"" << words << "\"]\n";
    }
  };
  cluster_with("queue.cc", "right");
  expect(search({"-n", "60"}), 0, {"no bug found"});
  cluster_with("queue.cc", "wrong");
  expect(search(), 1, {"'queue' is not linearizable: one: push(112)", "two: pop() = 113"});
  expect(tool({"replay", "-n", "3", "out/bug-1.json"}), 1, {"3 of 3 replays"});
  cluster_with("bag.cc", "wrong");
  expect(search({"-n", "60"}), 0, {"no bug found"});
}

TEST_F(PropertiesTest, AHistoryHasAnAnswerForEachQuestion) {
  const std::string store = program("nodes/register.cc");
  cluster("", {{"x", store, "wrong"}});
  expect(search(), 2, {"the client 'nobody' has an answer to no question"});
  cluster("", {{"x", store, "twice"}});
  expect(search(), 2, {"the client 'x' invokes 'write' before 'read' has come back"});
}

// --- Properties ---

TEST_F(PropertiesTest, AreViolatedByValuesOfSeveralNodesAndReplay) {
  leaders("hasty", "one leader");
  expect(search(), 1,
         {"property: 'one leader' does not hold: a.leads = true, b.leads = true",
          "logs elected: leads = true, heard = 0", "violates a property: 'one leader'"});
  expect(tool({"replay", "-n", "5", "out/bug-1.json"}), 1,
         {"5 of 5 replays showed the bug (property) on the same trace"});
}

// --- Tools on a recorded execution ---

// Every line of a log for ShiViz with a clock: the host and the clock.
using Clocks = std::vector<std::pair<std::string, nlohmann::json>>;

Clocks clocks_in(const std::string& log) {
  Clocks clocks;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t brace = line.find(" {\"");
    if (brace == std::string::npos || line[0] == '(') continue;
    clocks.emplace_back(line.substr(0, brace), nlohmann::json::parse(line.substr(brace + 1)));
  }
  return clocks;
}

// How many events of its own a host has when it first sends; 0: it does not.
std::uint64_t clock_at_send(const std::string& log, const std::string& host) {
  const std::string sends = "calls sendto()";
  for (std::size_t at = log.find(sends); at != std::string::npos; at = log.find(sends, at + 1)) {
    const auto [sender, clock] = clocks_in(log.substr(0, at)).back();
    if (sender == host) return clock.at(host);
  }
  return 0;
}

TEST_F(PropertiesTest, AreToldOfARecordedExecutionWithItsEventsAndMessages) {
  leaders("careful", "b hears nothing");
  ASSERT_EQ(search().status, 1) << last();
  expect(tool({"info", "out/bug-1.json"}), 0,
         {"'b hears nothing' does not hold", "  a    ", " call", " log", "1 fail", "2 start"});
  expect(tool({"info", "--json", "out/bug-1.json"}), 0,
         {R"("schema": "ricercar.info/1")", R"("name": "a")", R"("faults": [)"});
  expect(tool({"properties", "out/bug-1.json"}), 0,
         {"1 property, ", "'b hears nothing' (always): judged ", ", violated at event ",
          "logs elected: leads = ", "VIOLATED 'b hears nothing'"});
  expect(tool({"properties", "--json", "out/bug-1.json"}), 0,
         {R"("schema": "ricercar.properties/1")", R"("violated_at": )"});
}

// What is sent is known where it arrives.
TEST_F(PropertiesTest, MessagesJoinTheClocksOfBothSides) {
  leaders("careful", "b hears nothing");
  ASSERT_EQ(search().status, 1) << last();
  const Finished log = tool({"shiviz", "out/bug-1.json"});
  expect(log, 0,
         {"(?<host>\\S*) (?<clock>{.*})\\n(?<event>.*)\n=== (?<trace>.*) ===\n=== bug-1 ==="});
  std::map<std::string, std::uint64_t> own;
  for (const auto& [host, clock] : clocks_in(log.output)) {
    EXPECT_EQ(clock.at(host), ++own[host]) << log.output;
    for (const auto& [other, count] : clock.items()) EXPECT_LE(count, own[other]) << log.output;
  }
  EXPECT_EQ(own.size(), 2U) << log.output;
  const std::size_t arrives = log.output.find("gets 1 byte \"a\"");
  ASSERT_NE(arrives, std::string::npos) << log.output;
  const auto [receiver, clock] = clocks_in(log.output.substr(0, arrives)).back();
  EXPECT_EQ(receiver, "b");
  EXPECT_EQ(clock.at("a"), clock_at_send(log.output, "a")) << log.output;
}

TEST_F(PropertiesTest, ToolsSayWhatIsWrongWithAFile) {
  expect(tool({"info", "none.json"}), 2, {"none.json"});
  expect(tool({"shiviz"}), 2, {"FILE"});
  cluster("", {{"talker", program("nodes/reports.c"), "fails"}});
  ASSERT_EQ(search().status, 1) << last();
  expect(tool({"properties", "out/bug-1.json"}), 2,
         {"'out/bug-1.json' was recorded without properties", "properties = \"properties.cc\""});
}

TEST_F(PropertiesTest, HoldWhereTheyHoldAndAreNamedIfTheyCannotBeJudged) {
  leaders("careful", "one leader,what is lost is not delivered,a leader stays one,typed wrong");
  expect(search({"-n", "300"}), 0,
         {"no bug found",
          "never had all the values that a property asks for, so that it was not judged: 'typed "
          "wrong'\n"});
}

// In haste a always leads; with care it does if it hears b.
TEST_F(PropertiesTest, OfWholeExecutionsAreJudgedAtTheEnd) {
  leaders("hasty", "temporal");
  expect(search({"-n", "300", "-k"}), 1,
         {"'b waits' does not hold until what it waits for is true",
          "'both hear' has led to nothing when the execution ends"});
  EXPECT_EQ(last().find("'a leads'"), std::string::npos) << last();
  leaders("careful", "temporal");
  expect(search({"-n", "300", "-k"}), 1,
         {"'a leads' has not come true when the execution ends: a.leads = false"});
  expect(search({"-n", "20", "--steps", "2"}), 0, {"no bug found", "step limit"});
}

TEST_F(PropertiesTest, SeeMessagesAndWhatWasBefore) {
  leaders("careful", "comes once,is not forgotten", "duplicate = 1");
  expect(search({"-k", "-n", "200"}), 1,
         {"2 bugs found",
          "'comes once' does not hold: messages delivered from a to b = 2, messages sent",
          "'is not forgotten' does not hold: a.heard was "});
}

TEST_F(PropertiesTest, ReadVariablesThatNobodyReports) {
  leaders("hasty", "one leads alone,variables are what is reported");
  expect(search({"-n", "300"}), 1,
         {"'one leads alone' does not hold: a.is_leader = true, b.is_leader = true"});
  expect(tool({"replay", "-n", "3", "out/bug-1.json"}), 1, {"3 of 3 replays showed the bug"});
}

TEST_F(PropertiesTest, ThatThrowEndTheSearchWithTheirNames) {
  leaders("careful", "of nobody");
  expect(search(), 2,
         {"the property 'of nobody' has thrown an exception: the cluster has no node 'c'"});
  leaders("careful", "of no variable");
  expect(search(), 2,
         {"the property 'of no variable' has thrown an exception: there is no variable 'is_laeder'",
          "did you mean 'is_leader'?"});
  leaders("careful", "that crashes");
  expect(search(), 2, {"the property 'that crashes' has crashed: Segmentation fault"});
  leaders("careful", "that hangs");
  expect(search({"--hang", "1"}), 2,
         {"the property 'that hangs' did not come back within 1 second"});
  leaders("careful", "of a text");
  expect(search(), 2, {"the variable 'own_name' in", "is no single number or bool"});
}

TEST_F(PropertiesTest, AreCompiledAgainOnlyWhenAFileOfTheirsHasChanged) {
  std::ofstream(in_folder("most.h")) << "constexpr int most = 2;\n";
  leaders_with(R"(
#include "most.h"
const auto few = ricercar::always("few messages", [](const State& state) {
  return state.sent() <= most;
});
)");
  expect(search({"-n", "5"}), 0, {"no bug found"});
  const auto compiled = [] {
    return std::distance(std::filesystem::directory_iterator(in_folder("cache/ricercar")), {});
  };
  const auto before = compiled();
  expect(search({"-n", "5"}), 0, {"no bug found"});
  EXPECT_EQ(compiled(), before);
  std::ofstream(in_folder("most.h")) << "constexpr int most = 1;\n";
  expect(search({"-n", "5"}), 1, {"'few messages' does not hold: messages sent = 2"});
}

TEST_F(PropertiesTest, WithAMistakeAreNamedWithTheirOwnLine) {
  leaders_with("const auto wrong = ricercar::always(\"wrong\", 7);\n");
  expect(search(), 2, {"properties.cc:3:", "a property is a function of", "do not compile"});
  leaders("careful", "");
  expect(search(), 2, {"the file of properties has none"});
  leaders("careful", "one leader,again");
  expect(search(), 2, {"there are two properties 'one leader'"});
}

TEST_F(PropertiesTest, AreAFileThatIsThere) {
  const std::string leaders = program("nodes/leaders.cc");
  cluster("properties = 3", {{"a", leaders, "a", "a", "careful"}});
  expect(search(), 2, {"cluster.toml:1:14: properties is a text in quotes"});
  cluster("properties = \"none.cc\"", {{"a", leaders, "a", "a", "careful"}});
  expect(search(), 2, {"cluster.toml:1:14: there is no file", "none.cc"});
  cluster("propertys = \"none.cc\"", {{"a", leaders, "a", "a", "careful"}});
  expect(search(), 2, {"cluster.toml:1:1: a cluster has no field 'propertys'", "properties"});
}

}  // namespace
}  // namespace ricercar::test
