#include "report/message_order.h"

#include <gtest/gtest.h>

namespace ricercar::inline report {
namespace {

using Receipts = std::vector<Receipt>;

TEST(MessageOrder, NamesTheFirstMessageThatComesEarlierAndTheOtherOne) {
  const Receipts failing = {
      {1, "A", "handles Go", 2}, {0, "S", "handles X", 5}, {0, "S", "handles Y", 7}};
  const Receipts passing = {
      {1, "A", "handles Go", 2}, {0, "S", "handles Y", 4}, {0, "S", "handles X", 9}};
  const OtherOrder order = other_order(failing, passing);
  EXPECT_EQ(order.words,
            "S handles X (event 5) first; in an execution that passes, it handles Y before that, "
            "which it does only later here (event 7).");
  EXPECT_EQ(order.event, 5);
}

TEST(MessageOrder, OfAMessageThatDoesNotComeAtAllSaysWhatComesInstead) {
  const OtherOrder order =
      other_order({{0, "S", "gets 3 bytes", 8}}, {{0, "S", "gets 5 bytes", 6}});
  EXPECT_EQ(
      order.words,
      "S gets 3 bytes (event 8) first; in an execution that passes, it gets 5 bytes instead.");
}

// Who receives less has not received it in another order.
TEST(MessageOrder, OfAnEndThatComesEarlierSaysNothing) {
  const Receipts one = {{0, "S", "handles X", 5}};
  const Receipts two = {{0, "S", "handles X", 5}, {0, "S", "handles Y", 7}};
  EXPECT_EQ(other_order(one, two).words, "");
  EXPECT_EQ(other_order(two, one).words, "");
}

}  // namespace
}  // namespace ricercar::inline report
