// The tool as a test sees it: a folder to work in, programs that are compiled there once, and the
// commands that are given. RICERCAR_TOOL, RICERCAR_TESTS and RICERCAR_PROGRAM_HEADERS are set by
// CMake.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>
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
    const Finished finished = tool(compilation(source, name));
    EXPECT_EQ(finished.status, 0) << last_;
    return "./" + name;
  }

  // The end of this status, and each of these words somewhere in what was said, over the end of a
  // line too: where a sentence is wrapped depends on how long the paths in it are.
  static void expect(const Finished& finished, int status, const Words& words) {
    EXPECT_FALSE(finished.timed_out) << last_;
    EXPECT_EQ(finished.status, status) << last_;
    const std::string said = finished.output + finished.error;
    const std::string unwrapped = one_line(said);
    for (const std::string& word : words) {
      EXPECT_TRUE(said.find(word) != std::string::npos || unwrapped.find(word) != std::string::npos)
          << "`" << word << "' is missing\n"
          << last_;
    }
  }

  static const std::string& last() { return last_; }

  // The text with one blank wherever it has white space.
  static std::string one_line(const std::string& text) {
    std::istringstream words(text);
    std::string line;
    for (std::string word; words >> word;) line += (line.empty() ? "" : " ") + word;
    return line;
  }

 private:
  // C++ with the headers that were precompiled for such options (see program_headers.cmake).
  static Words compilation(const std::string& source, const std::string& name) {
    const std::string headers = RICERCAR_PROGRAM_HEADERS "/gcc-O1/headers.h";
    Words words = {"c++", "-std=c++20", "-g", "-pthread", "-include", headers};
    if (source.ends_with(".c")) words = {"cc", "-std=gnu11"};
    const Words rest = {"-O1", std::string(RICERCAR_TESTS) + "/" + source, "-o", name};
    words.insert(words.end(), rest.begin(), rest.end());
    return words;
  }

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
