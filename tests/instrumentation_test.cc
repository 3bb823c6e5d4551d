// Which code is instrumented: options that would remove it, code that was compiled by others, and
// what the tool says about it.
#include <nlohmann/json.hpp>

#include "support/tool.h"

namespace ricercar::test {
namespace {

using Json = nlohmann::json;

constexpr int no_bug = 0;
constexpr int bug = 1;
constexpr const char* headline = "no bug found in the code that is instrumented";

std::string source(const std::string& name) {
  return std::string(RICERCAR_TESTS) + "/instrumentation/" + name;
}

// With each compiler.
class Instrumentation : public ToolTest, public testing::WithParamInterface<const char*> {
 protected:
  static bool is_clang() { return std::string(GetParam()) == "clang"; }

  // `ricercar cc`: says what it said.
  static Finished compile(const Words& words) {
    Words all = {"cc"};
    if (is_clang()) all.emplace_back("--clang");
    all.insert(all.end(), words.begin(), words.end());
    const Finished finished = tool(all);
    EXPECT_EQ(finished.status, 0) << last();
    return finished;
  }

  // The compiler itself, as in a build that knows nothing of Ricercar.
  static void compile_plainly(const Words& words) {
    Command command;
    command.words = {is_clang() ? "/usr/bin/clang" : "/usr/bin/gcc"};
    command.words.insert(command.words.end(), words.begin(), words.end());
    command.folder = in_folder("");
    const Finished finished = run(command);
    ASSERT_EQ(finished.status, 0) << describe(command, finished);
  }

  static Json search(const std::string& program, const Words& arguments = {}) {
    Words words = {"run", "--strategy", "dfs", "--json", "summary.json", "--", program};
    words.insert(words.end(), arguments.begin(), arguments.end());
    said_ = tool(words);
    return Json::parse(read_file(in_folder("summary.json")));
  }

  // All of the code is instrumented, and everything has been explored.
  static void expect_complete(const std::string& program) {
    const Json summary = search(program);
    EXPECT_EQ(said_.status, no_bug) << last();
    EXPECT_TRUE(summary["complete"]) << last();
    EXPECT_EQ(summary["uninstrumented"].dump(), "[]") << last();
    EXPECT_NE(said_.output.find("nothing is left to explore"), std::string::npos) << last();
  }

  // Nothing is promised, and each of these words is said.
  static void expect_no_promise(const std::string& program, const Words& words,
                                const Words& arguments = {}) {
    const Json summary = search(program, arguments);
    EXPECT_FALSE(summary["complete"]) << last();
    EXPECT_NE(summary["uninstrumented"].dump(), "[]") << last();
    EXPECT_EQ(said_.output.find("nothing is left to explore"), std::string::npos) << last();
    Words all = words;
    all.insert(all.end(), {headline, "not instrumented: "});
    expect(said_, no_bug, all);
  }

  static inline Finished said_;
};

// --- Options ---

TEST_P(Instrumentation, StaysWhateverTheOptionsSay) {
  const Words options = {"-flto",
                         "-flto=auto",
                         "-ffat-lto-objects",
                         "-fno-sanitize=thread",
                         "-fno-sanitize=all",
                         "-fno-sanitize=undefined,thread"};
  for (const std::string& option : options) {
    if (is_clang() && option == "-flto=auto") continue;
    compile({"-O2", source("lost_update.c"), option, "-o", "lost_update"});
    expect(tool({"run", "--quiet", "./lost_update"}), bug, {"assertion"});
  }
}

TEST_P(Instrumentation, SaysWhichOptionIsLeftOut) {
  const Finished finished = compile({"-flto", "-c", source("sum.c"), "-o", "sum.o"});
  expect(finished, 0, {"note: -flto is left out"});
}

TEST_P(Instrumentation, StaysWhenTheOptionsAreInAFile) {
  write_file(in_folder("options"), "-O2 -flto\n-fno-sanitize=thread");
  compile({"@options", source("lost_update.c"), "-o", "lost_update"});
  expect(tool({"run", "--quiet", "./lost_update"}), bug, {"assertion"});
}

TEST_P(Instrumentation, StaysWhenCompilingAndLinkingAreTwoCommands) {
  compile({"-flto", "-O2", "-c", source("lost_update.c"), "-o", "lost_update.o"});
  compile({"-flto", "-O2", "lost_update.o", "-o", "lost_update"});
  expect(tool({"run", "--quiet", "./lost_update"}), bug, {"assertion"});
}

// --- Code that others compiled ---

TEST_P(Instrumentation, OfEveryFileFindsTheBug) {
  compile({source("uses_tally.c"), source("tally.c"), "-o", "seen"});
  expect(tool({"run", "./seen"}), bug, {"data race", "tally.c"});
}

TEST_P(Instrumentation, IsMissedInAPlainObject) {
  for (const Words& options : {Words{"-g"}, Words{"-O2"}, Words{"-O2", "-fvisibility=hidden"}}) {
    Words words = {"-c", source("tally.c"), "-o", "tally.o"};
    words.insert(words.end(), options.begin(), options.end());
    compile_plainly(words);
    const Finished linked = compile({source("uses_tally.c"), "tally.o", "-o", "plain_object"});
    expect(linked, 0, {"not instrumented", "tally.c"});
    expect_no_promise("./plain_object", {"tally.c"});
  }
}

TEST_P(Instrumentation, IsMissedInAStrippedObject) {
  compile_plainly({"-O2", "-c", source("tally.c"), "-o", "vendor.o"});
  Command strip;
  strip.words = {"/usr/bin/strip", "--strip-unneeded", "vendor.o"};
  strip.folder = in_folder("");
  ASSERT_EQ(run(strip).status, 0);
  compile({source("uses_tally.c"), "vendor.o", "-o", "vendor"});
  expect_no_promise("./vendor", {"the function tally"});
}

TEST_P(Instrumentation, IsMissedInAPlainArchive) {
  compile_plainly({"-O2", "-g", "-c", source("tally.c"), "-o", "tally.o"});
  Command archive;
  archive.words = {"/usr/bin/ar", "rcs", "libtally.a", "tally.o"};
  archive.folder = in_folder("");
  ASSERT_EQ(run(archive).status, 0);
  compile({source("uses_tally.c"), "libtally.a", "-o", "plain_archive"});
  expect_no_promise("./plain_archive", {"tally.c"});
}

TEST_P(Instrumentation, IsMissedInAPlainSharedLibrary) {
  for (const char* option : {"-g", "-s"}) {
    compile_plainly({"-shared", "-fPIC", option, source("tally.c"), "-o", "libtally.so"});
    compile({source("uses_tally.c"), "-L.", "-ltally", "-Wl,-rpath,.", "-o", "plain_library"});
    expect_no_promise("./plain_library", {"libtally.so"});
  }
}

TEST_P(Instrumentation, IsMissedInAPartOfASharedLibrary) {
  compile_plainly({"-fPIC", "-c", source("tally.c"), "-o", "tally.o"});
  compile({"-shared", "-fPIC", source("sum.c"), "tally.o", "-o", "libtally.so"});
  compile({source("uses_tally.c"), "-L.", "-ltally", "-Wl,-rpath,.", "-o", "part"});
  expect_no_promise("./part", {"tally.c (libtally.so)"});
}

TEST_P(Instrumentation, IsMissedInALibraryThatIsLoadedLate) {
  compile_plainly({"-shared", "-fPIC", source("tally.c"), "-o", "libtally.so"});
  compile({source("loads_tally.c"), "-o", "late"});
  expect_no_promise("./late", {"tally.c (libtally.so)"});
  expect_no_promise("./late", {"tally.c (libtally.so)"}, {"close"});
}

TEST_P(Instrumentation, IsLostInObjectsOfLinkTimeOptimisation) {
  const char* linker = is_clang() ? "-fuse-ld=lld" : "-fuse-ld=bfd";
  if (is_clang() && !std::filesystem::exists("/usr/bin/ld.lld")) {
    GTEST_SKIP() << "there is no linker for clang's";
  }
  compile_plainly({"-O2", "-flto", "-c", source("tally.c"), "-o", "tally.o"});
  compile({"-O2", source("uses_tally.c"), "tally.o", linker, "-o", "foreign"});
  expect_no_promise("./foreign", {"link-time optimisation"});
  compile_plainly({"-O2", "-g", "-flto", "-c", source("tally.c"), "-o", "tally.o"});
  compile({"-O2", source("uses_tally.c"), "tally.o", linker, "-o", "foreign"});
  expect_no_promise("./foreign", {"tally.c"});
}

TEST_P(Instrumentation, IsNotKnownOfAStrippedProgram) {
  compile({source("uses_event.c"), source("event.c"), "-s", "-o", "stripped"});
  expect_no_promise("./stripped", {"symbols were removed"});
}

TEST_P(Instrumentation, DoesNotMatterWithOneThread) {
  compile_plainly({"-c", source("tally.c"), "-o", "tally.o"});
  compile({source("alone.c"), "tally.o", "-o", "alone"});
  const Json summary = search("./alone");
  EXPECT_TRUE(summary["complete"]) << last();
  EXPECT_NE(summary["uninstrumented"].dump().find("tally.c"), std::string::npos) << last();
}

TEST_P(Instrumentation, IsNotWantedOfAFileThatSaysSo) {
  compile_plainly({"-I", std::string(RICERCAR_TESTS) + "/../include", "-include",
                   "ricercar/outside.h", "-c", source("tally.c"), "-o", "tally.o"});
  compile({source("uses_tally.c"), "tally.o", "-o", "outside"});
  expect_complete("./outside");
}

// --- No false warnings ---

TEST_P(Instrumentation, IsNotMissedInDataAssemblyAndWhatTheCompilerLinks) {
  for (const char* option : {"-O0", "-O2"}) {
    compile_plainly({"-g", "-c", source("table.c"), "-o", "table.o"});
    const Finished linked = compile({option, source("uses_data.c"), source("sum.c"), "table.o",
                                     source("product.s"), "-static-libgcc", "-o", "uses_data"});
    EXPECT_EQ(linked.error.find("instrumented"), std::string::npos) << last();
    expect_complete("./uses_data");
  }
}

// --- The order that a library makes by a futex ---

TEST_P(Instrumentation, IsNotNeededToSeeTheOrderOfAFutex) {
  compile_plainly({"-c", source("event.c"), "-o", "event.o"});
  compile({source("uses_event.c"), "event.o", "-o", "uses_event"});
  expect_no_promise("./uses_event", {"event.c"});
}

// --- Races that may be none ---

TEST_P(Instrumentation, OfALibraryBetweenTheAccessesIsMissedInTheReport) {
  compile_plainly({"-shared", "-fPIC", source("gate.c"), "-o", "libgate.so"});
  compile({source("uses_gate.c"), "-L.", "-lgate", "-Wl,-rpath,.", "-o", "uses_gate"});
  expect(tool({"run", "./uses_gate"}), bug,
         {"data race", "libgate.so is not instrumented", "--suppressions", "race:libgate.so"});
}

TEST_P(Instrumentation, OfAFileOfTheProgramIsMissedInTheReport) {
  compile_plainly({"-c", source("gate.c"), "-o", "gate.o"});
  compile({source("uses_gate.c"), "gate.o", "-o", "own_gate"});
  expect(tool({"run", "./own_gate"}), bug,
         {"data race", "gate.c is not instrumented", "race:gate.c"});
}

TEST_P(Instrumentation, OfAllCodeLeavesNoDoubtInTheReport) {
  compile({source("uses_tally.c"), source("tally.c"), "-o", "seen"});
  const Finished finished = tool({"run", "./seen"});
  EXPECT_EQ(finished.output.find("--suppressions"), std::string::npos) << last();
  compile({source("uses_gate.c"), source("gate.c"), "-o", "seen_gate"});
  expect_complete("./seen_gate");
}

TEST_P(Instrumentation, AtomicInstructionsInInlineAssemblyAreNamed) {
  for (const char* level : {"-O0", "-O2"}) {
    const Finished linked = compile({"-g", level, source("exchange.c"), "-o", "exchange"});
    EXPECT_NE(linked.error.find("atomic instructions in inline assembly at exchange.c:9"),
              std::string::npos)
        << last();
    const Json summary = search("./exchange");
    EXPECT_FALSE(summary["complete"]) << last();
    EXPECT_EQ(summary["uninstrumented"][0]["assembly"], Json({"exchange.c:9"})) << last();
    EXPECT_NE(said_.output.find("take the compiler's atomics"), std::string::npos) << last();
  }
}

TEST_P(Instrumentation, OfAllCodeIsNeededToSayThatNothingLiesPastARace) {
  compile({"-g", source("racy_exchange.c"), "-o", "racy_exchange"});
  const Json summary = search("./racy_exchange");
  EXPECT_EQ(said_.status, bug) << last();
  const Json past = summary["bugs"].at(0)["details"].value("past_race", Json::object());
  EXPECT_GT(past.value("executions", 0), 1) << last();
  EXPECT_FALSE(past.value("complete", true)) << last();
  EXPECT_EQ(said_.output.find("in all "), std::string::npos) << last();
}

INSTANTIATE_TEST_SUITE_P(WithEachCompiler, Instrumentation, testing::Values("gcc", "clang"),
                         [](const auto& compiler) { return std::string(compiler.param); });

}  // namespace
}  // namespace ricercar::test
