#include "strategy/contended_blocks.h"

#include <gtest/gtest.h>

namespace ricercar::inline strategy {
namespace {

constexpr std::uint64_t block = 0x1000;

class ContendedBlocksTest : public testing::Test {
 protected:
  void step(std::uint32_t task, OperationKind kind, std::uint64_t object = 0,
            std::uint64_t value = 0) {
    Step step{};
    step.task = task_id(task);
    step.kind = kind;
    step.object = object;
    step.value = value;
    trace.push_back(step);
  }
  void create(std::uint32_t task, std::uint32_t created) {
    step(task, OperationKind::create, 0, created);
  }
  void join(std::uint32_t task, std::uint32_t joined) { step(task, OperationKind::join, joined); }
  void touch(std::uint32_t task, bool frees) {
    step(task, OperationKind::yield);
    heap.push_back({block, static_cast<std::uint32_t>(trace.size() - 1), task_id(task), frees});
  }
  void use(std::uint32_t task) { touch(task, false); }
  void free(std::uint32_t task) { touch(task, true); }

  bool is_contended() {
    const bool is_new = blocks.learn(trace, heap);
    EXPECT_EQ(blocks.step_of(heap.back()).has_value(), is_new);
    EXPECT_FALSE(blocks.learn(trace, heap));
    return is_new;
  }

  std::vector<Step> trace;
  std::vector<HeapUse> heap;
  ContendedBlocks blocks;
};

TEST_F(ContendedBlocksTest, OneTaskHasNobodyToContendWith) {
  use(0);
  free(0);
  EXPECT_FALSE(is_contended());
}

TEST_F(ContendedBlocksTest, UsesAloneDoNotMatter) {
  create(0, 1);
  use(0);
  use(1);
  EXPECT_FALSE(is_contended());
}

TEST_F(ContendedBlocksTest, AUseAndAFreeThatNothingOrdersDo) {
  create(0, 1);
  use(1);
  free(0);
  EXPECT_TRUE(is_contended());
}

TEST_F(ContendedBlocksTest, SoDoesAUseBehindTheFree) {
  create(0, 1);
  free(1);
  use(0);
  EXPECT_TRUE(is_contended());
}

TEST_F(ContendedBlocksTest, SoDoTwoFrees) {
  create(0, 1);
  free(1);
  free(0);
  EXPECT_TRUE(is_contended());
}

TEST_F(ContendedBlocksTest, WhatATaskDidBeforeItCreatedTheOtherIsOver) {
  use(0);
  create(0, 1);
  free(1);
  EXPECT_FALSE(is_contended());
}

TEST_F(ContendedBlocksTest, WhatItDidAfterwardsIsNot) {
  create(0, 1);
  use(0);
  free(1);
  EXPECT_TRUE(is_contended());
}

TEST_F(ContendedBlocksTest, WhatAJoinedTaskDidIsOverAlsoForOthers) {
  create(0, 1);
  create(0, 2);
  use(1);
  join(2, 1);
  join(0, 2);
  free(0);
  EXPECT_FALSE(is_contended());
}

TEST_F(ContendedBlocksTest, AJoinThatFailedOrdersNothing) {
  create(0, 1);
  use(1);
  join(0, 1);
  trace.back().flags = step_failed;
  free(0);
  EXPECT_TRUE(is_contended());
}

TEST_F(ContendedBlocksTest, FreeingIsAWriteAndUsingARead) {
  create(0, 1);
  use(1);
  free(0);
  ASSERT_TRUE(is_contended());
  EXPECT_EQ(blocks.step_of(heap[0])->kind, OperationKind::use);
  EXPECT_EQ(blocks.step_of(heap[1])->kind, OperationKind::release);
  Footprint used, freed;
  used.add(*blocks.step_of(heap[0]), false);
  freed.add(*blocks.step_of(heap[1]), false);
  EXPECT_FALSE(used.depends_on(used));
  EXPECT_TRUE(used.depends_on(freed));
  EXPECT_TRUE(freed.depends_on(used));
  EXPECT_TRUE(freed.depends_on(freed));
}

}  // namespace
}  // namespace ricercar::inline strategy
