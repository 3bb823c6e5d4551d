// The same every time: replays of one schedule, and whole searches.
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "support/tool.h"

namespace ricercar::test {
namespace {

using Json = nlohmann::ordered_json;

constexpr int bug = 1;
constexpr const char* workshop = "replay/workshop.cc";

class Replays : public ToolTest {
 protected:
  // What gdb says when these lines are typed.
  static std::string debug(const std::string& schedule, const std::string& lines) {
    Command line;
    line.words = {"/bin/sh", "-c",
                  "printf '" + lines + "' | " RICERCAR_TOOL " replay --gdb " + schedule + " 2>&1"};
    line.folder = in_folder("");
    const Finished finished = run(line);
    EXPECT_EQ(finished.status, 0) << finished.output;
    return finished.output;
  }
};

TEST_F(Replays, ShowTheSameTraceAThousandTimes) {
  ASSERT_EQ(tool({"run", "--quiet", "--out", "out", program(workshop)}).status, bug) << last();
  expect(tool({"replay", "--times", "1000", "out/bug-1.json"}), bug, {"1000 of 1000"});
}

TEST_F(Replays, ShowTheSameTraceOnRealThreads) {
  ASSERT_EQ(tool({"run", "--quiet", "--out", "out", program(workshop)}).status, bug) << last();
  expect(tool({"replay", "--times", "20", "--backend", "threads", "out/bug-1.json"}), bug,
         {"20 of 20"});
}

class Searches : public ToolTest, public testing::WithParamInterface<const char*> {
 protected:
  struct Results {
    Json summary;  // without the times
    std::string schedule;
    std::string report;
  };

  static Results search(const std::vector<std::string>& options) {
    std::filesystem::remove_all(in_folder("out"));
    std::vector<std::string> words = {"run", "--quiet", "--json", "summary.json", "--out", "out"};
    words.insert(words.end(), options.begin(), options.end());
    words.push_back(program(workshop));
    tool(words);
    Json summary = Json::parse(read_file(in_folder("summary.json")));
    summary.erase("seconds");
    return {summary, read_file(in_folder("out/bug-1.json")), read_file(in_folder("out/bug-1.txt"))};
  }

  static void expect_the_same_twice(const std::vector<std::string>& options) {
    const Results one = search(options);
    const Results two = search(options);
    EXPECT_GT(one.summary["executions"], 0) << last();
    EXPECT_EQ(one.summary.dump(2), two.summary.dump(2));
    EXPECT_EQ(one.schedule, two.schedule);
    EXPECT_EQ(one.report, two.report);
  }
};

TEST_P(Searches, GiveTheSameBytesTwice) {
  expect_the_same_twice({"--strategy", GetParam(), "--executions", "300", "--keep-going"});
}

TEST_P(Searches, GiveTheSameBytesTwiceWithAForkForEachExecution) {
  expect_the_same_twice({"--strategy", GetParam(), "--executions", "50", "--fork"});
}

INSTANTIATE_TEST_SUITE_P(Of, Searches,
                         testing::Values("mixed", "dfs", "pb:bound=1", "random", "pct:depth=3"));

// --- gdb ---

TEST_F(Replays, InTheDebuggerGoesFromSwitchToSwitchAndStopsInTheUsersFrame) {
  if (std::system("gdb --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "there is no gdb";
  const std::string source = "reports/counts.cc";
  ASSERT_EQ(tool({"run", "--quiet", "--out", "gdb", program(source)}).status, 1) << last();
  const std::string there =
      debug("gdb/bug-1.json",
            "info threads\\ncontinue\\npython print(gdb.selected_frame().name())\\nquit\\n");
  EXPECT_NE(there.find("SIGTRAP"), std::string::npos) << there;
  EXPECT_NE(there.find("\"T0 main\""), std::string::npos) << there;
  EXPECT_NE(there.find("ricercar: the bug shows here"), std::string::npos) << there;
  // The first switch is where the way back ends, and the next one behind it is the second.
  const std::string back = debug(
      "gdb/bug-1.json",
      "ricercar-prev-switch\\nricercar-prev-switch\\nricercar-prev-switch\\nricercar-prev-switch\\n"
      "ricercar-prev-switch\\nricercar-prev-switch\\nricercar-next-switch\\nquit\\n");
  const std::size_t first = back.find("ricercar: switch 1\n");
  const std::size_t end = back.find("There is no switch before this one.");
  EXPECT_LT(first, end) << back;
  EXPECT_LT(end, back.rfind("ricercar: switch 2\n")) << back;
}

// From the call of the runtime in which a thread stands to the next line of the program, and on.
TEST_F(Replays, InTheDebuggerStepsOverTheRuntime) {
  if (std::system("gdb --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "there is no gdb";
  const std::string source = std::string(RICERCAR_TESTS) + "/../examples/compute_once.cc";
  // As who steps through it compiles it: lines of optimised code are not one after the other.
  expect(tool({"c++", "-std=c++20", "-g", "-O0", source, "-o", "stepped"}), 0, {});
  ASSERT_EQ(tool({"run", "--quiet", "--out", "steps", "./stepped"}).status, bug) << last();
  // Where gdb itself stands, not the frame that is selected.
  const std::string where =
      "python place = gdb.newest_frame().find_sal()\\n"
      "python print(\"STANDS\", place.symtab and place.symtab.filename, place.line)\\n";
  std::string lines = "ricercar-prev-switch\\nricercar-prev-switch\\n";
  for (const char* command : {"next", "next", "next", "step", "step"})
    lines += command + ("\\n" + where);
  const std::string said = debug("steps/bug-1.json", lines + "quit\\n");
  std::vector<std::string> places;
  std::istringstream all(said);
  for (std::string line; std::getline(all, line);) {
    if (const std::size_t at = line.find("STANDS "); at != std::string::npos)
      places.push_back(line.substr(line.rfind('/') + 1));
  }
  ASSERT_EQ(places.size(), 5u) << said;
  for (const std::string& place : places)
    EXPECT_TRUE(place.starts_with("compute_once.cc ")) << said;
  EXPECT_EQ(std::set<std::string>(places.begin(), places.end()).size(), 5u) << said;
}

}  // namespace
}  // namespace ricercar::test
