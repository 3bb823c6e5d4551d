// `ricercar hapset` on files of sets, in the process of the test.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/error.h"
#include "cli/app.h"
#include "cli/help.h"
#include "report/coverage_example.h"
#include "report/coverage_file.h"
#include "report/coverage_json.h"

namespace ricercar::inline cli {
namespace {

namespace fs = std::filesystem;

struct Answer {
  std::string out;
  std::string note;   // on standard error
  std::string error;  // that leads to exit status 2
};

class Hapset : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(folder_);
    fs::current_path(folder_);
    write_coverage("one.sets", example_sets());
    CoverageSets other = example_sets();
    other.statements[0].place = "queue.cc:43";
    write_coverage("two.sets", other);
    other.program = "stack_test";
    write_coverage("stack.sets", other);
    std::ofstream("queue.cc") << "\n";
  }
  void TearDown() override {
    fs::current_path("/");
    fs::remove_all(folder_);
  }

  // The words are separated by single spaces.
  static Answer hapset(const std::string& line) {
    Answer answer;
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    answer.error = run("hapset " + line);
    std::fflush(stdout);
    answer.out = testing::internal::GetCapturedStdout();
    answer.note = testing::internal::GetCapturedStderr();
    return answer;
  }

 private:
  static std::string run(const std::string& line) {
    Invocation invocation;
    const std::unique_ptr<CLI::App> app = make_app(invocation);
    std::istringstream words(line);
    std::vector<std::string> arguments;
    for (std::string word; words >> word;) arguments.push_back(word);
    try {
      parse_and_run(*app, invocation, arguments);
      return {};
    } catch (const CLI::ParseError& error) {
      return explain_parse_error(*app, error);
    } catch (const UsageError& error) {
      return error.what();
    }
  }

  const fs::path folder_ =
      fs::temp_directory_path() / ("ricercar-hapset-" + std::to_string(::getpid()));
};

std::string content_of_file(const fs::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST_F(Hapset, ShowsSets) {
  const Answer answer = hapset("show one.sets");
  EXPECT_EQ(answer.error, "");
  EXPECT_EQ(answer.note, "");
  EXPECT_TRUE(
      answer.out.starts_with("queue_test: 6 pairs of statements seen, 2 more look possible\n"))
      << answer.out;
}

TEST_F(Hapset, ShowsAsManyPairsAsItIsToldTo) {
  EXPECT_NE(hapset("show --limit 1 one.sets").out.find("and 5 more"), std::string::npos);
  EXPECT_EQ(hapset("show --limit 0 one.sets").error,
            "--limit: a whole number from 1 on is wanted, not '0'");
}

TEST_F(Hapset, WritesAllFormats) {
  const Answer answer = hapset("show one.sets --json a.json --html a.html --svg a.svg");
  EXPECT_EQ(answer.error, "");
  EXPECT_TRUE(answer.out.starts_with("queue_test: "));
  EXPECT_EQ(content_of_file("a.json"), coverage_json(example_sets()));
  EXPECT_TRUE(content_of_file("a.html").starts_with("<!DOCTYPE html>"));
  EXPECT_TRUE(content_of_file("a.svg").starts_with("<svg "));
  EXPECT_EQ(hapset("show one.sets --json -").out, coverage_json(example_sets()));
}

TEST_F(Hapset, WarnsOnceOfSourcesThatAreGone) {
  fs::remove("queue.cc");
  const Answer answer = hapset("show one.sets");
  EXPECT_EQ(answer.note,
            "ricercar: queue.cc is not below this folder: the program was changed or you are in "
            "another folder; their pairs are kept\n");
  EXPECT_TRUE(answer.out.starts_with("queue_test: 6 pairs"));
}

TEST_F(Hapset, MergesSeveralFiles) {
  EXPECT_EQ(hapset("merge one.sets two.sets one.sets -o all.sets").error, "");
  const CoverageSets all = read_coverage("all.sets");
  EXPECT_EQ(all.executions, 120U);
  EXPECT_EQ(all.statements.size(), 5U);
}

TEST_F(Hapset, MayWriteOverOneOfTheFiles) {
  EXPECT_EQ(hapset("merge one.sets two.sets -o one.sets").error, "");
  EXPECT_EQ(read_coverage("one.sets").executions, 80U);
}

TEST_F(Hapset, MergesTwoProgramsOnlyByForce) {
  EXPECT_EQ(hapset("merge one.sets stack.sets -o all.sets").error,
            "'stack.sets' cannot be merged: the sets are of two programs, 'queue_test' and "
            "'stack_test'; if that is what you want, merge them with --force");
  EXPECT_FALSE(fs::exists("all.sets"));
  EXPECT_EQ(hapset("merge --force one.sets stack.sets -o all.sets").error, "");
  EXPECT_EQ(read_coverage("all.sets").program, "queue_test");
}

TEST_F(Hapset, WantsTwoFilesAndAResult) {
  EXPECT_EQ(hapset("merge one.sets -o all.sets").error,
            "name at least two files to merge: ricercar hapset merge A B -o OUT");
  EXPECT_EQ(hapset("merge one.sets two.sets").error, "--out is required");
  EXPECT_EQ(hapset("show").error, "FILE is required");
}

TEST_F(Hapset, RefusesOtherFiles) {
  EXPECT_EQ(hapset("show none.sets").error, "cannot open 'none.sets': No such file or directory");
  EXPECT_EQ(hapset("merge one.sets queue.cc -o all.sets").error,
            "'queue.cc' is not a file of learned sets; `ricercar run --strategy hapset --hapset "
            "FILE ./program` writes one");
  std::ofstream("one.sets", std::ios::app) << "x";
  EXPECT_EQ(hapset("show one.sets").error,
            "'one.sets' is damaged at line 22: bring back a copy, or remove it to begin anew");
}

}  // namespace
}  // namespace ricercar::inline cli
