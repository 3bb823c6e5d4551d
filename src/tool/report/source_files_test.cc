#include "report/source_files.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace ricercar::inline report {
namespace {

namespace fs = std::filesystem;

class Sources : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(folder_ / "src/queue");
    fs::create_directories(folder_ / "test");
    fs::create_directories(folder_ / ".git");
    std::ofstream(folder_ / "src/queue/queue.cc") << "one\n\ttwo \r\n";
    std::ofstream(folder_ / "src/main.cc") << "src main\n";
    std::ofstream(folder_ / "test/main.cc") << "test main\n";
    std::ofstream(folder_ / ".git/hidden.cc") << "hidden\n";
  }
  void TearDown() override { fs::remove_all(folder_); }

  const fs::path folder_ =
      fs::temp_directory_path() / ("ricercar-sources-" + std::to_string(::getpid()));
  SourceFiles sources_{folder_};
};

TEST(FilePlace, IsAFileWithALine) {
  EXPECT_EQ(file_place("a:b.cc:41")->file, "a:b.cc");
  EXPECT_EQ(file_place("a:b.cc:41")->line, 41U);
  for (const char* place : {"push+0x1c", "queue::push+0x1c", "a.cc:", ":4", "a.cc:4x", ""}) {
    EXPECT_FALSE(file_place(place).has_value()) << place;
  }
}

TEST_F(Sources, AreFoundByTheEndOfTheirPath) {
  EXPECT_EQ(sources_.line("queue.cc:1"), "one");
  EXPECT_EQ(sources_.line("queue/queue.cc:2"), "two");
  EXPECT_EQ(sources_.line("src/main.cc:1"), "src main");
  EXPECT_EQ(sources_.line((folder_ / "test/main.cc").string() + ":1"), "test main");
}

TEST_F(Sources, HaveNoLineWhereItIsNotCertain) {
  EXPECT_EQ(sources_.line("main.cc:1"), "") << "there are two";
  EXPECT_EQ(sources_.line("queue.cc:3"), "");
  EXPECT_EQ(sources_.line("queue.cc:0"), "");
  EXPECT_EQ(sources_.line("eue.cc:1"), "");
  EXPECT_EQ(sources_.line("push+0x1c"), "");
}

TEST_F(Sources, MissFilesThatAreGone) {
  EXPECT_FALSE(sources_.misses("queue.cc"));
  EXPECT_FALSE(sources_.misses("main.cc"));
  EXPECT_TRUE(sources_.misses("stack.cc"));
  EXPECT_TRUE(sources_.misses("stack/queue.cc"));
  EXPECT_TRUE(sources_.misses("hidden.cc"));
  EXPECT_TRUE(SourceFiles(folder_ / "nowhere").misses("queue.cc"));
}

}  // namespace
}  // namespace ricercar::inline report
