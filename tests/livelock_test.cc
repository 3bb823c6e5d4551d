// Loops that never end, from the outside: what the tool calls them.
#include <string>

#include "support/tool.h"

namespace ricercar::test {
namespace {

constexpr int bug = 1;

// Wherever in the loop the step limit cuts it.
class CutLoops : public ToolTest, public testing::WithParamInterface<int> {};

TEST_P(CutLoops, AreNoLivelockWhileTheLockThatAnotherThreadWaitsForIsFreeNowAndThen) {
  for (const char* strategy : {"pb", "dfs", "mixed"}) {
    const Finished finished =
        tool({"run", "--strategy", strategy, "--steps", std::to_string(GetParam()), "--executions",
              "40", "--out", "out", program("livelock/lock_polling.cc")});
    EXPECT_EQ(finished.output.find("livelock"), std::string::npos) << last();
    EXPECT_NE(finished.status, bug) << last();
  }
}

INSTANTIATE_TEST_SUITE_P(AtEveryStep, CutLoops, testing::Values(3000, 3001, 3002, 3003));

class EndlessLoops : public ToolTest {};

TEST_F(EndlessLoops, AreReportedWithWhatEverybodyElseWaitsFor) {
  expect(tool({"run", "--out", "out", program("programs/bug/livelock/condition_polled.cc")}), bug,
         {"livelock: the same ", " steps repeat forever; T0 cannot go on: it joins T1"});
}

TEST_F(EndlessLoops, ThatWaitForTheOutsideAreCalledSo) {
  expect(tool({"run", "--out", "out", program("livelock/idle_server.cc")}), bug,
         {"hang: T1 waits again and again in poll(), its time limit passes each time"});
}

TEST_F(EndlessLoops, ThatWaitForTheOutsideComeAgainOnTheSameTrace) {
  ASSERT_EQ(tool({"run", "--out", "out", program("livelock/idle_server.cc")}).status, bug);
  expect(tool({"replay", "--times", "5", "out/bug-1.json"}), bug, {"5 of 5"});
}

}  // namespace
}  // namespace ricercar::test
