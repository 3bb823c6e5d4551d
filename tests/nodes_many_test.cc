// A cluster of sixteen nodes with six threads each.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "support/tool.h"

namespace ricercar::test {
namespace {

class ManyNodes : public ToolTest {
 protected:
  static constexpr int count = 16;

  static void cluster(const std::string& role) {
    const std::string rumours = program("nodes/rumours.cc");
    std::ofstream file(in_folder("cluster.toml"));
    file << "early_timeouts = 3\n";
    for (int i = 0; i < count; ++i) {
      file << "[[node]]\nname = \"n" << i << "\"\ncommand = [\"" << rumours << "\", \"" << role
           << "\", \"" << i << "\", \"" << count << "\"]\n";
    }
    file << "[[client]]\nname = \"client\"\ncommand = [\"" << rumours
         << "\", \"client\", \"n0\", \"n9\"]\n";
  }

  static Finished search(const std::string& executions) {
    return tool({"run", "--out", "out", "--nodes", "cluster.toml", "--steps", "5000", "-n",
                 executions, "--no-minimise", "--json", "summary.json"});
  }

  static nlohmann::json summary() {
    std::ifstream file(in_folder("summary.json"));
    return nlohmann::json::parse(file);
  }
};

TEST_F(ManyNodes, FindNewsThatAreReplacedByOlderOnes) {
  cluster("node");
  expect(search("1000"), 1, {"assertion: client: ", "rumours.cc:", "n15", "n9 "});
  expect(tool({"replay", "-n", "10", "out/bug-1.json"}), 1, {"10 of 10 replays"});
}

// Each of them has all its threads: the execution has more than a thousand steps.
TEST_F(ManyNodes, FindNothingWhereVersionsAreCompared) {
  cluster("fixed");
  expect(search("50"), 0, {"no bug found", "50 executions"});
  EXPECT_GT(summary()["steps"].get<int>(), 50 * 1000);
  EXPECT_EQ(last().find(" cut "), std::string::npos) << last();
}

}  // namespace
}  // namespace ricercar::test
