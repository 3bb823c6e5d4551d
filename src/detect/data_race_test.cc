#include "detect/data_race.h"

#include <malloc.h>

#include "detect/data_race_fixture.h"

namespace ricercar::inline detect {

struct RaceDetectorPeer {
  static void set_clock(RaceDetector& detector, std::uint32_t clock) {
    detector.slots_[0]->clock = clock;
  }
  static std::uint32_t slots(const RaceDetector& detector) { return detector.slots_used_; }
};

namespace {

// Plain accesses.

TEST_F(RaceDetectorTest, TwoWritesRace) {
  EXPECT_FALSE(write(a, data));
  EXPECT_TRUE(write(b, data));
}

TEST_F(RaceDetectorTest, AWriteRacesWithAnEarlierRead) {
  EXPECT_FALSE(read(a, data));
  EXPECT_TRUE(write(b, data));
}

TEST_F(RaceDetectorTest, AReadRacesWithAnEarlierWrite) {
  EXPECT_FALSE(write(a, data));
  EXPECT_TRUE(read(b, data));
}

TEST_F(RaceDetectorTest, ReadsDoNotRace) {
  for (const TaskId task : {a, b, c, main_task, a, b, c}) EXPECT_FALSE(read(task, data));
}

TEST_F(RaceDetectorTest, ATaskDoesNotRaceWithItself) {
  EXPECT_FALSE(write(a, data));
  EXPECT_FALSE(read(a, data));
  detector->release(a, mutex);
  EXPECT_FALSE(write(a, data));
  EXPECT_FALSE(read(a, data, 4));
}

TEST_F(RaceDetectorTest, AWriteRacesWithOneOfManyReads) {
  for (const TaskId task : {a, b, c}) EXPECT_FALSE(read(task, data));
  hand_over(a, main_task);
  hand_over(c, main_task);
  const Race* race = write(main_task, data);
  ASSERT_TRUE(race);
  EXPECT_EQ(race->other_task, b);
}

TEST_F(RaceDetectorTest, AWriteAfterAllOfManyReadsDoesNotRace) {
  for (const TaskId task : {a, b, c}) {
    EXPECT_FALSE(read(task, data));
    hand_over(task, main_task);
  }
  EXPECT_FALSE(write(main_task, data));
}

TEST_F(RaceDetectorTest, ARaceNamesBothAccesses) {
  EXPECT_FALSE(write(a, data + 2, 4));
  const std::uint64_t first_event = event;
  const Race* race = read(b, data, 8);
  ASSERT_TRUE(race);
  EXPECT_EQ(race->address, data + 2);
  EXPECT_EQ(race->size, 4u);
  EXPECT_EQ(race->task, b);
  EXPECT_EQ(race->site, 102u);
  EXPECT_FALSE(race->is_write);
  EXPECT_FALSE(race->is_atomic);
  EXPECT_EQ(race->other_task, a);
  EXPECT_EQ(race->other_site, 201u);
  EXPECT_TRUE(race->other_is_write);
  EXPECT_FALSE(race->other_is_atomic);
  EXPECT_EQ(race->other_event, first_event);
}

// Bytes.

TEST_F(RaceDetectorTest, NeighbouringBytesDoNotRace) {
  for (std::uint32_t i = 0; i < 8; ++i) EXPECT_FALSE(write(task_id(i % 4), data + i, 1));
  for (std::uint32_t i = 0; i < 8; ++i) EXPECT_FALSE(read(task_id(i % 4), data + i, 1));
}

TEST_F(RaceDetectorTest, OneCommonByteRaces) {
  EXPECT_FALSE(write(a, data, 4));
  EXPECT_FALSE(write(b, data + 4, 4));
  const Race* race = write(c, data + 3, 1);
  ASSERT_TRUE(race);
  EXPECT_EQ(race->other_task, a);
}

TEST_F(RaceDetectorTest, AnAccessAcrossWordsRacesInEachOfThem) {
  EXPECT_FALSE(write(a, data + 5, 8));
  EXPECT_FALSE(write(b, data, 5));
  EXPECT_FALSE(write(b, data + 13, 3));
  EXPECT_TRUE(read(c, data + 5, 1));
  EXPECT_TRUE(read(c, data + 12, 1));
}

TEST_F(RaceDetectorTest, AnAccessAcrossPagesRacesInEachOfThem) {
  EXPECT_FALSE(write(a, data + page_size - 4, 8));
  EXPECT_TRUE(read(b, data + page_size - 1, 1));
  EXPECT_TRUE(read(c, data + page_size + 3, 1));
  EXPECT_FALSE(read(c, data + page_size + 4, 1));
}

TEST_F(RaceDetectorTest, ARaceInOneWordDoesNotHideTheRestOfTheAccess) {
  EXPECT_FALSE(write(a, data));
  EXPECT_TRUE(write(b, data, 16));
  EXPECT_TRUE(read(c, data + 8));
}

TEST_F(RaceDetectorTest, AnAccessOfNothingDoesNotRace) {
  EXPECT_FALSE(write(a, data));
  EXPECT_FALSE(write(b, data, 0));
  EXPECT_FALSE(write(b, data + 3, 0));
}

TEST_F(RaceDetectorTest, ARangeOfPagesRacesWithAByteInIt) {
  EXPECT_FALSE(read(a, data + 5 * page_size + 77, 1));
  const Race* race = write(b, data + 3, 10 * page_size);
  ASSERT_TRUE(race);
  EXPECT_EQ(race->address, data + 5 * page_size + 77);
  EXPECT_EQ(race->size, 1u);
}

TEST_F(RaceDetectorTest, AByteRacesWithARangeOfPages) {
  EXPECT_FALSE(write(a, data, 10 * page_size));
  hand_over(a, b);
  EXPECT_FALSE(write(b, data + 5 * page_size, 1));
  EXPECT_TRUE(read(c, data + 7 * page_size + 9, 1));
}

TEST_F(RaceDetectorTest, RangesOfPagesRaceWithEachOther) {
  EXPECT_FALSE(write(a, data, 2 * page_size));
  const Race* race = write(b, data + page_size, 2 * page_size);
  ASSERT_TRUE(race);
  EXPECT_EQ(race->address, data + page_size);
}

// Tasks.

TEST_F(RaceDetectorTest, WhatComesBeforeACreationHappensBeforeTheNewTask) {
  EXPECT_FALSE(write(a, data));
  detector->task_created(a, task_id(4));
  EXPECT_FALSE(write(task_id(4), data));
}

TEST_F(RaceDetectorTest, WhatComesAfterACreationRacesWithTheNewTask) {
  detector->task_created(a, task_id(4));
  EXPECT_FALSE(write(a, data));
  EXPECT_TRUE(write(task_id(4), data));
}

TEST_F(RaceDetectorTest, AJoinedTaskHappensBeforeTheJoiner) {
  EXPECT_FALSE(write(a, data));
  detector->task_joined(main_task, a);
  EXPECT_FALSE(write(main_task, data));
  EXPECT_TRUE(write(b, data));
}

TEST_F(RaceDetectorTest, TasksOneAfterTheOtherShareASlot) {
  for (std::uint32_t i = 4; i < 1000; ++i) {
    detector->task_created(main_task, task_id(i));
    EXPECT_FALSE(write(task_id(i), data));
    detector->task_joined(main_task, task_id(i));
  }
  EXPECT_EQ(RaceDetectorPeer::slots(*detector), 5u);
  const Race* race = write(a, data);
  ASSERT_TRUE(race);
  EXPECT_EQ(race->other_task, task_id(999));
}

TEST_F(RaceDetectorTest, ATaskRacesWithAnEndedOneThatItsCreatorHasNotJoined) {
  EXPECT_FALSE(write(a, data));
  detector->task_joined(b, a);
  detector->task_created(c, task_id(4));
  EXPECT_TRUE(write(task_id(4), data));
}

TEST_F(RaceDetectorTest, ATaskRacesWithAnEarlierOneOfTheSameNumber) {
  EXPECT_FALSE(write(a, data));
  detector->task_created(main_task, a);
  const Race* race = write(a, data);
  ASSERT_TRUE(race);
  EXPECT_EQ(race->task, a);
  EXPECT_EQ(race->other_task, a);
}

TEST_F(RaceDetectorTest, ATaskDoesNotRaceWithAJoinedOneOfTheSameNumber) {
  EXPECT_FALSE(write(a, data));
  detector->task_joined(main_task, a);
  detector->task_created(main_task, a);
  EXPECT_FALSE(write(a, data));
}

TEST_F(RaceDetectorTest, DetachedTasksWithoutEndDoNotExhaustTheSlots) {
  for (std::uint32_t i = 0; i < 3 * 4096; ++i) {
    detector->task_created(main_task, task_id(4 + i % 1000));
    EXPECT_FALSE(read(task_id(4 + i % 1000), data));
  }
  EXPECT_TRUE(write(a, data));
}

TEST_F(RaceDetectorTest, AThousandTasksReadAndOneWrites) {
  for (std::uint32_t i = 4; i < max_tasks; ++i) {
    detector->task_created(main_task, task_id(i));
    EXPECT_FALSE(read(task_id(i), data));
  }
  for (std::uint32_t i = 4; i < max_tasks - 1; ++i) detector->task_joined(main_task, task_id(i));
  const Race* race = write(main_task, data);
  ASSERT_TRUE(race);
  EXPECT_EQ(race->other_task, task_id(max_tasks - 1));
}

// Synchronisation objects.

TEST_F(RaceDetectorTest, AnAcquireIsOrderedAfterEveryRelease) {
  EXPECT_FALSE(write(a, data));
  EXPECT_FALSE(write(b, data + 8));
  detector->release(a, mutex);
  detector->release(b, mutex);
  detector->acquire(c, mutex);
  EXPECT_FALSE(write(c, data, 16));
}

TEST_F(RaceDetectorTest, WhatFollowsAReleaseIsNotOrderedByIt) {
  hand_over(a, b);
  EXPECT_FALSE(write(a, data));
  EXPECT_TRUE(write(b, data));
}

TEST_F(RaceDetectorTest, DifferentObjectsDoNotOrder) {
  EXPECT_FALSE(write(a, data));
  detector->release(a, mutex);
  detector->acquire(b, mutex + 8);
  EXPECT_TRUE(write(b, data));
}

TEST_F(RaceDetectorTest, AReleaseStoreReplacesEarlierReleases) {
  EXPECT_FALSE(write(a, data));
  EXPECT_FALSE(write(b, data + 8));
  detector->release(a, mutex);
  detector->release_store(b, mutex);
  detector->acquire(c, mutex);
  EXPECT_FALSE(read(c, data + 8));
  EXPECT_TRUE(read(c, data));
}

TEST_F(RaceDetectorTest, ADestroyedObjectOrdersNothing) {
  EXPECT_FALSE(write(a, data));
  detector->release(a, mutex);
  detector->object_destroyed(mutex);
  detector->acquire(b, mutex);
  EXPECT_TRUE(read(b, data));
}

TEST_F(RaceDetectorTest, AnObjectAndAnAtomicAtOneAddressAreStrangers) {
  EXPECT_FALSE(write(a, data));
  detector->release(a, flag);
  EXPECT_FALSE(load(b, flag, Order::acquire));
  EXPECT_TRUE(read(b, data));
}

// Executions.

TEST_F(RaceDetectorTest, ANewExecutionForgetsAccesses) {
  EXPECT_FALSE(write(a, data));
  EXPECT_FALSE(write(a, data + page_size, 3 * page_size));
  begin();
  EXPECT_FALSE(write(b, data, 4 * page_size));
}

TEST_F(RaceDetectorTest, ANewExecutionForgetsObjectsAndFences) {
  detector->fence(b, Order::release);
  EXPECT_FALSE(store(b, flag, Order::relaxed));
  detector->release(b, mutex);
  begin();
  EXPECT_FALSE(write(b, data));
  detector->acquire(a, mutex);
  EXPECT_FALSE(load(a, flag, Order::acquire));
  EXPECT_TRUE(write(a, data));
}

TEST_F(RaceDetectorTest, MemoryIsNotUsedUpByExecutions) {
  const auto run_executions = [this](std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) {
      begin();
      for (std::uint32_t j = 4; j < 20; ++j) detector->task_created(a, task_id(j));
      for (std::uint32_t j = 0; j < 40; ++j) {
        read(task_id(j % 20), data + j % 8, 1);
        detector->release(task_id(j % 20), mutex + 8 * j);
        store(task_id(j % 20), flag + 8 * j, Order::release);
      }
      detector->allocated(data, 2 * page_size);
    }
    return mallinfo2().uordblks;
  };
  const std::size_t before = run_executions(10);
  EXPECT_EQ(run_executions(20000), before);
}

TEST_F(RaceDetectorTest, RacesAreFoundAfterClocksStartAgain) {
  EXPECT_FALSE(write(a, data));
  RaceDetectorPeer::set_clock(*detector, ~std::uint32_t{0} - 5);
  begin();
  EXPECT_FALSE(write(b, data));
  EXPECT_TRUE(write(a, data));
}

TEST_F(RaceDetectorTest, WhoKnowsMoreOfATaskThanItHasDoneIsAnInternalBug) {
  detector->release(main_task, mutex);
  detector->acquire(a, mutex);
  detector->check_invariants();
  RaceDetectorPeer::set_clock(*detector, 0);
  EXPECT_DEATH(detector->check_invariants(), "internal error");
}

TEST_F(RaceDetectorTest, AClockThatOverflowsIsAnInternalBug) {
  RaceDetectorPeer::set_clock(*detector, ~std::uint32_t{0});
  EXPECT_DEATH(detector->release(main_task, mutex), "internal error");
}

TEST_F(RaceDetectorTest, ATaskThatWasNotCreatedIsAnInternalBug) {
  EXPECT_DEATH(write(task_id(9), data), "internal error");
}

}  // namespace
}  // namespace ricercar::inline detect
