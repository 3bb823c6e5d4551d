// The happens-before relation and its races, on traces that are written down here.
#include "strategy/happens_before.h"

#include <gtest/gtest.h>

#include <optional>
#include <utility>

#include "strategy/execution_races.h"

namespace ricercar::inline strategy {
namespace {

constexpr std::uint64_t x = 0x1000;
constexpr std::uint64_t y = 0x2000;
constexpr std::uint64_t mutex = 0x3000;

// Each step is one slot, unless it is said that nothing was decided.
Step step(std::uint32_t task, OperationKind kind, std::uint64_t object, std::uint8_t size = 1) {
  return {0, object, 0, task_id(task), kind, 0, size, 0, 2};
}
Step write(std::uint32_t task, std::uint64_t object, std::uint8_t size = 1) {
  return step(task, OperationKind::atomic_store, object, size);
}
Step read(std::uint32_t task, std::uint64_t object, std::uint8_t size = 1) {
  return step(task, OperationKind::atomic_load, object, size);
}
Step lock(std::uint32_t task) {
  Step result = step(task, OperationKind::lock, mutex);
  result.open = open_to_one;
  return result;
}
Step unlock(std::uint32_t task) { return step(task, OperationKind::unlock, mutex); }
Step with_value(Step step, std::uint64_t value) {
  step.value = value;
  return step;
}
Step undecided(Step step) {
  step.options = 0;
  return step;
}

using Pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

class HappensBeforeTest : public testing::Test {
 protected:
  Pairs races(const std::vector<Step>& trace) {
    races_.clear();
    order.extend(trace, races_);
    return found();
  }
  Pairs found() const {
    Pairs pairs;
    for (const HappensBefore::Race& race : races_) pairs.emplace_back(race.first, race.second);
    return pairs;
  }

  HappensBefore order;
  std::vector<HappensBefore::Race> races_;
};

// --- What races ---

TEST_F(HappensBeforeTest, TwoWritesRace) {
  EXPECT_EQ(races({write(0, x), write(1, x)}), (Pairs{{0, 1}}));
  EXPECT_EQ(races_[0].task, task_id(1));
  EXPECT_FALSE(races_[0].carried);
}

TEST_F(HappensBeforeTest, AReadAndAWriteRaceAndTwoReadsDoNot) {
  EXPECT_EQ(races({read(0, x), read(1, x), write(2, x)}), (Pairs{{1, 2}, {0, 2}}));
}

TEST_F(HappensBeforeTest, OneTaskDoesNotRaceWithItself) {
  EXPECT_EQ(races({write(0, x), write(0, x), read(0, x)}), Pairs{});
}

TEST_F(HappensBeforeTest, OtherObjectsDoNotRace) {
  EXPECT_EQ(races({write(0, x), write(1, y)}), Pairs{});
  EXPECT_FALSE(order.is_after(1, 0));
}

TEST_F(HappensBeforeTest, BytesThatOverlapRace) {
  EXPECT_EQ(races({write(0, x, 8), write(1, x + 4, 2)}), (Pairs{{0, 1}}));
}

TEST_F(HappensBeforeTest, BytesSideBySideDoNotRace) {
  EXPECT_EQ(races({write(0, x, 4), write(1, x + 4, 4)}), Pairs{});
}

TEST_F(HappensBeforeTest, AnAccessAcrossTwoWordsRacesInBoth) {
  EXPECT_EQ(races({write(0, x, 1), write(1, x + 8, 1), write(2, x + 4, 8)}), (Pairs{{1, 2}}));
  EXPECT_FALSE(order.is_after(2, 0));
}

// The first write comes before the last one because of the one between them.
TEST_F(HappensBeforeTest, OnlyTheLastOfAChainOfWritesRaces) {
  EXPECT_EQ(races({write(0, x), write(1, x), write(2, x)}), (Pairs{{0, 1}, {1, 2}}));
  EXPECT_TRUE(order.is_after(2, 0));
}

TEST_F(HappensBeforeTest, AllConflictsAreTheWholeChain) {
  order.find_all_conflicts();
  Pairs all = races({write(0, x), write(1, x), write(2, x)});
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  EXPECT_EQ(all, (Pairs{{0, 1}, {0, 2}, {1, 2}}));
}

// --- What orders ---

TEST_F(HappensBeforeTest, WhatWasDoneBeforeACreationComesBeforeTheTask) {
  EXPECT_EQ(races({write(0, x), with_value(step(0, OperationKind::create, 0), 1), write(1, x)}),
            Pairs{});
  EXPECT_TRUE(order.is_after(2, 0));
}

TEST_F(HappensBeforeTest, AJoinComesAfterEverythingOfTheTask) {
  EXPECT_EQ(races({write(1, x), undecided(step(1, OperationKind::end, 0)),
                   undecided(step(0, OperationKind::join, 1)), write(0, x)}),
            Pairs{});
  EXPECT_TRUE(order.is_after(1, 0));
}

TEST_F(HappensBeforeTest, ASignalComesBeforeWhoeverItWakes) {
  const Step wait = with_value(step(1, OperationKind::wait, y), mutex);
  const Step signal = with_value(step(0, OperationKind::signal, y), 1);
  const Pairs pairs = races({wait, write(0, x), signal, write(1, x)});
  EXPECT_EQ(std::count(pairs.begin(), pairs.end(), std::pair(1U, 3U)), 0);
  EXPECT_TRUE(order.is_after(3, 1));
}

// --- Locks ---

TEST_F(HappensBeforeTest, ALockRacesWithTheLastOneThatFoundItOpen) {
  EXPECT_EQ(races({lock(0), unlock(0), lock(1), unlock(1)}), (Pairs{{0, 2}}));
}

TEST_F(HappensBeforeTest, WhatIsUnderOneLockIsOrderedByIt) {
  EXPECT_EQ(races({lock(0), write(0, x), unlock(0), lock(1), write(1, x), unlock(1)}),
            (Pairs{{0, 3}}));
}

TEST_F(HappensBeforeTest, ALockThatNeverCameRacesWithWhoHoldsIt) {
  EXPECT_EQ(races({lock(0), write(0, y)}), Pairs{});
  Step blocked = lock(1);
  order.add_blocked(blocked, races_);
  EXPECT_EQ(found(), Pairs{}) << "it was not blocked";
  blocked.flags = step_blocked;
  order.add_blocked(blocked, races_);
  EXPECT_EQ(found(), (Pairs{{0, HappensBefore::none}}));
}

TEST_F(HappensBeforeTest, WhatWasCutOffRacesAsIfItHadCome) {
  EXPECT_EQ(races({write(0, x), read(1, y)}), Pairs{});
  order.add_pending(write(2, x), races_);
  EXPECT_EQ(found(), (Pairs{{0, HappensBefore::none}}));
  EXPECT_EQ(races_[0].task, task_id(2));
}

// Whatever its number: a node's threads and links have numbers before they do anything.
TEST_F(HappensBeforeTest, WhoHasDoneNothingAtAllRacesToo) {
  const std::vector<Step> trace = {write(0, x), read(1, y)};
  EXPECT_EQ(races(trace), Pairs{});
  const Step pending = write(100, x);
  EXPECT_EQ(order.make_room({&pending, 1}), trace.size());
  order.extend(trace, races_, trace.size());
  EXPECT_EQ(found(), Pairs{}) << "all of it was known";
  order.add_pending(pending, races_);
  EXPECT_EQ(found(), (Pairs{{0, HappensBefore::none}}));
}

// --- Slots ---

TEST_F(HappensBeforeTest, StepsWithoutADecisionBelongToTheSlotBefore) {
  EXPECT_EQ(races({write(0, x), undecided(write(0, y)), write(1, y)}), (Pairs{{0, 1}}));
  ASSERT_EQ(order.slots().size(), 2u);
  EXPECT_EQ(order.slots()[1].step, 2u);
  EXPECT_EQ(order.slot_at(2), 1u);
  EXPECT_EQ(order.slot_at(1), HappensBefore::none);
}

TEST_F(HappensBeforeTest, ABlockIsWhatATaskRanWithoutASwitch) {
  races({write(0, x), write(1, x), write(1, x), write(1, y), write(0, y)});
  EXPECT_EQ(order.block_of(3), 1u);
  EXPECT_EQ(order.block_of(1), 1u);
  EXPECT_EQ(order.block_of(0), 0u);
  EXPECT_EQ(order.block_of(4), 4u);
}

// --- Going back ---

TEST_F(HappensBeforeTest, AfterARewindOnlyTheNewPartIsLookedAt) {
  EXPECT_EQ(races({write(0, x), write(1, x), write(0, y)}), (Pairs{{0, 1}}));
  order.rewind(2);
  EXPECT_EQ(order.slots().size(), 2u);
  EXPECT_EQ(races({write(0, x), write(1, x), write(1, y), write(0, y)}), (Pairs{{2, 3}}));
}

TEST_F(HappensBeforeTest, ARewindLeavesNothingBehind) {
  const std::vector<Step> first = {lock(0), write(0, x), unlock(0),
                                   lock(1), write(1, x), read(2, x)};
  const std::vector<Step> second = {lock(0), write(2, x), write(0, x), unlock(0), read(1, x)};
  races(first);
  for (std::uint64_t step = 0; step <= 1; ++step) {
    order.rewind(step);
    races(second);
    HappensBefore fresh;
    std::vector<HappensBefore::Race> expected;
    fresh.extend(second, expected);
    ASSERT_EQ(order.slots().size(), fresh.slots().size());
    for (std::uint32_t i = 0; i < order.slots().size(); ++i) {
      for (std::uint32_t task = 0; task < 3; ++task) {
        EXPECT_EQ(order.in_clock(order.slots()[i].clock, task),
                  fresh.in_clock(fresh.slots()[i].clock, task));
      }
    }
    order.rewind(1);
    races(first);
  }
}

TEST_F(HappensBeforeTest, TasksThatComeLateAreKnown) {
  std::vector<Step> trace;
  for (std::uint32_t task = 0; task < 40; ++task) trace.push_back(write(task, x));
  const Pairs pairs = races(trace);
  ASSERT_EQ(pairs.size(), 39u);
  for (std::uint32_t i = 0; i < 39; ++i) EXPECT_EQ(pairs[i], std::pair(i, i + 1));
}

// --- Ends ---

class ExecutionRacesTest : public testing::Test {
 protected:
  void look(const std::vector<Step>& trace, const std::vector<Step>& left, const Outcome& outcome,
            bool is_given_up = false) {
    races.set_left(left);
    races.rewind(0);
    races.extend(trace, outcome, is_given_up);
  }

  static Step blocked(Step step) {
    step.flags |= step_blocked;
    return step;
  }
  static Outcome bug() {
    Outcome outcome;
    outcome.kind = OutcomeKind::assertion;
    return outcome;
  }

  ExecutionRaces races;
};

TEST_F(ExecutionRacesTest, AnExecutionInWhichAllHaveEndedHasAnEnd) {
  look({write(0, x), write(1, x)}, {}, {});
  EXPECT_FALSE(races.is_at_limit());
  EXPECT_FALSE(races.ends_early());
  EXPECT_EQ(races.at_limit(), 0u);
}

TEST_F(ExecutionRacesTest, WhoCouldHaveGoneOnWasCutOff) {
  look({write(0, x), write(1, y)}, {blocked(lock(0)), write(1, x)}, {});
  EXPECT_TRUE(races.is_at_limit());
  EXPECT_TRUE(races.ends_early());
  EXPECT_EQ(races.at_limit(), 1u);
  ASSERT_EQ(races.races().size(), 1u);
  EXPECT_EQ(races.races()[0].task, task_id(1));
  races.restart();
  EXPECT_EQ(races.at_limit(), 0u);
}

TEST_F(ExecutionRacesTest, ADeadlockIsNoLimit) {
  look({lock(0), write(1, x)}, {blocked(lock(1))}, {});
  EXPECT_FALSE(races.is_at_limit());
  EXPECT_EQ(races.races().size(), 1u);
}

TEST_F(ExecutionRacesTest, ABugAndAnExitEndEarlyIfSomebodyIsLeft) {
  look({write(0, x)}, {write(1, y)}, bug());
  EXPECT_TRUE(races.ends_early());
  EXPECT_FALSE(races.is_at_limit());
  look({write(0, x)}, {}, bug());
  EXPECT_FALSE(races.ends_early());
  races.forget();
  look({write(0, x), step(0, OperationKind::exit, 0)}, {write(1, y)}, {});
  EXPECT_TRUE(races.ends_early());
  EXPECT_FALSE(races.is_at_limit());
}

TEST_F(ExecutionRacesTest, WhatTheSearchGivesUpWasNotCutAtTheLimit) {
  look({write(0, x), write(1, y)}, {write(1, x)}, {}, true);
  EXPECT_FALSE(races.is_at_limit());
  EXPECT_FALSE(races.ends_early());
  EXPECT_TRUE(races.races().empty());
}

TEST_F(ExecutionRacesTest, TheRacesOfWhoIsLeftComeByTaskOrTheBlockedOnesFirst) {
  const std::vector<Step> trace = {lock(0), write(0, x)};
  const std::vector<Step> left = {write(1, x), blocked(lock(2))};
  look(trace, left, {});
  ASSERT_EQ(races.races().size(), 2u);
  EXPECT_EQ(races.races()[0].task, task_id(1));
  ExecutionRaces other(ExecutionRaces::Left::blocked_first);
  other.set_left(left);
  other.extend(trace, {});
  ASSERT_EQ(other.races().size(), 2u);
  EXPECT_EQ(other.races()[0].task, task_id(2));
}

TEST_F(ExecutionRacesTest, AStepWithoutADecisionIsInTheSlotThatBeganBefore) {
  look({write(0, x), undecided(write(0, y)), write(1, y), undecided(read(1, x))}, {}, {});
  EXPECT_EQ(races.slot_start(0), 0u);
  EXPECT_EQ(races.slot_start(1), 0u);
  EXPECT_EQ(races.slot_start(2), 2u);
  EXPECT_EQ(races.slot_start(3), 2u);
  EXPECT_EQ(races.last_slot(), 1u);
}

}  // namespace
}  // namespace ricercar::inline strategy
