// `--checkpoint` and `--resume`: a search that was interrupted or killed ends as one does that
// nobody disturbed, and what is not the same search is refused.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <thread>

#include "support/tool.h"

namespace ricercar::test {
namespace {

using Json = nlohmann::json;
using namespace std::chrono_literals;

class StopAndGoOn : public ToolTest {
 protected:
  void SetUp() override {
    std::filesystem::remove(in_folder("kept"));
    ::setenv("RICERCAR_CHECKPOINT_SECONDS", "0.02", 1);
  }

  static Words joined(Words words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  // What a search said, without what depends on the clock and without the name of its folder, and
  // the schedules of its bugs.
  static Json result_in(const std::string& folder, const Words& but_for = {}) {
    Json result = Json::parse(read(folder + "/summary.json"));
    for (const char* word : {"seconds", "notes", "strata"}) result.erase(word);
    for (const std::string& word : but_for) result.erase(word);
    for (Json& bug : result["bugs"]) {
      bug["schedule"] = Json::parse(read(bug["schedule"].get<std::string>()));
      bug["details"].erase("schedule");  // its path
      if (bug["details"].contains("minimised")) bug["details"]["minimised"].erase("original");
      bug.erase("report");
    }
    std::string text = result.dump();
    const std::string path = folder + "/";
    for (std::size_t at = 0; (at = text.find(path, at)) != std::string::npos;)
      text.erase(at, path.size());
    return Json::parse(text);
  }
  static std::string read(const std::string& name) {
    std::ifstream file(in_folder(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static void write(const std::string& name, const std::string& content) {
    std::ofstream(in_folder(name), std::ios::binary) << content;
  }

  static Words search(const std::string& folder, const Words& options, const Words& program) {
    std::filesystem::remove_all(in_folder(folder));
    std::filesystem::create_directory(in_folder(folder));
    return joined(
        joined({"run", "--keep-going", "--out", folder, "--json", folder + "/summary.json"},
               options),
        joined({"--"}, program));
  }

  // The facts in the file.
  static Json kept() {
    const std::string content = read("kept");
    const std::size_t begin = content.find('\n') + 1;
    return Json::parse(content.substr(begin, content.find('\n', begin) - begin));
  }

  // Two parts of a search are what it is in one, but for these fields.
  static void expect_same_in_two_parts(const Words& options, const Words& program, int first = 117,
                                       const Words& but_for = {}) {
    std::filesystem::remove(in_folder("kept"));
    const Finished whole = tool(search("whole", joined(options, {"-n", "300"}), program));
    ASSERT_LE(whole.status, 1) << last();
    tool(search("first", joined(options, {"-n", std::to_string(first), "--checkpoint", "kept"}),
                program));
    EXPECT_EQ(kept()["executions"], first) << last();
    const Finished second =
        tool(search("second", joined(options, {"-n", "300", "--resume", "kept"}), program));
    EXPECT_EQ(second.status, whole.status) << last();
    EXPECT_EQ(result_in("second", but_for), result_in("whole", but_for)) << last();
  }
};

// --- As if nothing had been ---

class EachStrategy : public StopAndGoOn, public testing::WithParamInterface<const char*> {};

TEST_P(EachStrategy, GoesOnAsIfNothingHadBeen) {
  expect_same_in_two_parts({"--strategy", GetParam()}, {program("kept/meetings.cc")});
}
INSTANTIATE_TEST_SUITE_P(All, EachStrategy,
                         testing::Values("portfolio", "surw", "rff", "mixed", "random", "pct",
                                         "pos", "irs", "dfs", "pb", "pb:iterative=no", "dpor",
                                         "bpor", "bestfirst", "hapset", "ss", "ses",
                                         "pb:cache=yes"));

TEST_F(StopAndGoOn, AFortyTimesInterruptedSearchEndsWithTheSameWords) {
  const Words small = {program("kept/meetings.cc"), "few"};
  tool(search("whole", {"--strategy", "dfs"}, small));
  const Json whole = result_in("whole");
  ASSERT_TRUE(whole["complete"]) << last();
  const int all = whole["executions"];
  tool(search("parts", {"--strategy", "dfs", "-n", "1", "--checkpoint", "kept"}, small));
  for (int part = 1; part <= 40; ++part) {
    const std::string limit = std::to_string(1 + part * all / 40);
    tool(search("parts", {"--strategy", "dfs", "-n", limit, "--resume", "kept"}, small));
  }
  EXPECT_EQ(result_in("parts"), whole) << last();
  EXPECT_TRUE(kept()["finished"]);
  // A search that is finished tells its result again, and runs nothing.
  tool(search("again", {"--strategy", "dfs", "--resume", "kept"}, small));
  EXPECT_EQ(result_in("again"), whole) << last();
}

TEST_F(StopAndGoOn, ASearchThatEndedWithABugTellsItAgain) {
  const std::string path = program("kept/meetings.cc");
  const Words options = {"run", "--no-races", "--strategy", "pct", "--out"};
  expect(tool(joined(options, {"first", "--checkpoint", "kept", path})), 1, {"assertion"});
  EXPECT_TRUE(kept()["finished"]);
  const std::string schedule = read("first/bug-1.json");
  expect(tool(joined(options, {"second", "--resume", "kept", path})), 1, {"assertion"});
  EXPECT_EQ(read("second/bug-1.json"), schedule);
}

TEST_F(StopAndGoOn, CrashesAndForksChangeNothing) {
  const std::string path = program("kept/meetings.cc");
  expect_same_in_two_parts({"--strategy", "mixed"}, {path, "crash"});
  expect_same_in_two_parts({"--strategy", "dpor", "--fork"}, {path});
}

TEST_F(StopAndGoOn, MachinesGoOnToo) {
  const Finished compiled =
      tool({"c++", "--machines", "-std=c++20", std::string(RICERCAR_TESTS) + "/reports/machines.cc",
            "-o", "machines"});
  ASSERT_EQ(compiled.status, 0) << last();
  for (const char* strategy : {"random", "dfs", "dpor"}) {
    expect_same_in_two_parts({"--strategy", strategy}, {"./machines"}, 2);
  }
  // The second part has no saved states of the first one, and goes the whole way to them once more.
  for (const char* strategy : {"ses", "ses:explorer=rtc,cycles=yes"}) {
    expect_same_in_two_parts({"--strategy", strategy}, {"./machines"}, 2,
                             {"steps", "transitions", "most_steps"});
  }
}

TEST_F(StopAndGoOn, ClustersGoOnToo) {
  const std::string script = program("nodes/script.cc");
  write("cluster.toml", "[[node]]\nname = \"first\"\ncommand = [\"" + script +
                            "\", \"r\", \"s:asks:y\"]\n"
                            "[[node]]\nname = \"second\"\ncommand = [\"" +
                            script +
                            "\", \"r\", \"s:asks:n\"]\n"
                            "[[client]]\nname = \"asks\"\ncommand = [\"" +
                            script + "\", \"s:first:v\", \"s:second:v\", \"r\", \"r\", \"=yn\"]\n");
  for (const char* strategy : {"mixed", "random", "dfs", "coverage"}) {
    expect_same_in_two_parts({"--strategy", strategy, "--nodes", "cluster.toml"}, {}, 41);
  }
  expect_same_in_two_parts({"--strategy", "dpor", "--nodes", "cluster.toml"}, {}, 2);
  expect_same_in_two_parts({"--strategy", "ses", "--nodes", "cluster.toml"}, {}, 17);
}

// --- Killed ---

class KilledSearch : public StopAndGoOn, public testing::WithParamInterface<const char*> {
 protected:
  static constexpr int kills = 34;  // a hundred with all three strategies

  // Starts it, and kills it at some moment.
  static void run_and_kill(const Words& words, std::chrono::milliseconds after) {
    Process process(command(words));
    std::this_thread::sleep_for(after);
    process.signal(SIGKILL);
    EXPECT_EQ(process.wait().status, 128 + SIGKILL);
  }
};

TEST_P(KilledSearch, EndsAsOneThatNobodyKilled) {
  const Words options = {"--strategy", GetParam()};
  const Words subject = {program("kept/meetings.cc")};
  std::mt19937 random(1);
  int gone_on = 0;
  for (int i = 0; i < kills; ++i) {
    const bool has_begun = std::filesystem::exists(in_folder("kept"));
    gone_on += has_begun ? 1 : 0;
    const Words file = {has_begun ? "--resume" : "--checkpoint", "kept", "-n", "100000000"};
    run_and_kill(search("killed", joined(options, file), subject),
                 std::chrono::milliseconds(20 + random() % 230));
  }
  EXPECT_GT(gone_on, kills / 2) << "most of them have something to go on from";
  const std::uint64_t executions = kept()["executions"];
  EXPECT_GT(executions, 1000U);
  const std::string limit = std::to_string(executions + 1000);
  tool(search("end", joined(options, {"--resume", "kept", "-n", limit}), subject));
  const Json end = result_in("end");
  EXPECT_EQ(end["executions"], executions + 1000) << last();
  EXPECT_GE(end["bug_count"], 1) << last();
  tool(search("whole", joined(options, {"-n", limit}), subject));
  EXPECT_EQ(end, result_in("whole")) << last();
}
INSTANTIATE_TEST_SUITE_P(Some, KilledSearch, testing::Values("dfs", "dpor", "portfolio"));

TEST_F(StopAndGoOn, AnInterruptionAndATimeLimitKeepWhatWasDone) {
  ::unsetenv("RICERCAR_CHECKPOINT_SECONDS");  // nothing is kept on the way within a second
  const std::string path = program("kept/meetings.cc");
  for (const int number : {SIGINT, SIGTERM}) {
    std::filesystem::remove(in_folder("kept"));
    Process process(command(search("out", {"--strategy", "dfs", "--checkpoint", "kept"}, {path})));
    std::this_thread::sleep_for(500ms);
    process.signal_group(number);
    const Finished finished = process.wait();
    EXPECT_NE(finished.output.find("--resume kept goes on"), std::string::npos) << finished.output;
    EXPECT_EQ(kept()["executions"], result_in("out")["executions"]);
  }
  const std::uint64_t before = kept()["executions"];
  tool(search("out", {"--strategy", "dfs", "--resume", "kept", "--time", "0.3"}, {path}));
  EXPECT_GT(kept()["executions"], before) << last();
  EXPECT_EQ(kept()["executions"], result_in("out")["executions"]) << last();
}

// --- What is refused ---

class RefusedCheckpoint : public StopAndGoOn {
 protected:
  void SetUp() override {
    StopAndGoOn::SetUp();
    path_ = program("kept/meetings.cc");
    tool({"run", "--no-races", "-n", "5", "--checkpoint", "kept", path_});
  }
  void expect_refused(const Words& options, const Words& words) const {
    const std::string before = read("kept");
    expect(tool(joined(joined({"run", "--resume", "kept"}, options), {path_})), 2, words);
    EXPECT_EQ(read("kept"), before) << "it is left alone";
  }

  std::string path_;
};

TEST_F(RefusedCheckpoint, IsOneOfOtherOptions) {
  const std::string words = "is the checkpoint of another search: its ";
  expect_refused({"--no-races", "--seed", "2"}, {words, "option seed is '1', and not '2'"});
  expect_refused({"--no-races", "--strategy", "dfs"}, {words, "'portfolio', and not 'dfs'"});
  expect_refused({"--no-races", "--points", "memory"}, {words, "'racy', and not 'memory'"});
  expect_refused({}, {words, "option races is 'no', and not 'yes'"});
  expect_refused({"--no-races", "-k"}, {words, "option keep_going is 'no', and not 'yes'"});
  expect_refused({"--no-races", "--ignore", "leak"}, {words, "kinds of bugs that are ignored"});
  expect(tool({"run", "--no-races", "--resume", "kept", path_, "few"}), 2,
         {words, "list of arguments is not known, and not 'few'"});
}

TEST_F(RefusedCheckpoint, IsOneOfAnotherProgramOrVersion) {
  std::filesystem::create_directory(in_folder("other"));
  ASSERT_EQ(tool({"c++", "-std=c++20", "-O2", std::string(RICERCAR_TESTS) + "/kept/meetings.cc",
                  "-o", "other/meetings"})
                .status,
            0)
      << last();
  expect(tool({"run", "--no-races", "--resume", "kept", "other/meetings"}), 2,
         {"its build of the program is '"});
  std::string content = read("kept");
  content.replace(content.find(" 1 "), 3, " 9 ");
  write("kept", content);
  expect_refused({"--no-races"}, {"another version of Ricercar (format 9, this is 1)"});
}

TEST_F(RefusedCheckpoint, IsADamagedOne) {
  const std::string whole = read("kept");
  write("kept", whole.substr(0, whole.size() - 1));
  expect_refused({"--no-races"}, {"'kept' is damaged or cut short"});
  std::string changed = whole;
  changed[changed.size() - 10] ^= 1;
  write("kept", changed);
  expect_refused({"--no-races"}, {"'kept' is damaged or cut short"});
  write("kept", "");
  expect_refused({"--no-races"}, {"'kept' is no checkpoint of a search"});
  std::filesystem::remove(in_folder("kept"));
  expect(tool({"run", "--resume", "kept", path_}), 2, {"cannot open 'kept'"});
}

TEST_F(RefusedCheckpoint, IsAFileThatIsNeeded) {
  expect(tool({"run", "--checkpoint", "kept", path_}), 2,
         {"'kept' holds a search that is not finished, after 5 executions", "--resume kept"});
  write("kept", "a letter\n");
  expect(tool({"run", "--checkpoint", "kept", path_}), 2, {"'kept' is no checkpoint"});
  EXPECT_EQ(read("kept"), "a letter\n");
}

TEST_F(RefusedCheckpoint, IsOneOfAStrategyThatCannotBeKept) {
  expect(tool({"run", "--strategy", "ses+ss", "--checkpoint", "new", path_}), 2,
         {"the strategy 'ses+ss' cannot be kept in a file yet"});
  EXPECT_FALSE(std::filesystem::exists(in_folder("new")));
}

TEST_F(RefusedCheckpoint, ThatCannotBeWrittenDoesNotStopTheSearch) {
  const std::string before = read("kept");
  for (const char* file : {"/dev/full", "no/folder/new"}) {
    expect(tool({"run", "--no-races", "-n", "10", "--resume", "kept", "--checkpoint", file, path_}),
           2,
           {"10 executions", "the search goes on, but it could not be kept: cannot write", file});
  }
  EXPECT_EQ(read("kept"), before);
}

}  // namespace
}  // namespace ricercar::test
