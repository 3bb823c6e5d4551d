#include "model/outcome_kinds.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace ricercar::inline model {
namespace {

std::string message_of(const std::string& fail_on, const std::string& ignored) {
  try {
    ignored_kinds(fail_on, ignored);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(IgnoredKinds, AreNoneByDefault) { EXPECT_EQ(ignored_kinds("", ""), 0U); }

TEST(IgnoredKinds, AreThoseOfTheList) {
  EXPECT_EQ(ignored_kinds("", "data-race,leak"),
            kind_bit(OutcomeKind::data_race) | kind_bit(OutcomeKind::leak));
}

TEST(IgnoredKinds, AreAllThatAreNotToFail) {
  const std::uint32_t ignored = ignored_kinds("deadlock,crash", "");
  for (std::size_t i = 1; i < std::size(outcome_kinds); ++i) {
    const auto kind = static_cast<OutcomeKind>(i);
    const bool fails = kind == OutcomeKind::deadlock || kind == OutcomeKind::crash;
    EXPECT_EQ((ignored & kind_bit(kind)) == 0, fails) << outcome_kinds[i].name;
  }
  EXPECT_EQ(ignored & kind_bit(OutcomeKind::ok), 0U);
}

TEST(IgnoredKinds, OfBothListsComeTogether) {
  EXPECT_EQ(ignored_kinds("deadlock,crash", "crash"), ignored_kinds("deadlock", ""));
}

TEST(IgnoredKinds, ThatDoNotExistAreNamedWithTheNearestOne) {
  const std::string message = message_of("", "data-race,dedlock");
  EXPECT_NE(message.find("--ignore: there is no kind of bug 'dedlock'"), std::string::npos)
      << message;
  EXPECT_NE(message.find("did you mean 'deadlock'"), std::string::npos) << message;
  EXPECT_NE(message.find("use-after-free"), std::string::npos) << message;
  EXPECT_NE(message_of("ok", "").find("--fail-on: there is no kind of bug 'ok'"),
            std::string::npos);
  EXPECT_NE(message_of("leak,", "").find("there is no kind of bug ''"), std::string::npos);
}

TEST(IgnoredKinds, MustLeaveSomething) {
  EXPECT_NE(message_of("leak", "leak").find("leave no kind of bug"), std::string::npos);
}

}  // namespace
}  // namespace ricercar::inline model
