// What a user may do wrong, and what a program may do to the tool: each has a message that says
// what happened and what to do, and the right exit status.
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "support/tiny_disk.h"
#include "support/tool.h"

namespace ricercar::test {
namespace {

namespace fs = std::filesystem;

constexpr int no_bug = 0;
constexpr int bug = 1;
constexpr int usage = 2;
constexpr int interrupted = 130;

constexpr const char* correct = "bad_input/correct.cc";
constexpr const char* deadlocks = "programs/bug/deadlock/ab_ba.cc";

// --- What is run ---

class Run : public ToolTest {};

TEST_F(Run, RefusesAProgramThatIsNotUnderControl) {
  const std::string source = std::string(RICERCAR_TESTS) + "/" + correct;
  const Command compile{{RICERCAR_COMPILER, "-std=c++20", "-pthread", source, "-o", "plain"},
                        in_folder("")};
  ASSERT_EQ(run(compile).status, 0);
  expect(tool({"run", "./plain"}), usage, {"./plain", "ricercar c++", "not"});
}

TEST_F(Run, RefusesAScript) {
  write_file(in_folder("script"), "#!/bin/sh\nexit 0\n");
  fs::permissions(in_folder("script"), fs::perms::owner_all);
  expect(tool({"run", "./script"}), usage, {"script"});
}

TEST_F(Run, RefusesAProgramThatIsNotThere) {
  expect(tool({"run", "./nowhere"}), usage, {"there is no program", "./nowhere"});
  expect(tool({"run", "nowhere-in-path"}), usage, {"there is no program", "nowhere-in-path"});
}

TEST_F(Run, RefusesAFolder) { expect(tool({"run", "/tmp"}), usage, {"/tmp", "folder"}); }

TEST_F(Run, RefusesAFileThatIsNotExecutable) {
  write_file(in_folder("text"), "no program\n");
  expect(tool({"run", "./text"}), usage, {"./text", "not executable"});
}

TEST_F(Run, WantsAProgram) { expect(tool({"run"}), usage, {"program"}); }

TEST_F(Run, TellsOfAProgramThatEndsBeforeMain) {
  const std::string path = program("bad_input/fails_early.cc");
  expect(tool({"run", path}), usage, {"fails_early", "status 7", "before"});
}

TEST_F(Run, NamesAJoinBeforeMain) {
  expect(tool({"run", program("bad_input/joins_early.cc")}), usage,
         {"joins_early.cc:7", "static constructor joins a thread", "before main"});
}

TEST_F(Run, NamesAWaitBeforeMain) {
  expect(tool({"run", "--hang", "1", program("bad_input/waits_early.cc")}), usage,
         {"waits_early.cc:17", "1 seconds", "cannot wait for them"});
}

// --- How it is run ---

TEST_F(Run, SuggestsTheNearestStrategy) {
  const std::string path = program(correct);
  expect(tool({"run", "--strategy", "dsf", path}), usage, {"no strategy", "'dsf'", "dfs"});
}

TEST_F(Run, SuggestsTheNearestParameter) {
  const std::string path = program(correct);
  expect(tool({"run", "--strategy", "pct:dept=3", path}), usage, {"pct", "'dept'", "depth"});
  expect(tool({"run", "--strategy", "pb:bound=many", path}), usage, {"bound", "number", "many"});
  expect(tool({"run", "--strategy", "dfs:bound=1", path}), usage, {"dfs", "no parameter"});
}

std::string by_priority(const std::string& text) { return "bestfirst:priority=" + text; }

TEST_F(Run, SuggestsTheNearestPriority) {
  const std::string path = program(correct);
  expect(tool({"run", "-s", by_priority("mdpr+pb"), path}), usage, {"no priority", "'mdpor'"});
  expect(tool({"run", "-s", by_priority("pb=2"), path}), usage, {"pb", "takes no names"});
  expect(tool({"run", "-s", by_priority("pb+method="), path}), usage, {"method", "wants names"});
}

TEST_F(Run, SuggestsTheNearestFunctionAndVariable) {
  const std::string path = program("priorities/two_sections.cc");
  expect(tool({"run", "-s", by_priority("method=push+popp"), path}), usage,
         {"no function 'popp'", "two_sections", "'pop'"});
  expect(tool({"run", "-s", by_priority("method=Queue::pop"), path}), usage,
         {"no function 'Queue::pop'"});
  expect(tool({"run", "-s", by_priority("var=stak"), path}), usage,
         {"no variable 'stak'", "'stack'"});
  expect(tool({"run", "-s", by_priority("var=mutex_"), path}), usage,
         {"no variable 'mutex_'", "'Stack::mutex_'", "'Log::mutex_'"});
  expect(tool({"run", "-s", by_priority("var=stack.mutx_"), path}), usage,
         {"no variable 'stack.mutx_'"});
  expect(tool({"run", "-s", by_priority("var=first"), path}), usage,
         {"no variable 'first'", "local variable"});
}

TEST_F(Run, SaysWhichPriorityOfTheProgramFailed) {
  const std::string path = program("bad_input/own_priorities.cc");
  expect(tool({"run", "-s", by_priority("throws+pb"), path}), usage,
         {"priority 'throws'", "no idea what this is worth"});
  expect(tool({"run", "--fork", "-s", by_priority("throws"), path}), usage, {"priority 'throws'"});
  expect(tool({"run", "-s", by_priority("throws-number"), path}), usage,
         {"priority 'throws-number'", "not a std::exception"});
  expect(tool({"run", "-s", by_priority("crashes"), path}), 3, {"priority 'crashes'", "abort"});
  expect(tool({"run", "--hang", "1", "-s", by_priority("hangs"), path}), usage,
         {"priority 'hangs'", "1 seconds", "--hang"});
  expect(tool({"run", "-s", by_priority("throw"), path}), usage, {"no priority", "'throws'"});
  expect(tool({"run", "-s", by_priority("pb"), path}), no_bug, {"no bug found"});
}

TEST_F(Run, RefusesAPriorityOfTheProgramWithATakenName) {
  write_file(in_folder("taken.cc"),
             "#include <ricercar/priority.h>\n"
             "uint32_t none(void*, const ricercar_step*, uint64_t, uint64_t, uint32_t) { return 0; "
             "}\n"
             "int main(int count, char** words) {}\n"
             "const int done = (ricercar_register_priority(NAME, none, nullptr), 0);\n");
  for (const std::string name : {"pb", "", "a+b"}) {
    ASSERT_EQ(tool({"c++", "-w", "-DNAME=\"" + name + "\"", "taken.cc", "-o", "taken"}).status, 0);
    expect(tool({"run", "./taken"}), usage,
           {"registers a priority '" + name + "'", "not possible"});
  }
}

TEST_F(Run, WantsDebugInformationForNames) {
  const std::string source = std::string(RICERCAR_TESTS) + "/priorities/two_sections.cc";
  ASSERT_EQ(tool({"c++", "-std=c++20", "-g0", source, "-o", "without"}).status, 0);
  expect(tool({"run", "-s", by_priority("method=pop"), "./without"}), usage,
         {"no debug information", "-g"});
}

TEST_F(Run, SuggestsTheNearestOption) {
  const std::string path = program(correct);
  expect(tool({"run", "--stratgy", "dfs", path}), usage, {"--stratgy", "--strategy"});
  expect(tool({"run", "--points", "memry", path}), usage, {"memry", "memory"});
}

TEST_F(Run, SuggestsTheNearestCommand) {
  expect(tool({"rnu", "./program"}), usage, {"rnu", "run"});
}

TEST_F(Run, RefusesNumbersThatAreNone) {
  const std::string path = program(correct);
  expect(tool({"run", "--executions", "none", path}), usage, {"--executions", "none"});
  expect(tool({"run", "--executions", "0", path}), usage, {"--executions", "0"});
  expect(tool({"run", "--time", "-1", path}), usage, {"--time", "-1"});
  expect(tool({"run", "--seed", "x", path}), usage, {"--seed", "x"});
}

// --- Where the results go ---

TEST_F(Run, RefusesAnOutputFolderThatIsAFile) {
  const std::string path = program(correct);
  write_file(in_folder("occupied"), "");
  expect(tool({"run", "--out", "occupied", path}), usage, {"occupied", "--out"});
  expect(tool({"run", "--out", "occupied/below", path}), usage, {"occupied/below", "--out"});
}

TEST_F(Run, SaysThatTheSummaryDoesNotFitOnTheDisk) {
  const std::string path = program(correct);
  expect(tool({"run", "--executions", "10", "--json", "/dev/full", path}), usage,
         {"/dev/full", "No space left"});
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

TEST_F(Run, WritesTheSummaryToADevice) {
  const std::string path = program(correct);
  expect(tool({"run", "--executions", "10", "--json", "/dev/null", path}), no_bug, {});
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(Run, RefusesASummaryInAFolderThatIsNotThere) {
  const std::string path = program(correct);
  expect(tool({"run", "--executions", "10", "--json", "no/folder/summary.json", path}), usage,
         {"no/folder/summary.json"});
}

// A process that is not there any more left a file of executions that waited.
TEST_F(Run, TellsWhatASearchThatWasKilledHasLost) {
  const std::string path = program(correct);
  fs::create_directories(in_folder("out"));
  const std::string left = in_folder("out") + "/waiting-999999999.tmp";
  write_file(left, std::string(1200, 'x'));
  const std::string alive = in_folder("out") + "/waiting-1.tmp";
  write_file(alive, "y");
  expect(tool({"run", "--out", "out", path}), 0,
         {"an earlier search was killed", "1200 bytes", "begins from the start"});
  EXPECT_FALSE(fs::exists(left));
  EXPECT_TRUE(fs::exists(alive));
}

TEST_F(Run, SaysThatWhatWaitsDoesNotFitOnTheDisk) {
  const TinyDisk disk(in_folder("disk"));
  if (!disk.is_there()) GTEST_SKIP() << "only root may mount a small file system";
  const std::string path = program("bad_input/many_waiting.cc");
  expect(tool({"run", "--out", "disk", "--memory", "1K", "--executions", "100000", "--strategy",
               "bestfirst:space=all,priority=rand", path}),
         usage, {"No space left on device", "--memory"});
}

TEST_F(Run, RefusesASizeThatIsNone) {
  const std::string path = program(correct);
  for (const std::string size : {"12x", "0", "-1M", "M", "99999999999G"}) {
    expect(tool({"run", "--memory", size, path}), usage, {"--memory", "64M", size});
  }
}

TEST_F(Run, ReportsABugWhenTheDiskIsFull) {
  const TinyDisk disk(in_folder("disk"));
  if (!disk.is_there()) GTEST_SKIP() << "only root may mount a small file system";
  expect(tool({"run", "--out", "disk/out", program(deadlocks)}), bug,
         {"deadlock", "No space left", "disk/out/bug-1.json"});
}

TEST_F(Run, FindsABugThoughNobodyReadsTheReport) {
  Command line = command({"run", program(deadlocks)});
  line.output_file = "/dev/full";
  EXPECT_EQ(run(line).status, bug);
}

// --- What the program does ---

TEST_F(Run, GoesOnWhenTheProgramClosesItsOutput) {
  const std::string path = program("bad_input/closes_output.cc");
  expect(tool({"run", "--executions", "500", path}), no_bug, {"no bug found"});
}

TEST_F(Run, KeepsAFloodOfOutputOutOfTheReport) {
  const std::string path = program("bad_input/floods_output.cc");
  const Finished finished = tool({"run", "--executions", "20", path});
  EXPECT_EQ(finished.status, bug) << finished.error;
  EXPECT_NE(finished.output.find("assertion"), std::string::npos);
  EXPECT_LT(finished.output.size() + finished.error.size(), std::size_t{1} << 18);
}

TEST_F(Run, NamesAForkInTheProgram) {
  expect(tool({"run", program("bad_input/forks.cc")}), usage,
         {"fork()", "forks.cc:", "one process"});
}

TEST_F(Run, NamesAnExecInTheProgram) {
  expect(tool({"run", program("bad_input/executes.cc")}), usage, {"execl()", "one process"});
}

TEST_F(Run, ReportsAStackOverflowOfAThread) {
  const std::string path = program("programs/bug/crash/stack_overflow.cc");
  expect(tool({"run", path}), bug, {"crash", "stack overflow", "T1"});
}

// --- When it ends ---

// A loaded machine may be slow once, but not three times.
template <typename Attempt>
void expect_within(double seconds, Attempt attempt) {
  Finished finished;
  for (int i = 0; i < 3; ++i) {
    finished = attempt();
    if (!finished.timed_out && finished.seconds < seconds) return;
  }
  ADD_FAILURE() << "took " << finished.seconds << " s";
}

TEST_F(Run, KeepsItsTimeLimit) {
  const std::string path = program(correct);
  expect_within(4, [&] {
    const Finished finished = tool({"run", "--strategy", "random", "--time", "2", path});
    expect(finished, no_bug, {"no bug found"});
    return finished;
  });
}

TEST_F(Run, KeepsItsTimeLimitWhenTheLastExecutionNeverEnds) {
  const std::string path = program("programs/bug/hang/endless_loop.cc");
  expect_within(4, [&] {
    const Finished finished = tool({"run", "--time", "2", path});
    expect(finished, no_bug, {"no bug found"});
    EXPECT_EQ(finished.output.find("nothing is left"), std::string::npos) << last();
    return finished;
  });
}

TEST_F(Run, KeepsItsTimeLimitWhenAnExecutionNeverEnds) {
  const std::string path = program("bad_input/never_ends.cc");
  expect_within(4, [&] {
    const Finished finished = tool({"run", "--time", "2", path});
    expect(finished, usage, {"no execution", "never_ends", "2 seconds", "--time"});
    return finished;
  });
}

Finished interrupt(const Command& line, bool whole_group) {
  Process process(line);
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  whole_group ? process.signal_group(SIGINT) : process.signal(SIGINT);
  return process.wait();
}

TEST_F(Run, PrintsItsSummaryWhenItIsInterrupted) {
  const Command line =
      command({"run", "--strategy", "random", "--executions", "1000000000", program(correct)});
  for (const bool whole_group : {false, true}) {
    const Finished finished = interrupt(line, whole_group);
    EXPECT_LT(finished.seconds, 60);
    expect(finished, interrupted, {"interruption", "executions", "random"});
  }
}

TEST_F(Run, PrintsItsBugsWhenItIsInterrupted) {
  const Command line = command({"run", "--keep-going", "--strategy", "random", "--executions",
                                "1000000000", program(deadlocks)});
  expect(interrupt(line, true), bug, {"deadlock", "1 bug found"});
}

TEST_F(Run, ObeysAnInterruptionWhileAnExecutionNeverEnds) {
  const std::string path = program("bad_input/never_ends.cc");
  const Finished finished = interrupt(command({"run", path}), true);
  EXPECT_EQ(finished.status, interrupted) << finished.output << finished.error;
  EXPECT_LT(finished.seconds, 9);
}

// --- What is replayed ---

class Replay : public ToolTest {
 protected:
  // A schedule that was found in a program, in its own folder.
  static std::string schedule() {
    const std::string path = in_folder("out/bug-1.json");
    if (!fs::exists(path)) {
      EXPECT_EQ(
          tool({"run", "--quiet", "--json", "summary.json", "--out", "out", program(deadlocks)})
              .status,
          bug)
          << last();
    }
    return path;
  }

  static std::string changed(const std::string& name, const std::string& text) {
    write_file(in_folder(name), text);
    return name;
  }
};

TEST_F(Replay, ShowsTheRecordedBug) { expect(tool({"replay", schedule()}), bug, {"deadlock"}); }

TEST_F(Replay, RefusesAFileThatIsNotThere) {
  expect(tool({"replay", "nowhere.json"}), usage, {"nowhere.json", "No such file"});
}

TEST_F(Replay, WantsAFile) { expect(tool({"replay"}), usage, {"FILE"}); }

TEST_F(Replay, RefusesAnEmptyFile) {
  expect(tool({"replay", changed("empty.json", "")}), usage, {"empty.json", "empty"});
}

TEST_F(Replay, RefusesATruncatedFile) {
  const std::string text = read_file(schedule());
  for (const std::size_t size : {text.size() - 3, text.size() / 2, std::size_t{60}}) {
    expect(tool({"replay", changed("cut.json", text.substr(0, size))}), usage,
           {"cut.json", "damaged"});
  }
}

TEST_F(Replay, RefusesADamagedFile) {
  std::string text = read_file(schedule());
  const std::size_t decisions = text.find("\"decisions\"");
  ASSERT_NE(decisions, std::string::npos);
  char& letter = text[text.find(':', decisions) + 4];
  letter = letter == 'A' ? 'B' : 'A';
  expect(tool({"replay", changed("damaged.json", text)}), usage, {"damaged.json", "damaged"});
}

TEST_F(Replay, RefusesAForeignFile) {
  expect(tool({"replay", changed("foreign.json", "{\"name\": 1}")}), usage,
         {"not a Ricercar schedule"});
  expect(tool({"replay", changed("foreign.txt", "some text\n")}), usage,
         {"not a Ricercar schedule"});
  expect(tool({"replay", changed("array.json", "[1, 2]")}), usage, {"not a Ricercar schedule"});
  expect(tool({"replay", "/bin/true"}), usage, {"/bin/true"});
}

TEST_F(Replay, RefusesTheSummaryOfARun) {
  schedule();
  expect(tool({"replay", "summary.json"}), usage, {"summary", "not a schedule"});
}

TEST_F(Replay, RefusesAScheduleOfAnotherVersion) {
  std::string text = read_file(schedule());
  const std::string schema = "ricercar.schedule/1";
  ASSERT_NE(text.find(schema), std::string::npos);
  text.replace(text.find(schema), schema.size(), "ricercar.schedule/9");
  expect(tool({"replay", changed("newer.json", text)}), usage, {"another version"});
}

TEST_F(Replay, RefusesAScheduleOfAnotherBuild) {
  const std::string recorded = schedule();
  const std::string source = std::string(RICERCAR_TESTS) + "/" + deadlocks;
  ASSERT_EQ(tool({"c++", "-std=c++20", "-O2", source, "-o", "other_build"}).status, 0);
  expect(tool({"replay", "--program", "./other_build", recorded}), usage,
         {"another build", "other_build"});
}

TEST_F(Replay, RefusesAScheduleOfAProgramThatIsGone) {
  const std::string recorded = schedule();
  fs::rename(in_folder("ab_ba"), in_folder("moved"));
  expect(tool({"replay", recorded}), usage, {"there is no program", "ab_ba"});
  expect(tool({"replay", "--quiet", "--program", "./moved", recorded}), bug, {});
  fs::rename(in_folder("moved"), in_folder("ab_ba"));
}

TEST_F(Replay, RefusesAnUnknownBackend) {
  expect(tool({"replay", "--backend", "process", schedule()}), usage, {"process", "threads"});
}

TEST_F(Replay, RefusesAnUnknownOption) {
  expect(tool({"replay", "--times=x", schedule()}), usage, {"times", "x"});
  expect(tool({"replay", "--quite", schedule()}), usage, {"--quite", "--quiet"});
}

TEST(Show, RefusesWhatReplayRefuses) {
  const Finished finished = run({{RICERCAR_TOOL, "show", "nowhere.json"}});
  EXPECT_EQ(finished.status, usage);
  EXPECT_NE(finished.error.find("nowhere.json"), std::string::npos);
}

}  // namespace
}  // namespace ricercar::test
