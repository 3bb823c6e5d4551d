// The tool as a test sees it: a folder to work in, programs that are compiled there once, and the
// commands that are given. RICERCAR_TOOL and RICERCAR_TESTS are set by CMake.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "support/process.h"
#include "support/scratch.h"

namespace ricercar::test {

class ToolTest : public testing::Test {
 protected:
  using Words = std::vector<std::string>;

  static void SetUpTestSuite() { folder_ = new ScratchFolder(suite_folder()); }
  static void TearDownTestSuite() {
    delete folder_;
    folder_ = nullptr;
    compiled_.clear();
  }

  static std::string in_folder(const std::string& name) { return *folder_ / name; }

  static Command command(const Words& words) {
    Command command;
    command.words = {RICERCAR_TOOL};
    command.words.insert(command.words.end(), words.begin(), words.end());
    command.folder = folder_->path();
    return command;
  }

  static Finished tool(const Words& words) {
    const Command line = command(words);
    const Finished finished = run(line);
    last_ = describe(line, finished);
    return finished;
  }

  // Compiles a file below tests/ under control, if that has not been done; the program's name.
  static std::string program(const std::string& source) {
    const std::string name = std::filesystem::path(source).stem();
    if (!compiled_.insert(name).second) return "./" + name;
    const bool is_c = source.ends_with(".c");
    const Finished finished = tool({is_c ? "cc" : "c++", is_c ? "-std=gnu11" : "-std=c++20", "-O1",
                                    std::string(RICERCAR_TESTS) + "/" + source, "-o", name});
    EXPECT_EQ(finished.status, 0) << last_;
    return "./" + name;
  }

  // The end of this status, and each of these words somewhere in what was said.
  static void expect(const Finished& finished, int status, const Words& words) {
    EXPECT_FALSE(finished.timed_out) << last_;
    EXPECT_EQ(finished.status, status) << last_;
    const std::string said = finished.output + finished.error;
    for (const std::string& word : words) {
      EXPECT_NE(said.find(word), std::string::npos) << "`" << word << "' is missing\n" << last_;
    }
  }

  static const std::string& last() { return last_; }

 private:
  static std::string suite_folder() {
    std::string name = testing::UnitTest::GetInstance()->current_test_suite()->name();
    std::replace(name.begin(), name.end(), '/', '_');
    return "tool_test_" + name;
  }

  static inline ScratchFolder* folder_ = nullptr;
  static inline std::set<std::string> compiled_;
  static inline std::string last_;  // the last command and what came of it
};

}  // namespace ricercar::test
