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
         {"did not behave as before", "now there is nothing to decide",
          "The last step now: T0 joins", "counts_runs.c:22"});
}

// Compiled once, without optimisation: it is one header of 18,000 lines.
TEST_F(Restart, ATestProgramWithTheMainOfCatch2Runs) {
  Command compile =
      command({"c++", "-std=c++20", "-O0", source("catch2_suite.cc"), "-o", "catch2_suite"});
  compile.timeout_seconds = 280;
  const Finished compiled = run(compile);
  ASSERT_EQ(compiled.status, 0) << describe(compile, compiled);
  expect(tool(many_executions({"./catch2_suite"})), 0, {"no bug found", "300 executions"});
}

}  // namespace
}  // namespace ricercar::test
