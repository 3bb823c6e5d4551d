#include "report/assertion_place.h"

#include <gtest/gtest.h>

namespace ricercar::inline report {
namespace {

Frame call(const std::string& function, unsigned line, const std::string& file = "src/stack.cc") {
  return {function, file, line, "program", true};
}

std::vector<Frame> placed(const std::string& message, std::vector<Frame> calls) {
  put_assertion_in_place(message, calls);
  return calls;
}

TEST(AssertionPlace, IsTheLineOfTheAssertionNotOfTheCall) {
  const auto calls = placed("assertion `x' failed in pop (/home/me/src/stack.cc:31)",
                            {call("pop", 33), call("main", 50)});
  ASSERT_EQ(calls.size(), 2U);
  EXPECT_EQ(calls[0].line, 31U);
  EXPECT_EQ(calls[0].function, "pop");
  EXPECT_EQ(calls[1].line, 50U);
}

TEST(AssertionPlace, ShowsAFunctionThatWasInlinedWithoutATrace) {
  for (const std::string function :
       {"int (anonymous namespace)::pop()", "int {anonymous}::pop()", "int pop()", "pop"}) {
    const auto calls =
        placed("assertion `!f(\"' failed (\")' failed in " + function + " (stack.cc:31)",
               {call("pop_twice", 39), call("main", 50)});
    ASSERT_EQ(calls.size(), 3U) << function;
    EXPECT_EQ(calls[0].function, "pop");
    EXPECT_EQ(calls[0].file, "src/stack.cc");
    EXPECT_EQ(calls[0].line, 31U);
    EXPECT_EQ(calls[1].line, 39U);
  }
}

TEST(AssertionPlace, InALambdaMovesTheLineOnly) {
  for (const std::string function :
       {"main()::<lambda()>", "auto main()::(anonymous class)::operator()() const"}) {
    const auto calls = placed("assertion `x' failed in " + function + " (stack.cc:31)",
                              {call("lambda in main", 39)});
    ASSERT_EQ(calls.size(), 1U) << function;
    EXPECT_EQ(calls[0].line, 31U);
  }
}

TEST(AssertionPlace, PassesCallsInOtherFiles) {
  const auto calls = placed("assertion `x' failed in check (stack.cc:31)",
                            {call("helper", 3, "helper.h"), call("check", 33)});
  ASSERT_EQ(calls.size(), 2U);
  EXPECT_EQ(calls[0].line, 3U);
  EXPECT_EQ(calls[1].line, 31U);
}

TEST(AssertionPlace, StaysWhereTheMessageNamesNone) {
  for (const std::string message :
       {"assertion `x' failed", "assertion `f (a:1)' failed", "assertion `x' failed in f (a.cc:1x)",
        "assertion `x' failed in f (a.cc:)", "assertion `x' failed in f (other.cc:31)",
        "assertion `x' failed in f (stack.cc:99999999999999999999)"}) {
    const auto calls = placed(message, {call("pop", 33)});
    ASSERT_EQ(calls.size(), 1U) << message;
    EXPECT_EQ(calls[0].line, 33U) << message;
  }
}

}  // namespace
}  // namespace ricercar::inline report
