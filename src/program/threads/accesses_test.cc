// What an execution knows of accesses, without one.
#include "threads/accesses.h"

#include <gtest/gtest.h>

#include <memory>

namespace ricercar::inline threads {
namespace {

constexpr TaskId t0 = task_id(0);
constexpr TaskId t1 = task_id(1);

class AccessesTest : public testing::Test {
 protected:
  void SetUp() override {
    scheduler->steps.write_into(nullptr, 100);
    scheduler->begin_execution(100);
    begin_task(t0, no_task);
    scheduler->tasks.set_current(scheduler->tasks[t0]);
    accesses->heap_move.begin_execution();
    accesses->heap_uses.begin_execution(accesses->heap_move);
    accesses->notes_blocks = true;
  }
  void begin_task(TaskId id, TaskId creator) {
    scheduler->tasks.begin(id, creator).state = TaskState::live;
  }
  std::uint64_t new_block() { return reinterpret_cast<std::uint64_t>(heap_allocate(64, 16)); }
  std::size_t uses() const { return accesses->heap_uses.all().size(); }

  // Large: they have room for all tasks.
  const std::unique_ptr<Scheduler> scheduler = std::make_unique<Scheduler>();
  const std::unique_ptr<Accesses> accesses = std::make_unique<Accesses>();
};

TEST_F(AccessesTest, PlainOnesAreCountedAcrossPoints) {
  OpenTrace& trace = scheduler->steps.open();
  trace.plain_accesses = 0;
  accesses->long_run.count();
  accesses->long_run.count();
  accesses->long_run.count_atomic();
  EXPECT_EQ(accesses->plain(trace), 2U);
  accesses->point_reached(trace);
  EXPECT_EQ(accesses->long_run.accesses(), 0U);
  accesses->long_run.count();
  EXPECT_EQ(accesses->plain(trace), 3U);
}

TEST_F(AccessesTest, ABlockIsNotedOnceInASlot) {
  begin_task(t1, t0);
  const std::uint64_t block = new_block();
  scheduler->steps.add_decided();
  accesses->block_used(*scheduler, t0, block);
  accesses->block_used(*scheduler, t0, block + 8);
  EXPECT_EQ(uses(), 1U);
  scheduler->steps.add_decided();
  accesses->block_used(*scheduler, t0, block + 8);
  EXPECT_EQ(uses(), 2U);
  accesses->block_freed(*scheduler, block);
  EXPECT_EQ(uses(), 3U);
}

TEST_F(AccessesTest, WhatIsDoneBeforeASecondTaskIsNotNoted) {
  const std::uint64_t block = new_block();
  scheduler->steps.add_decided();
  accesses->block_used(*scheduler, t0, block);
  accesses->block_freed(*scheduler, block);
  EXPECT_EQ(uses(), 0U);
}

TEST_F(AccessesTest, MemoryOutsideOfTheHeapIsNoBlock) {
  begin_task(t1, t0);
  scheduler->steps.add_decided();
  accesses->block_used(*scheduler, t1, reinterpret_cast<std::uint64_t>(this));
  EXPECT_EQ(uses(), 0U);
}

TEST_F(AccessesTest, FreeingIsNotedOnlyIfSomebodyAsks) {
  begin_task(t1, t0);
  scheduler->steps.add_decided();
  accesses->notes_blocks = false;
  accesses->block_freed(*scheduler, new_block());
  EXPECT_EQ(uses(), 0U);
}

TEST_F(AccessesTest, ContextsAreKeptByStep) {
  accesses->note_context(0, 7);
  accesses->note_context(5, 9);
  EXPECT_EQ(accesses->contexts[0], 7U);
  EXPECT_EQ(accesses->contexts[5], 9U);
  EXPECT_EQ(accesses->event, 9U);
}

}  // namespace
}  // namespace ricercar::inline threads
