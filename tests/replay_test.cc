// The same every time: replays of one schedule, and whole searches.
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

}  // namespace
}  // namespace ricercar::test
