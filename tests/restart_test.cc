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

// What an execution leaves in a file past every hook decides in the next one.
TEST_F(Restart, AProgramThatDoesNotRepeatItselfIsToldWhatItDoesNow) {
  compile({source("counts_runs.c"), "-o", "counts_runs"});
  expect(tool({"run", "--strategy", "dfs", "--out", "out", "./counts_runs"}), 2,
         {"did not behave as before",
          "at step 11 there were 2 options to choose from, now there is nothing to decide",
          "The last step now: T0 joins", "counts_runs.c:22; then the execution ended"});
}

// Every execution, and every replay, finds the files as the first one did.
class Files : public Restart {
 protected:
  static Finished search(const std::string& how, const Words& options = {}) {
    Words words = {"run", "-n", "60", "--out", "out"};
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), {"--", "./changes_files", how});
    return tool(words);
  }
  static void make_files() {
    compile({source("changes_files.c"), "-o", "changes_files"});
    for (const char* made : {"made", "renamed", "new", "log", "table", "gone", "empty"}) {
      std::filesystem::remove_all(in_folder(made));
    }
    write_file(in_folder("log"), "one\n");
    write_file(in_folder("table"), "0123456789");
    write_file(in_folder("gone"), "still here\n");
    std::filesystem::permissions(in_folder("table"), std::filesystem::perms(0640));
    std::filesystem::create_directory(in_folder("empty"));
  }
  static void expect_as_before() {
    EXPECT_EQ(read_file(in_folder("log")), "one\n");
    EXPECT_EQ(read_file(in_folder("table")), "0123456789");
    EXPECT_EQ(read_file(in_folder("gone")), "still here\n");
    for (const char* made : {"made", "renamed", "new"}) {
      EXPECT_FALSE(std::filesystem::exists(in_folder(made))) << made;
    }
    EXPECT_TRUE(std::filesystem::exists(in_folder("empty")));
  }
};

TEST_F(Files, ArePutBackBeforeEveryExecutionAndAtTheEnd) {
  make_files();
  for (const Words& options : {Words{}, Words{"--fork"}, Words{"--strategy", "random"}}) {
    expect(search("", options), 0, {"no bug found", "60 executions"});
    expect_as_before();
  }
  expect(search("maps"), 0, {"no bug found", "60 executions", "each execution is a fork"});
  expect_as_before();
}

TEST_F(Files, ArePutBackAfterABugAndItsReplays) {
  make_files();
  expect(search("fails"), 1, {"1 bug found", "changes_files.c"});
  expect_as_before();
  expect(tool({"replay", "-n", "3", "out/bug-1.json"}), 1, {"3 of 3 replays showed the bug"});
  expect_as_before();
}

TEST_F(Files, ArePutBackByTheToolIfTheProcessIsGone) {
  make_files();
  expect(search("dies"), 1, {"1 bug found"});
  expect_as_before();
}

// What the first execution finds is what all of them find.
TEST_F(Restart, AFileThatAnExecutionMakesIsNotThereForTheNext) {
  compile({source("first_run.c"), "-o", "first_run"});
  std::filesystem::remove(in_folder("state"));
  const Words words = {"run", "--strategy", "dfs", "--out", "out", "--", "./first_run"};
  const auto search = [&](const std::string& what) {
    Words all = words;
    all.push_back(what);
    return tool(all);
  };
  expect(search("nothing"), 0, {"nothing is left to explore", "every execution: 1"});
  expect(search("assertion"), 1, {"1 bug found"});
  write_file(in_folder("state"), "");
  expect(search("nothing"), 0, {"nothing is left to explore", "every execution: 6"});
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
