#include "report/named_fields.h"

#include <gtest/gtest.h>

#include "report/recording_builder.h"

namespace ricercar::inline report {
namespace {

FakeSymbols symbols() {
  FakeSymbols result;
  result.classes["Lease"] = {{"term", {}}};
  result.classes["Write"] = {{"lease", {}}, {"text", {}}};
  result.classes["Vote"] = {{"answer", {{0, "no"}, {1, "yes"}}}, {"round", {}}};
  return result;
}

std::string named(const std::string& text) {
  FakeSymbols all = symbols();
  return with_field_names(text, all);
}

TEST(NamedFields, StandBeforeTheirValuesAlsoInsideOfOthers) {
  EXPECT_EQ(named("Lease{1}"), "Lease{term = 1}");
  EXPECT_EQ(named("Write{Lease{1}, \"a, b\"}"), "Write{lease = Lease{term = 1}, text = \"a, b\"}");
  EXPECT_EQ(named("{[Lease{1}, Lease{2}], 3}"), "{[Lease{term = 1}, Lease{term = 2}], 3}");
}

TEST(NamedFields, OfAnEnumerationHaveTheNameOfTheirValue) {
  EXPECT_EQ(named("Vote{1, 1}"), "Vote{answer = yes, round = 1}");
  EXPECT_EQ(named("Vote{7, 1}"), "Vote{answer = 7, round = 1}");
}

TEST(NamedFields, AreOnlyGivenWhereTheTextFits) {
  for (const char* text : {"Lease", "Lease{1, 2}", "Lease{", "Lease{1]", "Other{1}", "\"Lease{1}\"",
                           "Write{Other{1}, \"a\"b\"}", "{1, 2}"}) {
    EXPECT_EQ(named(text), text);
  }
}

TEST(NamedFields, OfAMachineAreThoseOfItsClass) {
  FakeSymbols all = symbols();
  EXPECT_EQ(with_field_names("{#1, \"x\"}", "Write", all), "{lease = #1, text = \"x\"}");
  EXPECT_EQ(with_field_names("{}", "Write", all), "{}");
}

}  // namespace
}  // namespace ricercar::inline report
