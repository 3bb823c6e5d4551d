// What is found does not hide what comes behind it: known races, kinds that are ignored,
// suppressions, executions without an end, and memory that is freed.
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "support/tool.h"

namespace ricercar::test {
namespace {

using Json = nlohmann::ordered_json;

constexpr int ok = 0;
constexpr int bug = 1;
constexpr int usage = 2;

class FindingTest : public ToolTest {
 protected:
  static Json search(const std::string& source, const Words& options, int status,
                     const Words& arguments = {}) {
    std::filesystem::remove_all(in_folder("out"));
    Words words = {"run", "--quiet", "--json", "summary.json", "--out", "out"};
    words.insert(words.end(), options.begin(), options.end());
    words.push_back(program(source));
    words.insert(words.end(), arguments.begin(), arguments.end());
    EXPECT_EQ(tool(words).status, status) << last();
    return Json::parse(read_file(in_folder("summary.json")));
  }

  static std::multiset<std::string> kinds_in(const Json& list) {
    std::multiset<std::string> kinds;
    for (const Json& each : list) kinds.insert(each["kind"]);
    return kinds;
  }

  // Every bug came again when it was reported, and comes again now.
  static void expect_replays(const Json& summary) {
    for (const Json& each : summary["bugs"]) {
      EXPECT_TRUE(each["confirmed"]) << each.dump(2) << last();
      expect(tool({"replay", "--times", "3", each["schedule"]}), bug, {"3 of 3"});
    }
  }

  static std::string write(const std::string& name, const std::string& content) {
    std::ofstream(in_folder(name)) << content;
    return name;
  }
};

// --- Past a race ---

// What was met past the race that was found first.
Json past_race_of(const Json& summary) {
  const Json& race = summary["bugs"].at(0);
  EXPECT_EQ(race["kind"], "data-race");
  return race["details"].value("past_race", Json());
}

TEST_F(FindingTest, ARaceIsReportedWithWhatItLeadsTo) {
  const std::string counter = "findings/racy_counter.cc";
  const Json past = past_race_of(search(counter, {}, bug));
  EXPECT_EQ(past.value("kind", ""), "assertion") << past.dump(2);
  expect(tool({"replay", past.value("schedule", "")}), bug, {"assertion `counter == 2' failed"});
  expect(tool({"run", program(counter)}), bug,
         {"data race on `counter`", "Past the race\n  Another search continues past it, and its",
          "assertion `counter == 2' failed", "ricercar replay ricercar-out/bug-1-past-race.json"});
  EXPECT_TRUE(past_race_of(search(counter, {"--past-race", "0"}, bug)).is_null());
  EXPECT_TRUE(past_race_of(search(counter, {"--keep-going"}, bug)).is_null());
  const Json short_look = past_race_of(search(counter, {"--past-race", "1"}, bug));
  EXPECT_EQ(short_look, (Json{{"executions", 1}, {"complete", false}}));
}

TEST_F(FindingTest, OfARaceWithoutAConsequenceItSaysHowMuchWasSeen) {
  const Json past = past_race_of(search("programs/bug/data-race/benign_race.cc", {}, bug));
  EXPECT_TRUE(past.value("complete", false)) << past.dump(2);
  EXPECT_GT(past.value("executions", 0), 1) << past.dump(2);
  EXPECT_FALSE(past.contains("kind")) << past.dump(2);
  expect(tool({"run", program("programs/bug/data-race/benign_race.cc")}), bug,
         {"Nothing else goes wrong in all ", " of another search, which continues past it."});
}

// --- What samples have not shown ---

TEST_F(FindingTest, ASearchThatSamplesSaysWhetherTracesComeAgain) {
  const std::string source = "programs/ok/account.cc";
  const Json all = search(source, {"--strategy", "dpor"}, ok);
  ASSERT_TRUE(all["complete"]) << all.dump(2);
  EXPECT_FALSE(all.contains("sampled_traces"));
  const std::uint64_t traces = all["executions"];
  const Json few = search(source, {"--strategy", "random", "--executions", "5"}, ok);
  EXPECT_EQ(few["sampled_traces"], 5);
  EXPECT_GT(few["chance_of_new_trace"], 0.1);
  const Json many = search(source, {"--strategy", "random", "--executions", "20000"}, ok);
  EXPECT_LE(many["distinct_traces"], traces);
  EXPECT_LT(many.value("chance_of_new_trace", 0.0), few["chance_of_new_trace"]);
  // Nobody asks for JSON: then fewer are compared.
  expect(tool({"run", "--strategy", "random", "--executions", "17000", program(source)}), ok,
         {" different ones in the 16,422 executions that were compared; "});
}

// --- Behind a known race ---

constexpr const char* behind_a_race = "findings/behind_a_race.cc";

class BehindARace : public FindingTest, public testing::WithParamInterface<const char*> {};

TEST_P(BehindARace, EverythingIsFoundAndReplays) {
  const Json summary =
      search(behind_a_race, {"--keep-going", "--strategy", GetParam(), "--executions", "500"}, bug);
  const std::multiset<std::string> kinds = kinds_in(summary["bugs"]);
  EXPECT_GE(kinds.count("deadlock"), 1U) << summary.dump(2);
  EXPECT_GE(kinds.count("data-race"), 2U) << summary.dump(2);
  expect_replays(summary);
}

INSTANTIATE_TEST_SUITE_P(With, BehindARace,
                         testing::Values("mixed", "pb", "dfs", "dpor", "bpor", "bestfirst",
                                         "hapset", "ses", "ss", "irs", "random", "pct"));

class AsIfThereWereNoRace : public FindingTest, public testing::WithParamInterface<const char*> {};

TEST_P(AsIfThereWereNoRace, TheSameIsExplored) {
  const Words options = {"--keep-going", "--strategy", GetParam(), "--executions", "100000"};
  Words without = options;
  without.emplace_back("--no-races");
  const Json all = search(behind_a_race, options, bug);
  const Json few = search(behind_a_race, without, bug);
  EXPECT_EQ(all["executions"], few["executions"]);
  EXPECT_EQ(all["steps"], few["steps"]);
  EXPECT_EQ(all["coverage"], few["coverage"]);
  EXPECT_TRUE(all["complete"]) << all.dump(2);
  EXPECT_EQ(kinds_in(all["bugs"]).count("deadlock"), kinds_in(few["bugs"]).count("deadlock"));
}

INSTANTIATE_TEST_SUITE_P(With, AsIfThereWereNoRace,
                         testing::Values("pb:bound=100", "dfs", "dpor", "bpor:bound=100",
                                         "bestfirst:space=dpor", "bestfirst:space=all", "ses"));

// --- Executions that are cut ---

class Endless : public FindingTest, public testing::WithParamInterface<const char*> {};

TEST_P(Endless, ThreadsThatNeverRanAreConsidered) {
  const Json summary =
      search("findings/endless.cc",
             {"--strategy", GetParam(), "--points", "atomic", "--steps", "200"}, bug);
  EXPECT_EQ(kinds_in(summary["bugs"]), (std::multiset<std::string>{"assertion"}));
  expect_replays(summary);
}

TEST_P(Endless, NothingIsPromised) {
  const Json summary = search(
      "findings/endless.cc",
      {"--strategy", GetParam(), "--points", "atomic", "--steps", "60", "--executions", "300"},
      usage, {"correct"});
  EXPECT_FALSE(summary["complete"]) << summary.dump(2);
  EXPECT_GT(summary["executions"], 3) << summary.dump(2);
  EXPECT_EQ(summary["coverage"].get<std::string>().find("every Mazurkiewicz"), std::string::npos)
      << summary.dump(2);
}

INSTANTIATE_TEST_SUITE_P(With, Endless, testing::Values("dpor", "bpor", "bestfirst", "hapset"));

// --- Threads that have ended ---

// When main looks into the set, the thread that has taken something out of it may have ended.
TEST_F(FindingTest, CallsOfTheLastThreadAreSteps) {
  for (const char* strategy : {"dfs", "pb", "dpor", "bpor", "bestfirst", "hapset"}) {
    const Json summary =
        search("programs/bug/assertion/epoll_removed_too_late.c", {"--strategy", strategy}, bug);
    EXPECT_EQ(kinds_in(summary["bugs"]), (std::multiset<std::string>{"assertion"})) << strategy;
    expect_replays(summary);
  }
}

// --- Memory that is freed ---

class Freed : public FindingTest, public testing::WithParamInterface<const char*> {};

TEST_P(Freed, MemoryIsNotUsedBehindAnyBack) {
  for (const std::string how : {"atomic", "plain", "twice", "moved", "given"}) {
    for (const std::string points : {"atomic", "racy", "shared"}) {
      const Json summary =
          search("findings/freed.cc", {"--strategy", GetParam(), "--points", points, "--no-races"},
                 bug, {how});
      EXPECT_EQ(kinds_in(summary["bugs"]), (std::multiset<std::string>{"use-after-free"}))
          << how << ' ' << points;
      expect_replays(summary);
    }
    const Json summary =
        search("findings/freed.cc",
               {"--strategy", GetParam(), "--points", "atomic", "--keep-going"}, bug, {how});
    EXPECT_GE(kinds_in(summary["bugs"]).count("use-after-free"), 1U) << how << summary.dump(2);
    expect_replays(summary);
  }
}

INSTANTIATE_TEST_SUITE_P(With, Freed,
                         testing::Values("dfs", "pb", "dpor", "bpor", "bestfirst", "hapset"));

// --- Kinds that do not fail the search ---

constexpr const char* many_kinds = "findings/many_kinds.cc";

class Ignored : public FindingTest {};

TEST_F(Ignored, KindsDoNotHideWhatComesBehindThem) {
  for (const std::string strategy : {"mixed", "pb", "dfs", "dpor", "bpor", "bestfirst", "random"}) {
    const Json summary =
        search(many_kinds, {"--strategy", strategy, "--ignore", "data-race,leak"}, bug, {"leak"});
    EXPECT_EQ(kinds_in(summary["bugs"]), (std::multiset<std::string>{"assertion"})) << strategy;
    EXPECT_GE(kinds_in(summary["ignored"]).count("data-race"), 2U) << summary.dump(2);
    expect_replays(summary);
  }
}

TEST_F(Ignored, KindsAreCountedAndNamed) {
  const Json summary = search(many_kinds, {"--strategy", "dfs", "--ignore", "data-race,leak"}, ok,
                              {"leak", "correct"});
  EXPECT_TRUE(summary["complete"]);
  EXPECT_EQ(summary["bug_count"], 0);
  // A race shows in every execution, one way round or the other.
  std::map<std::string, std::uint64_t> times;
  for (const Json& each : summary["ignored"]) {
    const std::string place = each["places"][0];
    EXPECT_NE(place.find("many_kinds.cc:"), std::string::npos);
    const bool is_of_writes = each["message"].get<std::string>().find("read") == std::string::npos;
    times[place + (is_of_writes ? " writes" : "")] += each["times"].get<std::uint64_t>();
  }
  EXPECT_GE(times.size(), 3U);
  for (const auto& [place, sum] : times) EXPECT_EQ(sum, summary["executions"]) << place;
  EXPECT_EQ(kinds_in(summary["ignored"]).count("leak"), 1U) << summary.dump(2);
  expect(
      tool({"run", "--strategy", "dfs", "--ignore", "data-race", program(many_kinds), "correct"}),
      ok, {"left out", "ignored     data-race", "many_kinds.cc:"});
}

TEST_F(Ignored, KindsThatEndAnExecutionDoNotEndTheSearch) {
  const Json few = search(many_kinds, {"--strategy", "dfs", "--fail-on", "deadlock"}, ok, {"exit"});
  EXPECT_TRUE(few["complete"]);
  EXPECT_GE(kinds_in(few["ignored"]).count("assertion"), 1U) << few.dump(2);
  EXPECT_GE(kinds_in(few["ignored"]).count("exit"), 1U) << few.dump(2);
  const Json all =
      search(many_kinds, {"--strategy", "dfs", "--no-races", "--keep-going"}, bug, {"exit"});
  EXPECT_EQ(few["executions"], all["executions"]);
}

TEST_F(Ignored, DeadlocksAreGoneOnFrom) {
  const Json summary =
      search(behind_a_race, {"--strategy", "dfs", "--ignore", "deadlock,data-race"}, ok);
  EXPECT_TRUE(summary["complete"]);
  EXPECT_GE(kinds_in(summary["ignored"]).count("deadlock"), 1U) << summary.dump(2);
}

TEST_F(Ignored, KindsWorkWithKeepGoing) {
  const Json summary =
      search(many_kinds, {"--strategy", "dfs", "--keep-going", "--fail-on", "assertion,exit"}, bug,
             {"exit"});
  EXPECT_EQ(kinds_in(summary["bugs"]), (std::multiset<std::string>{"assertion", "exit"}));
  expect_replays(summary);
}

TEST_F(Ignored, KindsHaveToExist) {
  expect(tool({"run", "--ignore", "data_race", program(many_kinds)}), usage,
         {"--ignore: there is no kind of bug 'data_race'", "did you mean 'data-race'"});
  expect(tool({"run", "--fail-on", "leak", "--ignore", "leak", program(many_kinds)}), usage,
         {"leave no kind of bug"});
}

// --- Suppressions ---

class Suppressed : public FindingTest {};

TEST_F(Suppressed, RacesAreGoneOnThrough) {
  const std::string file = write("known", "# sloppy counters\nrace:count_hit\nrace:count_miss\n");
  for (const std::string strategy :
       {"mixed", "pb", "dfs", "dpor", "bpor", "bestfirst", "hapset", "random"}) {
    const Json summary = search(many_kinds, {"--strategy", strategy, "--suppressions", file}, bug);
    EXPECT_EQ(kinds_in(summary["bugs"]), (std::multiset<std::string>{"assertion"})) << strategy;
    EXPECT_EQ(summary["suppressions"][0]["line"], 2);
    EXPECT_GE(summary["suppressions"][0]["findings"], 1) << summary.dump(2);
    expect_replays(summary);
  }
}

TEST_F(Suppressed, LinesAreToldWhatTheyWereGoodFor) {
  const std::string file = write("known", "race:count_hit\nrace:count_miss\nmutex:nobody\n");
  expect(tool({"run", "--strategy", "dfs", "--suppressions", file, program(many_kinds), "correct"}),
         ok,
         {"nothing is left to explore", "race:count_hit (line 1): ", "race:count_miss (line 2): ",
          "mutex:nobody (line 3) matched nothing"});
}

TEST_F(Suppressed, OtherRacesStillFail) {
  const Json summary = search(
      many_kinds,
      {"--strategy", "dfs", "--keep-going", "--suppressions", write("known", "race:count_hit\n")},
      bug, {"correct"});
  for (const Json& each : summary["bugs"]) {
    EXPECT_EQ(each["kind"], "data-race");
    EXPECT_NE(each["message"].get<std::string>().find("misses"), std::string::npos);
  }
  EXPECT_GE(summary["bugs"].size(), 1U);
  expect_replays(summary);
}

// By who called, at any depth; and of the earlier access as well as of the later one.
TEST_F(Suppressed, RacesAreFoundByTheirCallers) {
  for (const std::string caller : {"first", "second"}) {
    search(
        many_kinds,
        {"--strategy", "dfs", "--suppressions",
         write("known", "race:^(anonymous namespace)::" + caller + "$\nrace:^" + caller + "$\n")},
        ok, {"correct"});
  }
  search(many_kinds, {"--strategy", "dfs", "--suppressions", write("known", "race_top:^*first$\n")},
         bug, {"correct"});
}

TEST_F(Suppressed, OtherKindsAreGoneOnFrom) {
  const std::string leak = write("known", "race:many_kinds.cc\nthread:start_helper\n");
  const Json leaked =
      search(many_kinds, {"--strategy", "dfs", "--suppressions", leak}, ok, {"correct", "leak"});
  for (const Json& each : leaked["suppressions"]) EXPECT_GE(each["findings"], 1) << each.dump(2);
  const std::string mutex = write("known", "race:many_kinds.cc\nmutex:misuse_lock\n");
  const Json misused =
      search(many_kinds, {"--strategy", "dfs", "--suppressions", mutex}, ok, {"correct", "misuse"});
  for (const Json& each : misused["suppressions"]) EXPECT_GE(each["findings"], 1) << each.dump(2);
  const std::string both = write("known", "race:count_calls\ndeadlock:a_then_b\n");
  EXPECT_TRUE(search(behind_a_race, {"--strategy", "dfs", "--suppressions", both}, ok)["complete"]);
}

TEST_F(Suppressed, WorkWithAForkForEachExecution) {
  const Json summary = search(
      many_kinds,
      {"--fork", "--strategy", "dfs", "--suppressions", write("known", "race:many_kinds.cc\n")},
      bug);
  EXPECT_EQ(kinds_in(summary["bugs"]), (std::multiset<std::string>{"assertion"}));
  expect_replays(summary);
}

TEST_F(Suppressed, LinesThatAreNoneAreNamed) {
  const std::string file = write("known", "race:a\nrace_bottom:b\n");
  expect(tool({"run", "--suppressions", file, program(many_kinds)}), usage,
         {"known:2: there is no suppression 'race_bottom:'"});
  expect(tool({"run", "--suppressions", "nowhere", program(many_kinds)}), usage, {"nowhere"});
}

}  // namespace
}  // namespace ricercar::test
