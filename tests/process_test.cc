// A process that ends, hangs or cannot be trusted: nothing of it gets lost, no search is called
// complete because of it, and the tool ends in time.
#include <dirent.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "support/tool.h"

namespace ricercar::test {
namespace {

using Json = nlohmann::json;
using namespace std::chrono_literals;

class ProcessTest : public ToolTest {
 protected:
  static Words joined(Words words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  static Finished search(const Words& options, const Words& program) {
    std::filesystem::remove_all(in_folder("out"));
    return tool(joined(joined({"run", "--out", "out", "--json", "summary.json"}, options),
                       joined({"--"}, program)));
  }
  static Json summary() { return Json::parse(read_file(in_folder("summary.json"))); }

  // The one bug of this kind, which comes again every time, on both backends.
  static void expect_bug(const Words& options, const Words& program, const std::string& kind,
                         const std::string& message) {
    const Finished finished = search(options, program);
    expect(finished, 1, {message});
    const Json found = summary();
    ASSERT_EQ(found["bugs"].size(), 1U) << last();
    EXPECT_EQ(found["bugs"][0]["kind"], kind) << last();
    EXPECT_TRUE(found["bugs"][0]["confirmed"]) << last();
    expect(tool({"replay", "-n", "2", "out/bug-1.json"}), 1, {"2 of 2 replays"});
    expect(tool({"replay", "-q", "--backend=threads", "out/bug-1.json"}), 1, {});
  }
};

// --- Signals that nobody handles ---

class DeadlySignal : public ProcessTest, public testing::WithParamInterface<const char*> {};

TEST_P(DeadlySignal, IsACrashWithItsSchedule) {
  const std::string way = GetParam();
  const std::string signals = program("process/signals.cc");
  expect_bug({}, {signals, way, "10"}, "crash", "SIGUSR1");
}

TEST_F(ProcessTest, ADeadlySignalIsACrashWithAForkForEachExecution) {
  const std::string signals = program("process/signals.cc");
  for (const char* way : {"raise", "pthread_kill", "group", "raw"}) {
    expect_bug({"--fork"}, {signals, way, "10"}, "crash", "SIGUSR1");
  }
}

INSTANTIATE_TEST_SUITE_P(Way, DeadlySignal,
                         testing::Values("raise", "kill", "group", "killpg", "tgkill", "syscall",
                                         "syscall_kill", "pthread_kill", "other_thread", "sigqueue",
                                         "raw", "default_again"));

class EverySignal : public ProcessTest, public testing::WithParamInterface<int> {};

TEST_P(EverySignal, ThatEndsAProcessIsACrash) {
  const std::string signals = program("process/signals.cc");
  expect_bug({"--strategy", "dfs"}, {signals, "raise", std::to_string(GetParam())}, "crash",
             "killed by");
}

INSTANTIATE_TEST_SUITE_P(Number, EverySignal,
                         testing::Values(SIGHUP, SIGINT, SIGQUIT, SIGKILL, SIGPIPE, SIGALRM,
                                         SIGTERM, SIGXCPU, SIGXFSZ, SIGVTALRM, SIGPROF, SIGIO,
                                         SIGSYS, 40));

TEST_F(ProcessTest, ASignalThatNoHandlerCanCatchIsFoundFromOutside) {
  const std::string signals = program("process/signals.cc");
  for (const char* strategy : {"mixed", "dpor", "hapset", "random"}) {
    expect_bug({"--strategy", strategy}, {signals, "raw", "9"}, "crash", "SIGKILL");
  }
  expect_bug({"--fork"}, {signals, "raw", "9"}, "crash", "SIGKILL");
  expect_bug({"--points", "shared", "--no-races"}, {signals, "raw", "9"}, "crash", "SIGKILL");
}

TEST_F(ProcessTest, TheSearchGoesOnBehindAnExecutionThatEndedItsProcess) {
  const std::string signals = program("process/signals.cc");
  for (const Words& options : {Words{"--keep-going"}, Words{"--keep-going", "--fork"}}) {
    expect(search(joined({"--strategy", "dfs"}, options), {signals, "raw", "9"}), 1,
           {"ended with their process"});
    const Json found = summary();
    EXPECT_EQ(found["bug_count"], 1) << last();
    EXPECT_GT(found["executions"], 2) << last();
    EXPECT_FALSE(found["complete"]) << last();
  }
}

TEST_F(ProcessTest, ASignalThatIsHandledOrIgnoredIsNoBug) {
  const std::string signals = program("process/signals.cc");
  for (const char* way : {"handled", "ignored"}) {
    for (const char* number : {"10", "13", "14", "15", "6", "11", "40"}) {
      // All was explored, and the program has a system call of its own.
      expect(search({"--strategy", "dfs"}, {signals, way, number}), 0,
             {"no bug found in what is modelled",
              "every execution: ", "; all this as far as the program is modelled",
              "system calls by instructions of its own"});
    }
  }
}

TEST_F(ProcessTest, AProgramThatLeavesByASystemCallOfItsOwnHasItsStatus) {
  const std::string signals = program("process/signals.cc");
  expect_bug({}, {signals, "exit", "3"}, "exit", "status 3");
  expect_bug({"--fork"}, {signals, "exit", "3"}, "exit", "status 3");
  expect(search({"--strategy", "dfs"}, {signals, "exit", "0"}), 0, {"ended with their process"});
  EXPECT_FALSE(summary()["complete"]) << last();
}

TEST_F(ProcessTest, AWriteToAPipeThatNobodyReadsIsACrash) {
  const std::string pipe = program("process/broken_pipe.cc");
  expect_bug({}, {pipe}, "crash", "SIGPIPE");
  expect_bug({"--fork"}, {pipe}, "crash", "SIGPIPE");
}

TEST_F(ProcessTest, AbortCallsTheHandlerFirst) {
  const std::string handler = program("process/abort_handler.cc");
  expect_bug({}, {handler, "returns"}, "crash", "abort() was called");
  expect(search({"--strategy", "dfs"}, {handler, "jumps"}), 0, {"nothing is left to explore"});
}

// --- Programs that do not come back ---

class Stuck : public ProcessTest, public testing::WithParamInterface<const char*> {};

TEST_P(Stuck, IsAHangInTime) {
  const std::string stuck = program("process/stuck.cc");
  const Finished finished = search({"--hang", "1"}, {stuck, GetParam()});
  expect(finished, 1, {"hang"});
  EXPECT_EQ(summary()["bugs"][0]["kind"], "hang") << last();
  EXPECT_LT(finished.seconds, 40) << last();
}

TEST_F(ProcessTest, AProgramThatIsStuckDoesNotKeepTheSearchBeyondItsTime) {
  const std::string stuck = program("process/stuck.cc");
  for (const char* way : {"masked", "masked_raw", "stopped_raw"}) {
    const Finished finished = search({"--hang", "60", "--time", "1"}, {stuck, way});
    expect(finished, 2, {"no execution", "ended within 1 seconds"});
    EXPECT_LT(finished.seconds, 30) << last();
  }
}

INSTANTIATE_TEST_SUITE_P(Way, Stuck,
                         testing::Values("masked", "masked_raw", "stopped", "stopped_raw",
                                         "left_raw", "handler"));

TEST_F(ProcessTest, AFilterOfSystemCallsIsRefused) {
  const std::string stuck = program("process/stuck.cc");
  expect(search({}, {stuck, "filtered"}), 2, {"seccomp", "Leave it out of the test"});
}

class SystemSemaphores : public ProcessTest, public testing::WithParamInterface<const char*> {};

TEST_P(SystemSemaphores, WhatIsNotModelledIsNamedWithItsLine) {
  const std::string semaphores = program("process/system_semaphores.cc");
  expect(search({}, {semaphores, GetParam()}), 2,
         {"system_semaphores.cc:", "which is not modelled", "leave it out of the test"});
}

INSTANTIATE_TEST_SUITE_P(Way, SystemSemaphores,
                         testing::Values("several", "zero", "larger", "command"));

// The watchdog inside of the program notices the end of the time first, and the tool must not count
// its patience from the start.
TEST_F(ProcessTest, ATimeAboveThePatienceEndsInOrder) {
  const std::string signals = program("process/signals.cc");
  const Finished finished =
      search({"--hang", "0.5", "--time", "5", "--strategy", "random"}, {signals, "none", "0"});
  expect(finished, 0, {"no bug found"});
}

TEST_F(ProcessTest, AProgramThatForksIsNamedWithAForkForEachExecution) {
  tool({"cc", std::string(RICERCAR_TESTS) + "/process/forks.c", "-o", "forks", "-pthread"});
  for (const Words& options : {Words{}, Words{"--fork"}}) {
    expect(search(options, {"./forks"}), 2, {"fork()", "must stay one process"});
  }
}

// --- The tool itself ---

bool runs(const std::string& program) {
  DIR* folder = opendir("/proc");
  bool found = false;
  while (const dirent* entry = readdir(folder)) {
    char path[4096] = {};
    const std::string link = std::string("/proc/") + entry->d_name + "/exe";
    if (readlink(link.c_str(), path, sizeof path - 1) > 0 && program == path) found = true;
  }
  closedir(folder);
  return found;
}

TEST_F(ProcessTest, AWorkerDiesWithItsTool) {
  const std::string stuck = in_folder(program("process/stuck.cc").substr(2));
  for (int i = 0; i < 25; ++i) {
    Process process(command({"run", "--hang", "60", "--", "./stuck", "masked_raw"}));
    std::this_thread::sleep_for(i * 2ms);
    process.signal(SIGKILL);
    process.wait();
  }
  for (int i = 0; i < 50 && runs(stuck); ++i) std::this_thread::sleep_for(100ms);
  EXPECT_FALSE(runs(stuck));
}

TEST_F(ProcessTest, AnInterruptEndsManyReplays) {
  const std::string signals = program("process/signals.cc");
  search({}, {signals, "raise", "10"});
  Process process(command({"replay", "-n", "1000000", "out/bug-1.json"}));
  std::this_thread::sleep_for(1500ms);
  process.signal(SIGINT);
  const Finished finished = process.wait();
  EXPECT_EQ(finished.status, 130) << finished.output << finished.error;
  EXPECT_LT(finished.seconds, 20);
}

TEST_F(ProcessTest, AFileThatIsNestedDeeplyIsNoSchedule) {
  for (const std::string& bracket : {std::string("["), std::string("{\"a\":")}) {
    std::string text;
    for (int i = 0; i < 100000; ++i) text += bracket;
    write_file(in_folder("deep.json"), text);
    expect(tool({"replay", "deep.json"}), 2, {"is not a Ricercar schedule"});
    expect(tool({"show", "deep.json"}), 2, {"is not a Ricercar schedule"});
  }
}

// --- What does not come again ---

TEST_F(ProcessTest, WhatAReplayDoesNotShowIsNoBug) {
  const std::string changing = program("process/changing.cc");
  std::filesystem::remove(in_folder("state"));
  expect(search({}, {changing, "state"}), 3, {"not deterministic", "did not reproduce"});
  const Json found = summary();
  EXPECT_EQ(found["bug_count"], 0) << last();
  EXPECT_TRUE(found["bugs"].empty()) << last();
  ASSERT_EQ(found["unconfirmed"].size(), 1U) << last();
  EXPECT_EQ(found["unconfirmed"][0]["kind"], "assertion") << last();
  EXPECT_EQ(found["unconfirmed"][0]["schedule"], "out/unconfirmed-1.json") << last();
  EXPECT_FALSE(found["complete"]) << last();
  EXPECT_GT(found["executions"], 1) << last();  // the search went on
}

TEST_F(ProcessTest, ABugBehindWhatDoesNotComeAgainIsFound) {
  const std::string changing = program("process/changing.cc");
  std::filesystem::remove(in_folder("state"));
  expect(search({}, {changing, "state", "also"}), 1, {"1 bug found"});
  const Json found = summary();
  EXPECT_EQ(found["bug_count"], 1) << last();
  ASSERT_EQ(found["bugs"].size(), 1U) << last();
  EXPECT_TRUE(found["bugs"][0]["confirmed"]) << last();
  EXPECT_EQ(found["unconfirmed"].size(), 1U) << last();
}

}  // namespace
}  // namespace ricercar::test
