#include "nodes/named_values.h"

#include <gtest/gtest.h>

#include "nodes/operations.h"

namespace ricercar::inline nodes {
namespace {

ricercar_value integer(std::int64_t number) {
  ricercar_value value = {RICERCAR_INTEGER, 0, {0}};
  value.as.integer = number;
  return value;
}

std::string shown(const NamedValue* value) { return value == nullptr ? "none" : value->words(); }

TEST(NamedValues, AreShownAsAReaderWouldWriteThem) {
  ricercar_value value = integer(-3);
  EXPECT_EQ(NamedValue(value).words(), "-3");
  value.kind = RICERCAR_UNSIGNED;
  EXPECT_EQ(NamedValue(value).words(), "18446744073709551613");
  value = {RICERCAR_BOOLEAN, 0, {1}};
  EXPECT_EQ(NamedValue(value).words(), "true");
  value = {RICERCAR_NUMBER, 0, {0}};
  value.as.number = 0.1;
  EXPECT_EQ(NamedValue(value).words(), "0.1");
  value = {RICERCAR_TEXT, 2, {0}};
  value.as.text = "abc";
  EXPECT_EQ(NamedValue(value).words(), "\"ab\"");
}

TEST(NamedValues, KeepTheirTextWhenTheOriginalChanges) {
  std::string text = "first";
  ricercar_value value = {RICERCAR_TEXT, 5, {0}};
  value.as.text = text.c_str();
  NamedValues values;
  values.set(0, "x", value);
  text = "other";
  EXPECT_EQ(shown(values.find(0, "x")), "\"first\"");
}

TEST(NamedValues, BelongToOneNode) {
  NamedValues values;
  values.set(0, "x", integer(1));
  values.set(1, "x", integer(2));
  values.set(1, "y", integer(3));
  values.forget_all(1);
  EXPECT_EQ(shown(values.find(0, "x")), "1");
  EXPECT_EQ(shown(values.find(1, "x")), "none");
  EXPECT_EQ(shown(values.find(1, "y")), "none");
}

TEST(NamedValues, KnowWhatWasBeforeUntilTheySettle) {
  NamedValues values;
  values.set(0, "x", integer(1));
  values.settle();
  values.set(0, "x", integer(2));
  values.set(0, "x", integer(3));
  values.set(0, "y", integer(4));
  EXPECT_EQ(shown(values.find_before(0, "x")), "1");
  EXPECT_EQ(shown(values.find_before(0, "y")), "none");
  values.forget(0, "x");
  EXPECT_EQ(shown(values.find(0, "x")), "none");
  EXPECT_EQ(shown(values.find_before(0, "x")), "1");
  values.settle();
  EXPECT_EQ(shown(values.find_before(0, "x")), "none");
  EXPECT_EQ(shown(values.find_before(0, "y")), "4");
}

TEST(Names, AreSplitAtCommasWithoutTheirSpaces) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(split_names(""), Names());
  EXPECT_EQ(split_names("a"), Names({"a"}));
  EXPECT_EQ(split_names("a, b ,c"), Names({"a", "b", "c"}));
  EXPECT_EQ(split_names("a,,b"), Names({"a", "", "b"}));
}

Reported call(std::uint32_t node, const char* client, const char* name) {
  Reported report;
  report.node = node;
  report.id = client;
  report.names = name;
  return report;
}

TEST(Operations, AreOneAtATimeForEachClientOfANode) {
  Operations operations;
  EXPECT_EQ(operations.invoke(call(0, "c", "read"), "c"), "");
  EXPECT_EQ(operations.invoke(call(1, "c", "write"), "c"), "");
  EXPECT_NE(operations.invoke(call(0, "c", "write"), "c"), "");
  EXPECT_EQ(operations.respond(call(1, "c", ""), "c"), "");
  EXPECT_NE(operations.respond(call(1, "c", ""), "c"), "");
  ASSERT_EQ(operations.all().size(), 2U);
  EXPECT_EQ(operations.answered(), 1U);
  EXPECT_EQ(operations.all()[0].responded, 0U);
  EXPECT_EQ(operations.all()[1].invoked, 2U);
  EXPECT_EQ(operations.all()[1].responded, 3U);
}

TEST(Operations, OfANodeThatIsGoneStayWithoutAnAnswer) {
  Operations operations;
  operations.invoke(call(0, "c", "read"), "c");
  operations.abandon(0);
  EXPECT_EQ(operations.invoke(call(0, "c", "read"), "c"), "");
  EXPECT_EQ(operations.respond(call(0, "c", ""), "c"), "");
  EXPECT_EQ(operations.all()[0].responded, 0U);
  EXPECT_EQ(operations.all()[1].responded, 3U);
}

}  // namespace
}  // namespace ricercar::inline nodes
