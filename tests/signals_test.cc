// Signals between threads, seen from the outside: when a handler runs is a choice, every way to
// send a signal works, and what is found comes again.
#include <gtest/gtest.h>

#include <string>

#include "support/tool.h"

namespace ricercar::test {
namespace {

class SignalsTest : public ToolTest {
 protected:
  static Finished search(const Words& options, const Words& program) {
    std::filesystem::remove_all(in_folder("out"));
    Words words = {"run", "--out", "out"};
    words.insert(words.end(), options.begin(), options.end());
    words.push_back("--");
    words.insert(words.end(), program.begin(), program.end());
    return tool(words);
  }
};

class Position : public SignalsTest, public testing::WithParamInterface<const char*> {};

// Before, between and after the two operations, and never.
TEST_P(Position, OfAHandlerIsAChoice) {
  const std::string positions = program("signals/positions.cc");
  for (const char* strategy : {"dfs", "dpor", "bpor", "pb", "mixed", "random"}) {
    expect(search({"--strategy", strategy, "--executions", "2000"}, {positions, GetParam()}), 1,
           {"assertion"});
    expect(tool({"replay", "-n", "2", "out/bug-1.json"}), 1, {"2 of 2 replays"});
    expect(tool({"replay", "-q", "--backend=threads", "out/bug-1.json"}), 1, {});
  }
}

INSTANTIATE_TEST_SUITE_P(Seen, Position, testing::Values("0", "1", "2", "9"));

class Way : public SignalsTest, public testing::WithParamInterface<const char*> {};

TEST_P(Way, ToSendASignalToAThreadRunsItsHandler) {
  const std::string ways = program("signals/ways.cc");
  for (const char* strategy : {"random", "pct", "dpor"}) {
    expect(search({"--strategy", strategy, "--executions", "300"}, {ways, GetParam()}), 0,
           {"no bug found"});
  }
  expect(search({"--fork", "--executions", "50"}, {ways, GetParam()}), 0, {"no bug found"});
}

INSTANTIATE_TEST_SUITE_P(Send, Way,
                         testing::Values("pthread_kill", "tgkill", "kill", "raise", "sigqueue",
                                         "timer", "thread_timer"));

}  // namespace
}  // namespace ricercar::test
