// Atomics, fences and the heap.
#include "detect/data_race.h"
#include "detect/data_race_fixture.h"

namespace ricercar::inline detect {
namespace {

using RaceDetectorAtomicTest = RaceDetectorTest;
using RaceDetectorHeapTest = RaceDetectorTest;

// Atomic accesses.

TEST_F(RaceDetectorAtomicTest, AtomicAccessesDoNotRaceWithEachOther) {
  for (const TaskId task : {a, b, c, main_task, a, b, c}) {
    EXPECT_FALSE(store(task, flag, Order::relaxed));
    EXPECT_FALSE(update(task, flag, Order::relaxed));
    EXPECT_FALSE(load(task, flag, Order::relaxed));
  }
}

TEST_F(RaceDetectorAtomicTest, APlainWriteRacesWithAnAtomicLoad) {
  EXPECT_FALSE(load(a, flag, Order::relaxed));
  const Race* race = write(b, flag);
  ASSERT_TRUE(race);
  EXPECT_TRUE(race->other_is_atomic);
  EXPECT_FALSE(race->other_is_write);
  EXPECT_FALSE(race->is_atomic);
}

TEST_F(RaceDetectorAtomicTest, APlainReadDoesNotRaceWithAnAtomicLoad) {
  EXPECT_FALSE(load(a, flag, Order::relaxed));
  EXPECT_FALSE(read(b, flag));
  EXPECT_FALSE(load(c, flag, Order::relaxed));
}

TEST_F(RaceDetectorAtomicTest, APlainReadRacesWithAnAtomicStore) {
  EXPECT_FALSE(store(a, flag, Order::seq_cst));
  EXPECT_TRUE(read(b, flag));
}

TEST_F(RaceDetectorAtomicTest, AnAtomicStoreRacesWithAPlainRead) {
  EXPECT_FALSE(read(a, flag));
  EXPECT_FALSE(load(a, flag, Order::seq_cst));
  const Race* race = store(b, flag, Order::seq_cst);
  ASSERT_TRUE(race);
  EXPECT_TRUE(race->is_atomic);
  EXPECT_FALSE(race->other_is_atomic);
}

TEST_F(RaceDetectorAtomicTest, ARelaxedLoadRacesWithAPlainWrite) {
  EXPECT_FALSE(write(a, flag));
  EXPECT_FALSE(store(a, flag, Order::release));
  EXPECT_TRUE(load(b, flag, Order::relaxed));
}

TEST_F(RaceDetectorAtomicTest, AnAcquireLoadIsOrderedAfterWhatItReads) {
  EXPECT_FALSE(write(a, flag));
  EXPECT_FALSE(store(a, flag, Order::release));
  EXPECT_FALSE(load(b, flag, Order::acquire));
  EXPECT_FALSE(write(b, flag));
}

TEST_F(RaceDetectorAtomicTest, AnAtomicOfSixteenBytesRacesInBothHalves) {
  EXPECT_FALSE(detector->atomic_store(a, flag, 16, Order::relaxed, 1, 1));
  EXPECT_TRUE(read(b, flag, 1));
  EXPECT_TRUE(read(c, flag + 15, 1));
}

// Every pair of orders: only a release that an acquire reads from orders.

TEST_F(RaceDetectorAtomicTest, AStoreAndALoadOrderExactlyIfTheyReleaseAndAcquire) {
  for (const Order written : {Order::relaxed, Order::release, Order::seq_cst}) {
    for (const Order read_with : {Order::relaxed, Order::consume, Order::acquire, Order::seq_cst}) {
      begin();
      EXPECT_FALSE(write(a, data));
      EXPECT_FALSE(store(a, flag, written));
      EXPECT_FALSE(load(b, flag, read_with));
      const bool orders = written != Order::relaxed && read_with != Order::relaxed;
      EXPECT_EQ(read(b, data) == nullptr, orders);
    }
  }
}

TEST_F(RaceDetectorAtomicTest, TwoUpdatesOrderExactlyIfTheyReleaseAndAcquire) {
  for (const Order first : {Order::relaxed, Order::acquire, Order::release, Order::acq_rel}) {
    for (const Order second : {Order::relaxed, Order::acquire, Order::release, Order::acq_rel}) {
      begin();
      EXPECT_FALSE(write(a, data));
      EXPECT_FALSE(update(a, flag, first));
      EXPECT_FALSE(update(b, flag, second));
      const bool releases = first == Order::release || first == Order::acq_rel;
      const bool acquires = second == Order::acquire || second == Order::acq_rel;
      EXPECT_EQ(read(b, data) == nullptr, releases && acquires);
    }
  }
}

TEST_F(RaceDetectorAtomicTest, ALoadOfAnotherAtomicDoesNotOrder) {
  EXPECT_FALSE(write(a, data));
  EXPECT_FALSE(store(a, flag, Order::release));
  EXPECT_FALSE(load(b, other_flag, Order::acquire));
  EXPECT_TRUE(read(b, data));
}

TEST_F(RaceDetectorAtomicTest, WhatFollowsAReleaseStoreIsNotOrderedByIt) {
  EXPECT_FALSE(store(a, flag, Order::release));
  EXPECT_FALSE(write(a, data));
  EXPECT_FALSE(load(b, flag, Order::acquire));
  EXPECT_TRUE(read(b, data));
}

TEST_F(RaceDetectorAtomicTest, WhatPrecedesAnAcquireLoadIsNotOrderedByIt) {
  EXPECT_FALSE(write(b, data));
  EXPECT_FALSE(store(a, flag, Order::release));
  EXPECT_FALSE(load(b, flag, Order::acquire));
  EXPECT_TRUE(read(a, data));
}

// Release sequences.

TEST_F(RaceDetectorAtomicTest, RelaxedUpdatesOfOthersContinueAReleaseSequence) {
  EXPECT_FALSE(write(a, data));
  EXPECT_FALSE(store(a, flag, Order::release));
  EXPECT_FALSE(update(b, flag, Order::relaxed));
  EXPECT_FALSE(update(c, flag, Order::relaxed));
  EXPECT_FALSE(load(main_task, flag, Order::acquire));
  EXPECT_FALSE(read(main_task, data));
}

TEST_F(RaceDetectorAtomicTest, ARelaxedUpdateDoesNotPublishItsOwnTask) {
  EXPECT_FALSE(store(a, flag, Order::release));
  EXPECT_FALSE(write(b, data));
  EXPECT_FALSE(update(b, flag, Order::relaxed));
  EXPECT_FALSE(load(c, flag, Order::acquire));
  EXPECT_TRUE(read(c, data));
}

TEST_F(RaceDetectorAtomicTest, ReleaseUpdatesAddToAReleaseSequence) {
  EXPECT_FALSE(write(a, data));
  EXPECT_FALSE(update(a, flag, Order::release));
  EXPECT_FALSE(write(b, data + 8));
  EXPECT_FALSE(update(b, flag, Order::release));
  EXPECT_FALSE(load(c, flag, Order::acquire));
  EXPECT_FALSE(read(c, data, 16));
}

TEST_F(RaceDetectorAtomicTest, ARelaxedStoreOfAnotherTaskEndsAReleaseSequence) {
  EXPECT_FALSE(write(a, data));
  EXPECT_FALSE(store(a, flag, Order::release));
  EXPECT_FALSE(store(b, flag, Order::relaxed));
  EXPECT_FALSE(load(c, flag, Order::acquire));
  EXPECT_TRUE(read(c, data));
}

TEST_F(RaceDetectorAtomicTest, ARelaxedStoreOfTheSameTaskEndsItToo) {
  EXPECT_FALSE(write(a, data));
  EXPECT_FALSE(store(a, flag, Order::release));
  EXPECT_FALSE(store(a, flag, Order::relaxed));
  EXPECT_FALSE(load(c, flag, Order::acquire));
  EXPECT_TRUE(read(c, data));
}

TEST_F(RaceDetectorAtomicTest, AReleaseStoreStartsANewSequence) {
  EXPECT_FALSE(write(a, data));
  EXPECT_FALSE(store(a, flag, Order::release));
  EXPECT_FALSE(store(b, flag, Order::release));
  EXPECT_FALSE(load(c, flag, Order::acquire));
  EXPECT_TRUE(read(c, data));
}

// Fences.

TEST_F(RaceDetectorAtomicTest, AReleaseFenceMakesALaterRelaxedStoreRelease) {
  EXPECT_FALSE(write(a, data));
  detector->fence(a, Order::release);
  EXPECT_FALSE(store(a, flag, Order::relaxed));
  EXPECT_FALSE(load(b, flag, Order::acquire));
  EXPECT_FALSE(read(b, data));
}

TEST_F(RaceDetectorAtomicTest, AReleaseFenceDoesNotPublishWhatFollowsIt) {
  detector->fence(a, Order::release);
  EXPECT_FALSE(write(a, data));
  EXPECT_FALSE(store(a, flag, Order::relaxed));
  EXPECT_FALSE(load(b, flag, Order::acquire));
  EXPECT_TRUE(read(b, data));
}

TEST_F(RaceDetectorAtomicTest, AReleaseFenceAfterTheStoreIsTooLate) {
  EXPECT_FALSE(write(a, data));
  EXPECT_FALSE(store(a, flag, Order::relaxed));
  detector->fence(a, Order::release);
  EXPECT_FALSE(load(b, flag, Order::acquire));
  EXPECT_TRUE(read(b, data));
}

TEST_F(RaceDetectorAtomicTest, AnAcquireFenceMakesAnEarlierRelaxedLoadAcquire) {
  EXPECT_FALSE(write(a, data));
  EXPECT_FALSE(store(a, flag, Order::release));
  EXPECT_FALSE(load(b, flag, Order::relaxed));
  detector->fence(b, Order::acquire);
  EXPECT_FALSE(read(b, data));
}

TEST_F(RaceDetectorAtomicTest, AnAcquireFenceBeforeTheLoadIsTooEarly) {
  EXPECT_FALSE(write(a, data));
  EXPECT_FALSE(store(a, flag, Order::release));
  detector->fence(b, Order::acquire);
  EXPECT_FALSE(load(b, flag, Order::relaxed));
  EXPECT_TRUE(read(b, data));
}

TEST_F(RaceDetectorAtomicTest, TwoFencesOrderExactlyIfTheyReleaseAndAcquire) {
  for (const Order first : {Order::relaxed, Order::acquire, Order::release, Order::acq_rel}) {
    for (const Order second : {Order::relaxed, Order::acquire, Order::release, Order::seq_cst}) {
      begin();
      EXPECT_FALSE(write(a, data));
      detector->fence(a, first);
      EXPECT_FALSE(store(a, flag, Order::relaxed));
      EXPECT_FALSE(update(c, flag, Order::relaxed));
      EXPECT_FALSE(load(b, flag, Order::relaxed));
      detector->fence(b, second);
      const bool releases = first == Order::release || first == Order::acq_rel;
      const bool acquires = second == Order::acquire || second == Order::seq_cst;
      EXPECT_EQ(read(b, data) == nullptr, releases && acquires);
    }
  }
}

TEST_F(RaceDetectorAtomicTest, SequentiallyConsistentFencesAloneDoNotOrder) {
  EXPECT_FALSE(write(a, data));
  detector->fence(a, Order::seq_cst);
  detector->fence(b, Order::seq_cst);
  EXPECT_TRUE(read(b, data));
}

TEST_F(RaceDetectorAtomicTest, ANewTaskHasNoFenceOfTheTaskWhoseSlotItTakes) {
  EXPECT_FALSE(write(a, data));
  detector->fence(a, Order::release);
  detector->task_joined(main_task, a);
  detector->task_created(main_task, task_id(4));
  EXPECT_FALSE(store(task_id(4), flag, Order::relaxed));
  EXPECT_FALSE(load(b, flag, Order::acquire));
  EXPECT_TRUE(read(b, data));
}

TEST_F(RaceDetectorAtomicTest, ANewTaskHasNotReadWhatTheTaskWhoseSlotItTakesHasRead) {
  EXPECT_FALSE(write(b, data));
  EXPECT_FALSE(store(b, flag, Order::release));
  EXPECT_FALSE(load(a, flag, Order::relaxed));
  detector->task_joined(main_task, a);
  detector->task_created(main_task, task_id(4));
  detector->fence(task_id(4), Order::acquire);
  EXPECT_TRUE(read(task_id(4), data));
}

// The heap.

TEST_F(RaceDetectorHeapTest, AFreeRacesWithAnAccess) {
  EXPECT_FALSE(read(a, data + 40, 1));
  const Race* race = free(b, data, 64);
  ASSERT_TRUE(race);
  EXPECT_TRUE(race->is_write);
  EXPECT_EQ(race->other_task, a);
}

TEST_F(RaceDetectorHeapTest, AnAccessRacesWithAFree) {
  EXPECT_FALSE(free(a, data, 64));
  EXPECT_TRUE(read(b, data + 63, 1));
  EXPECT_FALSE(read(c, data + 64, 1));
}

TEST_F(RaceDetectorHeapTest, AFreeAfterAllAccessesDoesNotRace) {
  EXPECT_FALSE(write(a, data));
  hand_over(a, b);
  EXPECT_FALSE(free(b, data, 64));
}

TEST_F(RaceDetectorHeapTest, FreshMemoryHasNoHistory) {
  EXPECT_FALSE(write(a, data, 64));
  EXPECT_FALSE(free(a, data, 64));
  detector->allocated(data, 64);
  EXPECT_FALSE(write(b, data, 64));
  EXPECT_TRUE(write(a, data + 8));
}

TEST_F(RaceDetectorHeapTest, TheHistoryAroundFreshMemoryRemains) {
  EXPECT_FALSE(write(a, data, 64));
  detector->allocated(data + 9, 13);
  EXPECT_FALSE(write(b, data + 9, 13));
  EXPECT_TRUE(write(b, data + 8, 1));
  EXPECT_TRUE(write(b, data + 22, 1));
}

TEST_F(RaceDetectorHeapTest, TheFirstAccessOfFreshMemoryIsRecorded) {
  EXPECT_FALSE(write(a, data));
  detector->allocated(data, 8);
  EXPECT_FALSE(write(a, data));
  EXPECT_TRUE(write(b, data));
}

TEST_F(RaceDetectorHeapTest, PagesAreFreedAndFreshAgain) {
  constexpr std::uint64_t size = 5 * page_size;
  EXPECT_FALSE(write(a, data + page_size));
  EXPECT_FALSE(free(a, data, size));
  EXPECT_TRUE(free(b, data + page_size, page_size));
  detector->allocated(data, size);
  EXPECT_FALSE(write(b, data, size));
  detector->allocated(data + 100, size - 200);
  EXPECT_FALSE(write(c, data + 100, size - 200));
  EXPECT_TRUE(write(c, data + 99, 1));
  EXPECT_TRUE(write(c, data + size - 100, 1));
}

// As a stack that another thread gets: large, and hardly used.
TEST_F(RaceDetectorHeapTest, AllOfALargeRangeIsFreshAndNothingAroundIt) {
  for (const std::uint64_t pages : {1, 63, 64, 65, 200, 2048}) {
    const std::uint64_t low = data + 100;
    const std::uint64_t high = low + pages * page_size;
    const auto for_each_page = [&](auto visit) {
      for (std::uint64_t at = low; at < high; at += page_size) visit(at);
    };
    begin();
    for_each_page([&](std::uint64_t at) { EXPECT_FALSE(write(a, at, 1)); });
    for (const std::uint64_t at : {low - 1, high - 1, high}) EXPECT_FALSE(write(a, at, 1));
    detector->allocated(low, high - low);
    for_each_page([&](std::uint64_t at) { EXPECT_FALSE(write(b, at, 1)) << pages; });
    EXPECT_FALSE(write(b, high - 1, 1)) << pages;
    EXPECT_TRUE(write(b, low - 1, 1)) << pages;
    EXPECT_TRUE(write(b, high, 1)) << pages;
  }
}

TEST_F(RaceDetectorHeapTest, FreshMemoryEndsTheObjectsInTheOld) {
  EXPECT_FALSE(write(a, data));
  detector->release(a, data + 16);
  EXPECT_FALSE(store(a, data + 24, Order::release));
  EXPECT_FALSE(free(a, data + 16, 16));
  detector->allocated(data + 16, 16);
  detector->acquire(b, data + 16);
  EXPECT_FALSE(load(b, data + 24, Order::acquire));
  EXPECT_TRUE(read(b, data));
}

TEST_F(RaceDetectorHeapTest, AnObjectInFreshMemoryEndsAgainWithIt) {
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(write(a, data));
    detector->release(a, data + 16);
    detector->allocated(data + 16, 8);
    detector->acquire(b, data + 16);
    EXPECT_TRUE(read(b, data));
    detector->allocated(data, 8);
  }
}

}  // namespace
}  // namespace ricercar::inline detect
