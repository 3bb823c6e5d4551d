// The tool as a user meets it: compiles small programs under control, runs them, and looks at exit
// statuses, messages and files.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

struct Answer {
  int status = -1;
  std::string out;
  std::string error;

  bool says(const std::string& text) const {
    return out.find(text) != std::string::npos || error.find(text) != std::string::npos;
  }
};

std::ostream& operator<<(std::ostream& stream, const Answer& answer) {
  return stream << "status " << answer.status << "\n" << answer.out << answer.error;
}

std::string content_of(const fs::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

constexpr const char* deadlock_source = R"(
#include <mutex>
#include <thread>
std::mutex a, b;
int main() {
  std::thread one([] { std::scoped_lock first(a); std::scoped_lock second(b); });
  std::thread two([] { std::scoped_lock first(b); std::scoped_lock second(a); });
  one.join();
  two.join();
}
)";

constexpr const char* correct_source = R"(
#include <mutex>
#include <thread>
std::mutex mutex;
int counter = 0;
void add() { std::scoped_lock lock(mutex); ++counter; }
int main() {
  std::thread one(add), two(add);
  one.join();
  two.join();
  return counter == 2 ? 0 : 1;
}
)";

// Fails if its input or its arguments are not what they should be.
constexpr const char* reader_source = R"(
#include <cassert>
#include <cstdio>
#include <cstring>
int main(int argc, char** argv) {
  char line[100] = "";
  assert(std::fgets(line, sizeof line, stdin) != nullptr);
  assert(std::strcmp(line, "hello\n") == 0);
  assert(argc == 3 && std::strcmp(argv[1], "--seed") == 0 && std::strcmp(argv[2], "a b") == 0);
}
)";

constexpr const char* talker_source = R"(
#include <cassert>
#include <cstdio>
#include <thread>
int main() {
  for (int i = 0; i < 1000; ++i) std::printf("line %d\n", i);
  std::fflush(stdout);
  std::thread other([] {});
  other.join();
  assert(false && "on purpose");
}
)";

class Tool : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = fs::temp_directory_path() / ("ricercar-tool-" + std::to_string(::getpid()));
    fs::create_directories(folder_);
    compile("deadlock", deadlock_source);
    compile("correct", correct_source);
    compile("reader", reader_source);
    compile("talker", talker_source);
  }
  static void TearDownTestSuite() { fs::remove_all(folder_); }

  static void compile(const std::string& name, const std::string& source,
                      const std::string& options = "-g -std=c++20") {
    std::ofstream(folder_ / (name + ".cc")) << source;
    const Answer answer = tool("c++ " + options + " " + name + ".cc -o " + name);
    EXPECT_EQ(answer.status, 0) << answer;
  }

  // Runs a command line of a shell in the folder of the tests.
  static Answer shell(const std::string& command) {
    const std::string line =
        "cd " + folder_.string() + " && { " + command + "; } >out.txt 2>error.txt </dev/null";
    const int status = std::system(line.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
            content_of(folder_ / "out.txt"), content_of(folder_ / "error.txt")};
  }
  static Answer tool(const std::string& arguments) { return shell(TOOL " " + arguments); }

  static void make_bug() {
    const Answer answer = tool("run ./deadlock");
    ASSERT_EQ(answer.status, 1) << answer;
  }

  static fs::path folder_;
};
fs::path Tool::folder_;

TEST_F(Tool, FindsExplainsAndSavesABug) {
  const Answer answer = tool("run ./deadlock");
  EXPECT_EQ(answer.status, 1) << answer;
  EXPECT_NE(answer.out.find("deadlock: T"), std::string::npos) << answer;
  EXPECT_TRUE(answer.says("holds `a` and waits for `b`")) << answer;
  EXPECT_TRUE(answer.says("ricercar replay ricercar-out/bug-1.json")) << answer;
  EXPECT_TRUE(answer.says("1 bug found")) << answer;
  EXPECT_EQ(answer.error, "") << "progress belongs on a terminal only";
  EXPECT_TRUE(fs::exists(folder_ / "ricercar-out/bug-1.json"));
  EXPECT_EQ(content_of(folder_ / "ricercar-out/bug-1.txt").find("deadlock: T"), 0U);
}

TEST_F(Tool, PassesACorrectProgram) {
  const Answer answer = tool("run --executions 500 ./correct");
  EXPECT_EQ(answer.status, 0) << answer;
  EXPECT_TRUE(answer.says("no bug found")) << answer;
}

TEST_F(Tool, PrintsNothingButJsonIfAskedTo) {
  const Answer answer = tool("run --json - ./deadlock");
  EXPECT_EQ(answer.status, 1) << answer;
  const Json json = Json::parse(answer.out);
  EXPECT_EQ(json.at("schema"), "ricercar.run/1");
  EXPECT_EQ(json.at("program"), "./deadlock");
  EXPECT_EQ(json.at("seed"), 1);
  EXPECT_GT(json.at("executions"), 0);
  EXPECT_GT(json.at("steps"), 0);
  EXPECT_FALSE(json.at("complete"));
  ASSERT_EQ(json.at("bugs").size(), 1U);
  const Json& bug = json.at("bugs")[0];
  EXPECT_EQ(bug.at("kind"), "deadlock");
  EXPECT_EQ(bug.at("schedule"), "ricercar-out/bug-1.json");
  EXPECT_TRUE(bug.at("confirmed"));
  EXPECT_TRUE(answer.error.starts_with("deadlock: ")) << "the report goes to standard error";
}

TEST_F(Tool, GivesTheSameBytesTwice) {
  const auto run = [] {
    const Answer answer = tool("run --strategy random --seed 7 --json summary.json ./deadlock");
    EXPECT_EQ(answer.status, 1) << answer;
    Json json = Json::parse(content_of(folder_ / "summary.json"));
    json.erase("seconds");
    return json.dump() + content_of(folder_ / "ricercar-out/bug-1.json") +
           content_of(folder_ / "ricercar-out/bug-1.txt");
  };
  EXPECT_EQ(run(), run());
}

TEST_F(Tool, IsQuietIfAskedTo) {
  EXPECT_EQ(tool("run --quiet --executions 10 ./correct").out, "");
  const Answer answer = tool("run --quiet ./deadlock");
  EXPECT_EQ(std::count(answer.out.begin(), answer.out.end(), '\n'), 2) << answer;
}

TEST_F(Tool, ReplaysABugAgainAndAgain) {
  make_bug();
  const Answer once = tool("replay ricercar-out/bug-1.json");
  EXPECT_EQ(once.status, 1) << once;
  EXPECT_TRUE(once.says("deadlock: T")) << once;
  const Answer often = tool("replay -n 20 ricercar-out/bug-1.json");
  EXPECT_EQ(often.status, 1) << often;
  EXPECT_TRUE(often.says("20 of 20 replays showed the bug (deadlock) on the same trace")) << often;
  EXPECT_EQ(tool("replay --quiet ricercar-out/bug-1.json").out, "");
}

TEST_F(Tool, ReplaysOnRealThreads) {
  make_bug();
  const Answer answer = tool("replay --backend=threads ricercar-out/bug-1.json");
  EXPECT_EQ(answer.status, 1) << answer;
  EXPECT_EQ(tool("replay --backend=threds ricercar-out/bug-1.json").status, 2);
}

TEST_F(Tool, StopsInTheDebuggerBeforeTheBug) {
  make_bug();
  const Answer answer =
      shell("printf 'continue\\nkill\\nquit\\n' | " TOOL " replay --gdb ricercar-out/bug-1.json");
  EXPECT_TRUE(answer.says("SIGTRAP")) << answer;
  EXPECT_TRUE(answer.says("thread 1 (T0): main at deadlock.cc:")) << answer;
  EXPECT_TRUE(answer.says("ricercar: the bug shows here")) << answer;
}

TEST_F(Tool, ExplainsASchedule) {
  make_bug();
  const Answer answer = tool("show ricercar-out/bug-1.json");
  EXPECT_EQ(answer.status, 0) << answer;
  EXPECT_EQ(answer.out, content_of(folder_ / "ricercar-out/bug-1.txt"));
}

TEST_F(Tool, ExplainsAScheduleWhoseProgramHasGone) {
  make_bug();
  fs::rename(folder_ / "deadlock", folder_ / "elsewhere");
  const Answer shown = tool("show ricercar-out/bug-1.json");
  EXPECT_EQ(shown.status, 0) << shown;
  EXPECT_TRUE(shown.error.find("there is no program") != std::string::npos) << shown;
  EXPECT_EQ(shown.out, content_of(folder_ / "ricercar-out/bug-1.txt"));
  EXPECT_EQ(tool("replay ricercar-out/bug-1.json").status, 2);
  const Answer moved = tool("replay --program ./elsewhere ricercar-out/bug-1.json");
  EXPECT_EQ(moved.status, 1) << moved;
  fs::rename(folder_ / "elsewhere", folder_ / "deadlock");
}

TEST_F(Tool, RefusesAScheduleOfAnotherBuild) {
  make_bug();
  fs::copy_file(folder_ / "deadlock", folder_ / "deadlock.before");
  fs::copy_file(folder_ / "correct", folder_ / "deadlock", fs::copy_options::overwrite_existing);
  const Answer answer = tool("replay ricercar-out/bug-1.json");
  EXPECT_EQ(answer.status, 2) << answer;
  EXPECT_TRUE(answer.says("another build")) << answer;
  EXPECT_TRUE(answer.says("recorded: ")) << answer;
  EXPECT_TRUE(answer.says("now:      ")) << answer;
  fs::rename(folder_ / "deadlock.before", folder_ / "deadlock");
}

TEST_F(Tool, RefusesBadSchedules) {
  make_bug();
  EXPECT_EQ(tool("replay nothing.json").status, 2);
  EXPECT_EQ(
      shell("head -c 200 ricercar-out/bug-1.json > cut.json; " TOOL " replay cut.json").status, 2);
  EXPECT_EQ(shell("echo '{}' > foreign.json; " TOOL " show foreign.json").status, 2);
  EXPECT_EQ(tool("replay deadlock").status, 2);
}

TEST_F(Tool, PassesInputAndArgumentsOn) {
  const std::string run = TOOL " run --executions 20 -- ./reader --seed 'a b'";
  const Answer by_pipe = shell("echo hello | " + run);
  EXPECT_EQ(by_pipe.status, 0) << by_pipe;
  const Answer by_file = shell("echo hello > input.txt; " + run + " < input.txt");
  EXPECT_EQ(by_file.status, 0) << by_file;
  EXPECT_EQ(shell("echo other | " + run).status, 1);
}

TEST_F(Tool, ShowsTheEndOfTheOutputOfTheFailure) {
  const Answer answer = tool("run --executions 5 ./talker");
  EXPECT_EQ(answer.status, 1) << answer;
  EXPECT_TRUE(answer.says("The end of the program's output")) << answer;
  EXPECT_TRUE(answer.says("  | line 999\n")) << answer;
  EXPECT_FALSE(answer.says("line 900\n")) << "twenty lines are enough";
  const Answer replayed = tool("replay ricercar-out/bug-1.json");
  EXPECT_TRUE(replayed.says("line 0\n")) << "a replay passes the output on";
}

TEST_F(Tool, RefusesProgramsThatItCannotControl) {
  const auto expect_refusal = [](const std::string& program, const std::string& words) {
    const Answer answer = tool("run " + program);
    EXPECT_EQ(answer.status, 2) << answer;
    EXPECT_TRUE(answer.says(words)) << answer;
  };
  shell(
      "g++ -std=c++20 correct.cc -o plain; printf '#!/bin/sh\\n' > script; chmod +x script; "
      "echo 'int main(void) { return 0; }' > tiny.c; gcc -static tiny.c -o static; "
      "gcc -c tiny.c -o object; chmod +x object; touch data; cp correct set; chmod u+s set");
  expect_refusal("./plain", "was not compiled under control");
  expect_refusal("./plain", "ricercar c++ -g program.cc -o program");
  expect_refusal("./script", "is a script (for /bin/sh)");
  expect_refusal("./static", "is linked statically");
  expect_refusal("./object", "is an object file");
  expect_refusal("./data", "is not executable");
  expect_refusal("./set", "setuid");
  expect_refusal("./nothing", "there is no program");
  expect_refusal("./", "is a folder");
  expect_refusal("correct", "did you mean ./correct?");
  expect_refusal("", "name the program to run");
}

TEST_F(Tool, SuggestsStrategiesAndParameters) {
  EXPECT_TRUE(tool("run --strategy randm ./correct").says("did you mean 'random'?"));
  EXPECT_TRUE(tool("run --strategy pct:dpth=3 ./correct").says("did you mean 'depth'?"));
  EXPECT_EQ(tool("run --strategy pct:depth=x ./correct").status, 2);
}

TEST_F(Tool, NeedsAFolderThatItCanWriteTo) {
  const Answer answer = tool("run --out /dev/null/out ./deadlock");
  EXPECT_EQ(answer.status, 2) << answer;
  EXPECT_TRUE(answer.says("cannot make the folder")) << answer;
}

// The bug counts and is explained even where it cannot be saved.
TEST_F(Tool, ReportsABugThatItCannotSave) {
  fs::create_directories(folder_ / "blocked/bug-1.json");
  const Answer answer = tool("run --out blocked ./deadlock");
  EXPECT_EQ(answer.status, 1) << answer;
  EXPECT_TRUE(answer.says("cannot write 'blocked/bug-1.json'")) << answer;
  EXPECT_TRUE(answer.says("deadlock: T")) << answer;
  EXPECT_TRUE(answer.says("not saved")) << answer;
}

TEST_F(Tool, ReportsABugOnAFullDisk) {
  const Answer answer = shell(
      "mkdir -p full && unshare -m sh -c 'mount -t tmpfs -o size=4k none full && "
      "head -c 8192 /dev/zero > full/filler 2>/dev/null; " TOOL " run --out full ./deadlock'");
  if (answer.says("unshare") || answer.says("mount:")) GTEST_SKIP() << "no mounts here";
  EXPECT_EQ(answer.status, 1) << answer;
  EXPECT_TRUE(answer.says("No space left on device")) << answer;
  EXPECT_TRUE(answer.says("deadlock: T")) << answer;
}

TEST_F(Tool, PrintsTheSummaryWhenItIsInterrupted) {
  const Answer answer =
      shell(TOOL
            " run --time 100 --strategy random ./correct & pid=$!; sleep 1.5; kill -INT $pid; "
            "wait $pid");
  EXPECT_EQ(answer.status, 130) << answer;
  EXPECT_TRUE(answer.says("no bug found before the interruption")) << answer;
  EXPECT_TRUE(answer.says("explored")) << answer;
}

TEST_F(Tool, StopsAtTheTimeLimit) {
  const Answer answer = tool("run --time 1 --strategy random --json summary.json ./correct");
  EXPECT_EQ(answer.status, 0) << answer;
  const Json json = Json::parse(content_of(folder_ / "summary.json"));
  EXPECT_GT(json.at("executions"), 10000) << "only the time is limited";
  EXPECT_LT(json.at("seconds"), 5.0);
}

TEST_F(Tool, CompilesSeveralFilesAndC) {
  std::ofstream(folder_ / "one.cc") << "int two(); int main() { return two() - 2; }";
  std::ofstream(folder_ / "two.cc") << "int two() { return 2; }";
  EXPECT_EQ(tool("c++ one.cc two.cc -o both").status, 0);
  EXPECT_EQ(tool("run --executions 5 ./both").status, 0);
  std::ofstream(folder_ / "program.c") << "int main(void) { return 0; }";
  EXPECT_EQ(tool("cc program.c -o program").status, 0);
  EXPECT_EQ(tool("run --executions 5 ./program").status, 0);
  EXPECT_EQ(tool("c++ broken.cc -o broken").status, 1) << "the compiler's own status";
  EXPECT_EQ(tool("c++ -static one.cc two.cc").status, 2);
}

TEST_F(Tool, CompilesWithClang) {
  std::ofstream(folder_ / "with_clang.cc") << deadlock_source;
  const Answer compiled = tool("c++ --clang -g -std=c++20 with_clang.cc -o with_clang");
  EXPECT_EQ(compiled.status, 0) << compiled;
  EXPECT_EQ(compiled.error, "");
  const Answer answer = tool("run ./with_clang");
  EXPECT_EQ(answer.status, 1) << answer;
  EXPECT_TRUE(answer.says("holds `a` and waits for `b`")) << answer;
}

TEST_F(Tool, ListsTheStrategies) {
  const Answer answer = tool("strategies");
  EXPECT_EQ(answer.status, 0);
  EXPECT_TRUE(answer.says("random\n"));
  const Json json = Json::parse(tool("strategies --json").out);
  EXPECT_EQ(json.at("schema"), "ricercar.strategies/1");
  EXPECT_GE(json.at("strategies").size(), 4U);
}

}  // namespace
