#include "cli/coverage_files.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include "base/error.h"
#include "report/coverage_example.h"
#include "report/coverage_file.h"

namespace ricercar::inline cli {
namespace {

namespace fs = std::filesystem;

// In a folder of its own, which is the working folder.
class CoverageFilesTest : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(folder_);
    fs::current_path(folder_);
  }
  void TearDown() override {
    fs::current_path("/");
    fs::remove_all(folder_);
  }

  static std::string error_of(const std::function<void()>& function) {
    try {
      function();
      return {};
    } catch (const UsageError& error) {
      return error.what();
    }
  }

  const fs::path folder_ =
      fs::temp_directory_path() / ("ricercar-coverage-files-" + std::to_string(::getpid()));
};

TEST_F(CoverageFilesTest, AreCheckedBeforeTheSearch) {
  const auto problem = [](const CoverageFiles& files) {
    return error_of([&] { check_coverage_files(files, "hapset:base=dpor"); });
  };
  EXPECT_EQ(problem({"x.sets", "x.html"}), "");
  EXPECT_EQ(problem({"no/x.sets", ""}), "cannot write 'no/x.sets': there is no folder 'no'");
  EXPECT_EQ(problem({"", "no/x.svg"}), "cannot write 'no/x.svg': there is no folder 'no'");
  EXPECT_EQ(problem({"", "x.pdf"}),
            "the ending of 'x.pdf' does not say what to write: .html, .json, .svg or .txt");
  EXPECT_EQ(error_of([] { check_coverage_files({}, "random"); }), "");
  EXPECT_NE(error_of([] { check_coverage_files({"x", ""}, "random"); }), "");
}

TEST_F(CoverageFilesTest, AreLoadedForTheirProgram) {
  EXPECT_FALSE(load_sets("", "/bin/queue_test").has_value());
  EXPECT_FALSE(load_sets("none.sets", "/bin/queue_test").has_value());
  write_coverage("queue.sets", example_sets());
  EXPECT_EQ(load_sets("queue.sets", "/bin/queue_test"), example_sets());
  EXPECT_EQ(error_of([] { load_sets("queue.sets", "/bin/stack_test"); }),
            "'queue.sets' is about 'queue_test', not 'stack_test': name another file with "
            "--hapset");
}

TEST_F(CoverageFilesTest, AreSaved) {
  EXPECT_TRUE(save_coverage({"queue.sets", "queue.svg"}, example_sets()));
  EXPECT_EQ(read_coverage("queue.sets"), example_sets());
  EXPECT_TRUE(fs::exists("queue.svg"));
}

TEST_F(CoverageFilesTest, ThatCannotBeSavedAreNamed) {
  fs::create_directories("blocked.sets");
  testing::internal::CaptureStderr();
  EXPECT_FALSE(save_coverage({"blocked.sets", "queue.txt"}, example_sets()));
  const std::string message = testing::internal::GetCapturedStderr();
  EXPECT_TRUE(message.starts_with("ricercar: cannot write 'blocked.sets': ")) << message;
  EXPECT_TRUE(fs::exists("queue.txt")) << "the other one is written all the same";
}

TEST_F(CoverageFilesTest, HaveTheFormatOfTheirEnding) {
  EXPECT_TRUE(coverage_report(example_sets(), "a.txt").starts_with("queue_test: 6 pairs"));
  EXPECT_TRUE(coverage_report(example_sets(), "a.json").starts_with("{"));
  EXPECT_TRUE(coverage_report(example_sets(), "a.html").starts_with("<!DOCTYPE html>"));
  EXPECT_TRUE(coverage_report(example_sets(), "a.svg").starts_with("<svg "));
}

TEST_F(CoverageFilesTest, NameMissingSourcesOnce) {
  EXPECT_EQ(missing_sources(example_sets()),
            "queue.cc is not below this folder: the program was changed or you are in another "
            "folder; their pairs are kept");
  fs::create_directories("src");
  std::ofstream("src/queue.cc") << "\n";
  EXPECT_EQ(missing_sources(example_sets()), "");
  CoverageSets sets;
  for (const char* file : {"a", "b", "c", "d", "e", "f", "g"}) {
    sets.statements.push_back({std::string(file) + ".cc:1", {}});
  }
  EXPECT_EQ(missing_sources(sets),
            "a.cc, b.cc, c.cc, d.cc, e.cc and 2 more are not below this folder: the program was "
            "changed or you are in another folder; their pairs are kept");
}

}  // namespace
}  // namespace ricercar::inline cli
