// Files of learned sets as a user meets them: shown, merged, and refused with a message that says
// what is wrong.
#include <filesystem>

#include "support/tool.h"

namespace ricercar::test {
namespace {

namespace fs = std::filesystem;

constexpr int usage = 2;

constexpr const char* correct = "bad_input/correct.cc";
constexpr const char* queue_checksum = "abbac91d0960fec8";

class Sets : public ToolTest {
 protected:
  // Files of sets of a queue and a stack, written by hand as the tool writes them.
  void SetUp() override {
    write_file(in_folder("queue.sets"), sets_of("queue", queue_checksum));
    write_file(in_folder("stack.sets"), sets_of("stack", "2823c1df6179d79a"));
  }

  static std::string sets_of(const std::string& program, const std::string& checksum) {
    return "ricercar.hapset/1\nprogram " + program +
           "\ncontext 5\nexecutions 2\nstatements 2\n0 gone.cc:4\n1 gone.cc:9\npairs 2\n"
           "0 1 l 3 1\n1 0 r 0 0\nadded 2\n1 0\nchecksum " +
           checksum + "\n";
  }
};

TEST_F(Sets, AreShownThoughTheirSourcesAreGone) {
  expect(tool({"hapset", "show", "queue.sets"}), 0,
         {"queue: 1 pair of statements seen, 1 more looks possible", "gone.cc", "another folder",
          "their pairs are kept"});
}

TEST_F(Sets, OfTwoProgramsAreMergedByForce) {
  const Words merge = {"hapset", "merge", "queue.sets", "stack.sets", "-o", "both.sets"};
  expect(tool(merge), usage, {"stack.sets", "'queue' and 'stack'", "--force"});
  EXPECT_FALSE(fs::exists(in_folder("both.sets")));
  Words forced = merge;
  forced.push_back("--force");
  expect(tool(forced), 0, {});
  expect(tool({"hapset", "show", "both.sets"}), 0, {"queue: 1 pair"});
}

TEST_F(Sets, ThatAreDamagedAreRefused) {
  write_file(in_folder("changed.sets"), sets_of("queve", queue_checksum));
  write_file(in_folder("cut.sets"), sets_of("queue", "").substr(0, 60));
  write_file(in_folder("newer.sets"), "ricercar.hapset/2\n");
  write_file(in_folder("empty.sets"), "");
  expect(tool({"hapset", "show", "changed.sets"}), usage, {"changed.sets", "check sum"});
  expect(tool({"hapset", "show", "cut.sets"}), usage, {"cut.sets", "it ends at line 5"});
  expect(tool({"hapset", "show", "newer.sets"}), usage, {"newer.sets", "another version"});
  expect(tool({"hapset", "show", "empty.sets"}), usage, {"empty.sets", "is empty"});
  expect(tool({"hapset", "show", RICERCAR_TOOL}), usage, {"is not a file of learned sets"});
  expect(tool({"hapset", "show", "."}), usage, {"'.'", "directory"});
  expect(tool({"hapset", "show", "nowhere"}), usage, {"nowhere", "No such file"});
}

TEST_F(Sets, ThatDoNotFitOnTheDiskAreNamed) {
  expect(tool({"hapset", "merge", "queue.sets", "queue.sets", "-o", "/dev/full"}), usage,
         {"/dev/full", "No space left", "make room"});
}

TEST_F(Sets, NeedAStrategyThatLearns) {
  const std::string path = program(correct);
  expect(tool({"run", "--hapset", "queue.sets", path}), usage,
         {"--hapset needs a strategy that learns pairs", "hapset", "priority=hapset"});
  expect(tool({"run", "--strategy", "dpor", "--coverage", "c.html", path}), usage,
         {"--coverage needs a strategy that learns pairs"});
}

}  // namespace
}  // namespace ricercar::test
