#include "base/nearest.h"

#include <gtest/gtest.h>

namespace ricercar::inline base {
namespace {

constexpr std::string_view words[] = {"run", "replay", "show", "strategies"};

TEST(Nearest, CountsInsertionsRemovalsReplacementsAndSwaps) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("abc", ""), 3u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("depth", "detph"), 1u);
}

TEST(Nearest, FindsTheWordThatWasMeant) {
  EXPECT_EQ(nearest("rnu", words), "run");
  EXPECT_EQ(nearest("repaly", words), "replay");
  EXPECT_EQ(nearest("stratgeis", words), "strategies");
  EXPECT_EQ(nearest("sho", words), "show");
}

TEST(Nearest, FindsNothingIfNoWordIsClose) {
  EXPECT_EQ(nearest("", words), "");
  EXPECT_EQ(nearest("xyz", words), "");
  EXPECT_EQ(nearest("minimise", words), "");
  EXPECT_EQ(did_you_mean("minimise", words), "");
}

TEST(Nearest, MakesAQuestionOfTheWord) {
  EXPECT_EQ(did_you_mean("stratgies", words), "; did you mean 'strategies'?");
}

}  // namespace
}  // namespace ricercar::inline base
