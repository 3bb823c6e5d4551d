// What a report says: which places and names, and when there is no verdict.
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>

#include "support/tool.h"

namespace ricercar::test {
namespace {

using Json = nlohmann::json;

constexpr int bug = 1;
constexpr int usage = 2;

class Reports : public ToolTest {
 protected:
  static Finished search(const Words& options, const std::string& source, const Words& arguments) {
    Words words = {"run", "--json", "summary.json", "--out", "out"};
    words.insert(words.end(), options.begin(), options.end());
    words.push_back(program(source));
    words.insert(words.end(), arguments.begin(), arguments.end());
    return tool(words);
  }

  static Json summary() { return Json::parse(read_file(in_folder("summary.json"))); }
};

TEST_F(Reports, NameTheFunctionOfTheLibraryWhereBothAccessesAreInOneLine) {
  expect(search({}, "reports/one_line.cc", {}), bug,
         {"one_line.cc:10 (in std::vector<...>::push_back)",
          "one_line.cc:10 (in std::vector<...>::size)"});
}

class Names : public Reports,
              public testing::WithParamInterface<std::pair<const char*, const char*>> {};

TEST_P(Names, SayWhatTheMemoryIs) {
  expect(search({"--quiet"}, "reports/names.cc", {GetParam().first}), bug,
         {std::string("data race on `") + GetParam().second + "`"});
}

INSTANTIATE_TEST_SUITE_P(Of, Names,
                         testing::Values(std::pair("0", "settings->level"),
                                         std::pair("1", "owned->level"),
                                         std::pair("2", "numbers[2]"),
                                         std::pair("3", "list node#1.value.level"),
                                         std::pair("4", "map node#1.value.second.level")));

TEST_F(Reports, CallAThreadByTheNameThatItHasGivenItself) {
  expect(search({"--quiet"}, "reports/names.cc", {"0"}), bug, {"T1 (payer) "});
}

TEST_F(Reports, SayThatDeleteFreesAndHowAtomicsAreOrdered) {
  expect(search({}, "programs/bug/data-race/against_free.cc", {}), bug,
         {" frees at against_free.cc:", "in the other order it is a use after free",
          "stores done = true (relaxed)", "loads done = true (relaxed)"});
  const Json places = summary()["bugs"][0]["places"];
  EXPECT_EQ(places[0]["role"], "frees");
  EXPECT_EQ(places[1]["role"], "reads");
}

TEST_F(Reports, OfAUseAfterFreeSayThatItIsARaceToo) {
  expect(search({}, "reports/freed_early.cc", {}), bug,
         {"use after free: ", " at freed_early.cc:7",
          "nothing orders the two: it is a data race, too"});
}

TEST_F(Reports, CallCancellingByItsName) {
  expect(search({}, "programs/bug/deadlock/cancelled_with_lock.cc", {}), bug,
         {"deadlock: main waits for `mutex`", "cancels T1"});
}

TEST_F(Reports, OfAUseAfterFreeShowWhereTheMemoryEndedAndWhatItWas) {
  expect(search({"--strategy", "pb"}, "reports/session.cc", {}), bug,
         {"locks a mutex in a freed block of ", "(`Session#1.mutex_`)", "frees Session#1 ",
          "locks Session#1.mutex_, which is freed"});
}

class ListsInC : public Reports, public testing::WithParamInterface<const char*> {};

TEST_P(ListsInC, HaveNodesWithNames) {
  const Finished finished = search({}, "reports/list.c", {GetParam()});
  expect(finished, bug,
         {"data race on `node#1.value`", "frees node#1\n", "the_list->head = &node#1"});
  EXPECT_EQ(finished.output.find("block 1"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Of, ListsInC,
                         testing::Values("declared", "by_size", "by_cast", "by_other_name"));

TEST_F(Reports, NameTheCountersOfSharedPointers) {
  expect(search({"--full"}, "reports/shared_counts.cc", {}), bug,
         {"data race on `Entry#1.hits`", "updates Entry#1.use_count = "});
}

TEST_F(Reports, OfALockThatAThreadHoldsAlreadySayItselfAndWhereItWasTaken) {
  const Finished found = search({}, "programs/bug/deadlock/self_lock.cc", {});
  expect(found, bug, {", held by itself"});
  EXPECT_TRUE(std::regex_search(found.output, std::regex("holds mutex +self_lock.cc:17 ")));
  EXPECT_TRUE(std::regex_search(found.output, std::regex("held by itself +self_lock.cc:12 ")));
}

TEST_F(Reports, OfASignalHandlerThatLocksWhatItsThreadHoldsSayWhereItWasTaken) {
  const Finished found = search({}, "programs/bug/deadlock/handler_locks.c", {});
  EXPECT_TRUE(std::regex_search(found.output, std::regex("holds mutex +handler_locks.c:17 ")))
      << found.output;
}

// Recording must cost about as much as running: the start has two million accesses and as many
// calls.
TEST_F(Reports, OfAProgramWithALongStartAreConfirmedAndNameThePlace) {
  expect(search({}, "reports/long_start.cc", {}), bug,
         {"data race on `counter`", "T2 (count) writes counter",
          "long_start.cc:11  void count() { ++counter; }", "the beginning was too long to record"});
  EXPECT_TRUE(summary()["bugs"][0]["confirmed"]);
}

TEST_F(Reports, OfThreadsThatComputeMuchKeepEveryStep) {
  expect(search({"--executions", "1"}, "reports/busy.cc", {}), bug,
         {"assertion `total == 0' failed", "joins T1", "locks mutex"});
  EXPECT_TRUE(summary()["bugs"][0]["confirmed"]);
}

TEST_F(Reports, OfASearchInWhichNothingEndedAreNoPass) {
  expect(search({"--steps", "50", "--executions", "20"}, "reports/rounds.cc", {}), usage,
         {"ricercar: no verdict: no execution ended within 50 steps",
          "no execution of './rounds' ended within 50 steps", "--steps"});
  EXPECT_EQ(summary()["truncated"], summary()["executions"]);
  EXPECT_FALSE(summary()["complete"]);
  EXPECT_NE(summary()["error"], "");
}

TEST_F(Reports, OfASearchThatWasCutInPartSayHowManyExecutionsEnded) {
  expect(search({"--steps", "50", "--executions", "20", "--strategy", "random"},
                "reports/rounds.cc", {"some"}),
         0, {" that ended; ", " cut at 50 steps"});
  EXPECT_LT(summary()["truncated"], summary()["executions"]);
}

// --- For people's CI ---

TEST_F(Reports, ForCiAreWhatParsersOfTheirFormatsTake) {
  expect(search({"--junit", "j.xml", "--sarif", "s.json", "--github"}, "reports/counts.cc", {}),
         bug, {"::error file=", "counts.cc,line=24,title=Ricercar%3A assertion::assertion `"});
  const Json run = Json::parse(read_file(in_folder("s.json"))).at("runs").at(0);
  const Json place = run["results"][0]["locations"][0]["physicalLocation"];
  EXPECT_EQ(place["region"]["startLine"], 24);
  EXPECT_EQ(run["results"][0]["codeFlows"][0]["threadFlows"].size(), 2U);
  Command xml;
  xml.words = {"/usr/bin/xmllint", "--xpath",
               "string(/testsuites/testsuite/testcase/failure/@type)", in_folder("j.xml")};
  const Finished parsed = test::run(xml);
  EXPECT_EQ(parsed.status, 0) << parsed.error;
  EXPECT_EQ(parsed.output, "assertion\n");
}

class CorpusOfBugs : public Reports {
 protected:
  // Another build of the same program.
  static void build(const Words& options) {
    Words words = {"c++", "-g", std::string(RICERCAR_TESTS) + "/reports/counts.cc", "-o", "counts"};
    words.insert(words.end(), options.begin(), options.end());
    EXPECT_EQ(tool(words).status, 0) << last();
  }
  static Finished again(const Words& more = {}) {
    Words words = {"run",    "--corpus",     "corpus", "--strategy", "dfs",
                   "--json", "summary.json", "--out",  "out"};
    words.insert(words.end(), more.begin(), more.end());
    words.emplace_back("./counts");
    return tool(words);
  }
  static std::string result() { return summary()["corpus"][0]["result"]; }
};

TEST_F(CorpusOfBugs, IsReplayedFirstAndSaysWhatBecameOfEach) {
  build({});
  expect(again(), bug, {"nothing of this program is in it yet"});
  // It is found without a search, with another build too.
  build({"-O2", "-DUNUSED"});
  expect(again(), bug, {"its bug (assertion) is still there", "out/bug-corpus.json"});
  EXPECT_EQ(summary()["executions"], 1);
  EXPECT_EQ(summary()["bugs"][0]["confirmed"], true);
  EXPECT_EQ(tool({"replay", "-q", "out/bug-corpus.json"}).status, bug) << last();
  // A search besides finds nothing else, and the bug counts once.
  expect(again({"--keep-going"}), bug, {"ricercar: 1 bug found"});
  EXPECT_EQ(summary()["bug_count"], 1);
  EXPECT_GT(summary()["executions"], 1);
  build({"-DWANTED=1"});
  expect(again(), 0, {"its bug (assertion) no longer shows on this schedule"});
  EXPECT_EQ(result(), "fixed");
  build({"-DREPAIRED"});
  expect(again(), 0, {"it no longer replays, because the program has changed: at step "});
  EXPECT_EQ(result(), "changed");
  std::ofstream(in_folder("corpus/rubbish.json")) << "{";
  expect(again({"--quiet"}), 0, {});
  EXPECT_EQ(summary()["corpus"].size(), 2U);
  EXPECT_EQ(summary()["corpus"][1]["result"], "unreadable");
}

}  // namespace
}  // namespace ricercar::test
