// The same every time: replays of one schedule, and whole searches.
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "support/tool.h"

namespace ricercar::test {
namespace {

using Json = nlohmann::ordered_json;

constexpr int bug = 1;
constexpr const char* workshop = "replay/workshop.cc";

class Replays : public ToolTest {};

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
  const auto debug = [](const std::string& lines) {
    Command line;
    line.words = {"/bin/sh", "-c",
                  "printf '" + lines + "' | " RICERCAR_TOOL " replay --gdb gdb/bug-1.json 2>&1"};
    line.folder = in_folder("");
    const Finished finished = run(line);
    EXPECT_EQ(finished.status, 0) << finished.output;
    return finished.output;
  };
  const std::string there =
      debug("info threads\\ncontinue\\npython print(gdb.selected_frame().name())\\nquit\\n");
  EXPECT_NE(there.find("SIGTRAP"), std::string::npos) << there;
  EXPECT_NE(there.find("\"T0 main\""), std::string::npos) << there;
  EXPECT_NE(there.find("ricercar: the bug shows here"), std::string::npos) << there;
  // The first switch is where the way back ends, and the next one behind it is the second.
  const std::string back = debug(
      "ricercar-prev-switch\\nricercar-prev-switch\\nricercar-prev-switch\\nricercar-prev-switch\\n"
      "ricercar-prev-switch\\nricercar-prev-switch\\nricercar-next-switch\\nquit\\n");
  const std::size_t first = back.find("ricercar: switch 1\n");
  const std::size_t end = back.find("There is no switch before this one.");
  EXPECT_LT(first, end) << back;
  EXPECT_LT(end, back.rfind("ricercar: switch 2\n")) << back;
}

}  // namespace
}  // namespace ricercar::test
