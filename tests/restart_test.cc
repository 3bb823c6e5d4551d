// Programs that are made of several parts, in many executions: each must be as the first one.
#include "support/tool.h"

namespace ricercar::test {
namespace {

class Restart : public ToolTest {
 protected:
  static std::string source(const std::string& name) {
    return std::string(RICERCAR_TESTS) + "/restart/" + name;
  }

  static void compile(const Words& words) {
    Words all = {"cc", "-std=gnu11", "-O1"};
    all.insert(all.end(), words.begin(), words.end());
    ASSERT_EQ(tool(all).status, 0) << last();
  }

  static Words many_executions(const Words& program) {
    Words words = {"run", "--strategy", "random", "--executions", "300", "--out", "out"};
    words.insert(words.end(), program.begin(), program.end());
    return words;
  }
};

TEST_F(Restart, ALibraryWithASearchPathMayLookForWhatIsNotThere) {
  compile({"-shared", "-fPIC", source("plugin_user.c"), "-o", "libplugin_user.so",
           "-Wl,-rpath,/nowhere/at/all"});
  compile({source("looks_for_plugin.c"), "-o", "looks_for_plugin", "-L.", "-lplugin_user",
           "-Wl,-rpath," + in_folder("")});
  const Finished finished = tool(many_executions({"./looks_for_plugin"}));
  expect(finished, 0, {"no bug found", "300 executions"});
  EXPECT_EQ(finished.output.find("fork"), std::string::npos) << last();
}

TEST_F(Restart, ALibraryMayBeLoadedAndUnloadedInEachExecution) {
  compile({"-shared", "-fPIC", source("plugin.c"), "-o", "libplugin.so"});
  compile({source("loads_plugin.c"), "-o", "loads_plugin"});
  expect(tool(many_executions({"./loads_plugin", in_folder("libplugin.so")})), 0,
         {"no bug found", "300 executions", "each execution is a fork of its own"});
}

// What an execution leaves in a file decides in the next one, which nobody can put back.
TEST_F(Restart, AProgramThatDoesNotRepeatItselfIsToldWhatItDoesNow) {
  compile({source("counts_runs.c"), "-o", "counts_runs"});
  expect(tool({"run", "--strategy", "dfs", "--out", "out", "./counts_runs"}), 2,
         {"did not behave as before",
          "at step 11 there were 2 options to choose from, now there is nothing to decide",
          "The last step now: T0 joins", "counts_runs.c:22; then the execution ended"});
}

// Files are not put back, so the first execution may be the only one that does not see them.
class FirstRun : public Restart {
 protected:
  static Finished search(const std::string& what, const Words& options = {}) {
    compile({source("first_run.c"), "-o", "first_run"});
    std::filesystem::remove(in_folder("state"));
    Words words = {"run", "--strategy", "dfs", "--out", "out"};
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), {"--", "./first_run", what});
    return tool(words);
  }
};

TEST_F(FirstRun, ThatIsAnotherOneIsNotCounted) {
  for (const Words& options : {Words{}, Words{"--fork"}}) {
    expect(search("nothing", options), 0,
           {"no bug found, and nothing is left to explore", "every execution: 6",
            "the first execution made the file '", "state'", "began anew with the second"});
  }
}

TEST_F(FirstRun, ThatFailedIsExplained) {
  expect(search("assertion"), 3,
         {"not counted as a bug", "This first execution made the file '", "state'",
          "Files are not put back between executions"});
}

TEST_F(FirstRun, ThatFailedDoesNotHideABug) {
  for (const Words& options : {Words{}, Words{"--keep-going"}, Words{"--fork"}}) {
    expect(search("assertion, bug", options), 1,
           {"1 bug found", "not counted as a bug", "This first execution made the file '"});
  }
}

TEST_F(FirstRun, IsAsAllOthersIfTheFileIsThere) {
  search("nothing");
  const Finished again =
      tool({"run", "--strategy", "dfs", "--out", "out", "--", "./first_run", "nothing"});
  expect(again, 0, {"nothing is left to explore", "every execution: 6", "6 executions"});
  EXPECT_EQ(again.output.find("the first execution"), std::string::npos) << last();
}

TEST_F(Restart, AReplayThatDivergesSaysWhatDiffered) {
  compile({source("diverges.c"), "-o", "diverges"});
  write_file(in_folder("mode"), "1");
  expect(tool({"run", "--out", "out", "./diverges"}), 1, {"1 bug found"});
  expect(tool({"replay", "out/bug-1.json"}), 1, {"diverges.c"});
  write_file(in_folder("mode"), "2");
  expect(tool({"replay", "out/bug-1.json"}), 3,
         {"the replay left the recorded schedule at step ", "expected: T", " locks other at ",
          "diverges.c:18", "found:    T", " updates calls at ", "diverges.c:15"});
}

// Compiled once, without optimisation: it is one header of 18,000 lines.
TEST_F(Restart, ATestProgramWithTheMainOfCatch2Runs) {
  Command compile = command(
      {"c++", "--clang", "-std=c++20", "-O0", source("catch2_suite.cc"), "-o", "catch2_suite"});
  compile.timeout_seconds = 280;
  const Finished compiled = run(compile);
  ASSERT_EQ(compiled.status, 0) << describe(compile, compiled);
  expect(tool(many_executions({"./catch2_suite"})), 0, {"no bug found", "300 executions"});
}

}  // namespace
}  // namespace ricercar::test
