#include "report/coverage_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/error.h"
#include "report/coverage_curve.h"
#include "report/coverage_example.h"

namespace ricercar::inline report {
namespace {

namespace fs = std::filesystem;

class CoverageFile : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }

  void store(const std::string& text) const { std::ofstream(path_) << text; }
  std::string stored() const {
    std::ifstream file(path_);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }
  CoverageSets there_and_back(const CoverageSets& sets) const {
    write_coverage(path_, sets);
    return read_coverage(path_);
  }
  std::string error() const {
    try {
      read_coverage(path_);
      return {};
    } catch (const UsageError& error) {
      const std::string text = error.what();
      EXPECT_TRUE(text.starts_with("'" + path_ + "' ")) << text;
      return text.substr(path_.size() + 3);
    }
  }
  // The error of the example with one part of its text replaced.
  std::string error_with(const std::string& old_part, const std::string& new_part) const {
    write_coverage(path_, example_sets());
    std::string text = stored();
    const std::size_t position = text.find(old_part);
    EXPECT_NE(position, std::string::npos) << old_part;
    store(text.replace(position, old_part.size(), new_part));
    return error();
  }

  const fs::path folder_ =
      fs::temp_directory_path() / ("ricercar-coverage-" + std::to_string(::getpid()));
  const std::string path_ = folder_ / "sets";
};

constexpr const char* advice = ": bring back a copy, or remove it to begin anew";

TEST_F(CoverageFile, IsReadableText) {
  write_coverage(path_, example_sets());
  EXPECT_EQ(stored(),
            "ricercar.hapset/1\n"
            "program queue_test\n"
            "context 5\n"
            "executions 40\n"
            "statements 4\n"
            "0 queue.cc:41\tmain.cc:12\tmain.cc:30\n"
            "1 queue.cc:60\n"
            "2 queue.cc:62\tmain.cc:14\n"
            "3 push+0x1c\n"
            "pairs 8\n"
            "1 0 r 120 1\n"
            "0 1 l 37 2\n"
            "2 0 r 1 9\n"
            "0 2 l 0 0\n"
            "3 1 l 1 4\n"
            "1 3 r 2000 1\n"
            "3 2 l 0 0\n"
            "2 2 r 40 1\n"
            "added 40\n"
            "3 1 0 1 0*4 1 0*31\n"
            "checksum 8b982f711818bae8\n");
}

TEST_F(CoverageFile, BringsBackWhatWasWritten) {
  EXPECT_EQ(there_and_back(example_sets()), example_sets());
  EXPECT_EQ(there_and_back(CoverageSets()), CoverageSets());
}

TEST_F(CoverageFile, KeepsAnyCharacterInNames) {
  CoverageSets sets;
  sets.program = "a\nb\\n";
  sets.statements = {{"tab\there.cc:1", {"", "back\\slash:2", "\xff\x01"}}, {"", {""}}, {"", {}}};
  EXPECT_EQ(there_and_back(sets), sets);
}

TEST_F(CoverageFile, LeavesNothingElseInTheFolder) {
  write_coverage(path_, example_sets());
  write_coverage(path_, example_sets());
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
}

TEST_F(CoverageFile, HoldsAMillionPairs) {
  const CoverageSets sets = sets_of_size(2000, 1000000);
  const CoverageSets back = there_and_back(sets);
  EXPECT_EQ(back.pairs, sets.pairs);
  EXPECT_EQ(back.statements, sets.statements);
  EXPECT_LT(fs::file_size(path_), 32U << 20);
}

TEST_F(CoverageFile, SumsNeighboursOfALongCurve) {
  CoverageSets sets;
  sets.executions = 250001;
  sets.added.assign(250001, 0);
  sets.added[0] = 5;
  sets.added[4] = 2;
  sets.added[250000] = 1;
  const CoverageSets back = there_and_back(sets);
  EXPECT_EQ(back.added.size(), 62501U);
  EXPECT_EQ(executions_per_entry(back), 4U);
  EXPECT_EQ(back.added[0], 5U);
  EXPECT_EQ(back.added[1], 2U);
  EXPECT_EQ(back.added[62500], 1U);
  EXPECT_EQ(there_and_back(back), back);
}

TEST_F(CoverageFile, ThatDoesNotExistIsNamed) {
  EXPECT_THROW(read_coverage(path_), UsageError);
  EXPECT_THROW(write_coverage(folder_ / "no/such/folder", {}), UsageError);
}

TEST_F(CoverageFile, OfAnotherKindIsRefused) {
  for (const char* text : {"{\"schema\": \"ricercar.schedule/1\"}\n",
                           "\x7f"
                           "ELF",
                           "ricercar\n", "\n"}) {
    store(text);
    EXPECT_EQ(error(),
              "is not a file of learned sets; `ricercar run --strategy hapset --hapset FILE "
              "./program` writes one");
  }
}

TEST_F(CoverageFile, OfAnotherVersionIsRefused) {
  EXPECT_EQ(error_with("hapset/1", "hapset/2"),
            "was written by another version of Ricercar (ricercar.hapset/2; this version reads "
            "ricercar.hapset/1): learn the sets again, in another file");
}

TEST_F(CoverageFile, ThatIsEmptyIsRefused) {
  store("");
  EXPECT_EQ(error(), std::string("is empty, not a file of learned sets") + advice);
}

TEST_F(CoverageFile, IsDamagedAtALine) {
  const auto at_line = [](int line) {
    return "is damaged at line " + std::to_string(line) + advice;
  };
  EXPECT_EQ(error_with("program", "pogram"), at_line(2));
  EXPECT_EQ(error_with("queue_test", "queue\\_test"), at_line(2));
  EXPECT_EQ(error_with("context 5", "context five"), at_line(3));
  EXPECT_EQ(error_with("context 5", "context 4294967296"), at_line(3));
  EXPECT_EQ(error_with("executions 40", "executions -40"), at_line(4));
  EXPECT_EQ(error_with("executions 40", "executions 9999999999999999"), at_line(4));
  EXPECT_EQ(error_with("statements 4", "statements 4000000000"), at_line(5));
  EXPECT_EQ(error_with("1 queue.cc:60", "2 queue.cc:60"), at_line(7));
  EXPECT_EQ(error_with("statements 4", "statements 3"), at_line(9));
  EXPECT_EQ(error_with("pairs 8", "pairs 18446744073709551616"), at_line(10));
  EXPECT_EQ(error_with("1 0 r 120 1", "4 0 r 120 1"), at_line(11));
  EXPECT_EQ(error_with("1 0 r 120 1", "1 0 x 120 1"), at_line(11));
  EXPECT_EQ(error_with("1 0 r 120 1", "1 0 r 120"), at_line(11));
  EXPECT_EQ(error_with("1 0 r 120 1", "1 0 r 120 1 "), at_line(11));
  EXPECT_EQ(error_with("added 40", "added 100001"), at_line(19));
  EXPECT_EQ(error_with("0*31", "0*32"), at_line(20));
  EXPECT_EQ(error_with("0*31", "0**31"), at_line(20));
}

TEST_F(CoverageFile, IsDamagedWhereItStillHasTheRightForm) {
  EXPECT_EQ(error_with("1 0 r 120 1", "1 0 r 121 1"),
            std::string("is damaged (its content does not fit its check sum)") + advice);
}

TEST_F(CoverageFile, EndsWithItsChecksum) {
  write_coverage(path_, example_sets());
  store(stored() + "more\n");
  EXPECT_EQ(error(), std::string("is damaged at line 22") + advice);
}

TEST_F(CoverageFile, NoticesAnyChange) {
  write_coverage(path_, example_sets());
  const std::string whole = stored();
  for (std::size_t position = 0; position < whole.size(); ++position) {
    for (const char wrong : {'0', '\n'}) {
      if (whole[position] == wrong) continue;
      std::string changed = whole;
      changed[position] = wrong;
      store(changed);
      EXPECT_NE(error(), "") << "byte " << position;
    }
  }
}

// Wherever it is cut: not complete, and never read as something smaller.
TEST_F(CoverageFile, ThatIsCutIsNotComplete) {
  write_coverage(path_, example_sets());
  const std::string whole = stored();
  for (std::size_t size = 1; size < whole.size(); ++size) {
    store(whole.substr(0, size));
    const auto lines = 1 + std::count(whole.begin(), whole.begin() + static_cast<long>(size), '\n');
    EXPECT_EQ(error(), "is not complete: it ends at line " + std::to_string(lines) + advice);
  }
}

}  // namespace
}  // namespace ricercar::inline report
