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

// 100,000 steps as it is found; 4 steps of main, and the round once.
TEST_F(EndlessLoops, AreToldUpToTheEndOfTheFirstRound) {
  expect(tool({"run", "--out", "out", program("programs/bug/livelock/corridor.cc")}), bug,
         {"the same 8 steps repeat forever", "minimised from 99,995 preemptions to 3",
          "100,000 steps to 12", "What happened: 12 steps in 8 rows",
          "... these 8 rows again and again, forever ...", "It could be avoided in every round: "});
  expect(tool({"replay", "--times", "50", "out/bug-1.json"}), bug, {"50 of 50"});
  expect(tool({"replay", "--times", "5", "out/bug-1-original.json"}), bug, {"5 of 5"});
  const std::string original = tool({"show", "out/bug-1-original.json"}).output;
  EXPECT_NE(original.find(" more times, and so on forever"), std::string::npos) << original;
  EXPECT_EQ(original.find("again and again, forever"), std::string::npos) << original;
  EXPECT_EQ(tool({"replay", "out/bug-1-passing.json"}).status, 0) << last();
  expect(tool({"minimise", "--quiet", "out/bug-1.json"}), 0, {"no shorter execution"});
}

// The thread that gives up after 1,000 rounds goes round for 8,000 steps. That is all that a lower
// limit of steps sees, and it needs one preemption less.
TEST_F(EndlessLoops, AreNotTakenForABusyPhaseThatLooksAlike) {
  const std::string patient = program("livelock/patient_corridor.cc");
  expect(tool({"run", "--out", "out", patient}), bug,
         {"loads is_urgent = true", " preemptions to 4", "these 8 rows again and again"});
  expect(tool({"replay", "--times", "20", "out/bug-1.json"}), bug, {"20 of 20"});
  expect(tool({"run", "--steps", "4000", "--out", "busy", patient}), bug, {" preemptions to 3"});
}

TEST_F(EndlessLoops, ThatWaitForTheOutsideAreToldInAFewSteps) {
  expect(tool({"run", "--out", "out", program("livelock/idle_server.cc")}), bug,
         {"minimised from 100,000 steps to 3"});
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
