#include <gtest/gtest.h>

#include "base/random.h"
#include "strategy/deviation_queue.h"

namespace ricercar::inline strategy {
namespace {

TEST(NumberQueue, GivesBackWhatWasPushedInOrder) {
  NumberQueue queue;
  Random in(1);
  Random out(1);
  const auto number = [](Random& random) { return random.below(0xffffffff) >> random.below(32); };
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 10000 + round * 1000; ++i) queue.push(number(in));
    for (int i = 0; i < 10000 + round * 500; ++i) ASSERT_EQ(queue.pop(), number(out));
  }
}

TEST(NumberQueue, TakesOneByteForASmallNumber) {
  NumberQueue queue;
  for (int i = 0; i < 1000000; ++i) queue.push(100);
  EXPECT_LE(queue.bytes(), 1100000u);
}

TEST(NumberQueue, GivesMemoryBackAsItIsRead) {
  NumberQueue queue;
  for (int i = 0; i < 1000000; ++i) queue.push(100);
  for (int i = 0; i < 1000000; ++i) ASSERT_EQ(queue.pop(), 100u);
  EXPECT_LE(queue.bytes(), 65536u);
  queue.push(1 << 20);
  EXPECT_EQ(queue.pop(), 1u << 20);
}

}  // namespace
}  // namespace ricercar::inline strategy
