#include "cli/suppressions.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace ricercar::inline cli {
namespace {

Frame frame(const std::string& function, const std::string& file, const std::string& module) {
  Frame result;
  result.function = function;
  result.file = file;
  result.module = module;
  return result;
}

const std::vector<std::vector<Frame>> race = {
    {frame("count", "stats.cc", "server"), frame("Server::serve", "server.cc", "server")},
    {frame("memcpy", "", "libcopy.so.1"), frame("log_line", "log.cc", "server")}};

std::uint32_t find(const std::string& text, OutcomeKind kind = OutcomeKind::data_race) {
  return Suppressions::parse("file", text).find(kind, race);
}

std::string complaint(const std::string& text) {
  try {
    Suppressions::parse("known.txt", text);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(Patterns, FitAnyPartOfAName) {
  EXPECT_TRUE(fits("count", "account_for"));
  EXPECT_FALSE(fits("count", "cout"));
  EXPECT_FALSE(fits("*", ""));
  EXPECT_TRUE(fits("*", "x"));
}

TEST(Patterns, HaveEndsAndStars) {
  EXPECT_TRUE(fits("^count$", "count"));
  EXPECT_FALSE(fits("^count$", "counts"));
  EXPECT_FALSE(fits("^count", "account"));
  EXPECT_TRUE(fits("count$", "account"));
  EXPECT_FALSE(fits("count$", "account_for"));
  EXPECT_TRUE(fits("^a*c*e$", "abcde"));
  EXPECT_TRUE(fits("a*e", "xxabcdexx"));
  EXPECT_FALSE(fits("^a*e$", "abcdex"));
  EXPECT_TRUE(fits("^ab*ab$", "abab"));
  EXPECT_FALSE(fits("^ab*ab$", "ab"));
  EXPECT_TRUE(fits("^Queue<*>::push$", "Queue<int>::push"));
}

TEST(Suppressions, AreFoundByFunctionFileAndLibraryOfAnyFrame) {
  EXPECT_EQ(find("race:^count$"), 1U);
  EXPECT_EQ(find("race:Server::*"), 1U);
  EXPECT_EQ(find("race:log.cc"), 1U);
  EXPECT_EQ(find("race:libcopy.so"), 1U);
  EXPECT_EQ(find("race:nothing"), 0U);
}

TEST(Suppressions, OfTheTopLookAtInnermostFramesOnly) {
  EXPECT_EQ(find("race_top:count"), 1U);
  EXPECT_EQ(find("race_top:memcpy"), 1U);
  EXPECT_EQ(find("race_top:log_line"), 0U);
}

TEST(Suppressions, OfALibraryLookAtWhatItDoesItself) {
  EXPECT_EQ(find("called_from_lib:libcopy.so"), 1U);
  EXPECT_EQ(find("called_from_lib:count"), 0U);
}

TEST(Suppressions, AreAboutOneKind) {
  EXPECT_EQ(find("deadlock:count"), 0U);
  EXPECT_EQ(find("deadlock:count", OutcomeKind::deadlock), 1U);
  EXPECT_EQ(find("thread:count", OutcomeKind::leak), 1U);
  EXPECT_EQ(find("mutex:count", OutcomeKind::lock_misuse), 1U);
  EXPECT_EQ(find("use-after-free:count", OutcomeKind::use_after_free), 1U);
  EXPECT_EQ(find("signal:*"), 0U);
}

TEST(Suppressions, TheFirstThatFitsCounts) {
  EXPECT_EQ(find("# known\n\n  race:nothing\r\nrace:serve\nrace:count\n"), 2U);
  const Suppressions all = Suppressions::parse("file", "# known\n\nrace:serve # no comment\n");
  ASSERT_EQ(all.all().size(), 1U);
  EXPECT_EQ(all.all()[0].line, 3U);
  EXPECT_EQ(all.all()[0].pattern, "serve # no comment");
}

TEST(Suppressions, ThatAreNoneAreNamedWithTheirLine) {
  EXPECT_NE(complaint("race:a\nrase:b\n").find("known.txt:2: there is no suppression 'rase:'"),
            std::string::npos);
  EXPECT_NE(complaint("rase:b").find("did you mean 'race'"), std::string::npos);
  EXPECT_NE(complaint("\nfoo").find("known.txt:2: 'foo' is no suppression"), std::string::npos);
  EXPECT_NE(complaint("race: ").find("known.txt:1: 'race:' has no pattern"), std::string::npos);
}

}  // namespace
}  // namespace ricercar::inline cli
