// Predecessor sets: the examples of the paper (Wang, Said, Gupta, ICSE 2011), with the exact sets
// of all statements, from traces that are written down here.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "strategy/hapset/events.h"
#include "strategy/hapset/learned_sets.h"

namespace ricercar::inline strategy {
namespace {

// A statement is a letter; its site is the letter's code.
struct Line {
  char name;
  std::uint32_t task;
  OperationKind kind;
  std::uint64_t object;
  std::uint8_t open = 0;
};

Step step_of(const Line& line) {
  return {static_cast<std::uint64_t>(line.name),
          line.object,
          0,
          task_id(line.task),
          line.kind,
          0,
          4,
          line.open,
          2};
}

using Sets = std::map<char, std::set<char>>;

class HapSets : public testing::Test {
 protected:
  // A good execution, that shares so many steps with the last one.
  void learn(const std::vector<Line>& lines, std::size_t known = 0) {
    std::vector<Step> trace;
    for (const Line& line : lines) trace.push_back(step_of(line));
    const std::vector<ContextId> contexts(trace.size(), CallContexts::outermost);
    statements_.sets().begin_execution();
    events_.rewind(known);
    events_.extend(trace, contexts, true);
  }

  Sets sets() const {
    Sets result;
    statements_.sets().for_each([&](const PredecessorSets::Entry& entry) {
      if (entry.count != 0) result[name(entry.pair.later)].insert(name(entry.pair.earlier));
    });
    return result;
  }

  // Without anyone who knows places an address stands for itself, doubled.
  char name(PredecessorSets::Statement statement) const {
    return static_cast<char>(statements_.sets().places(statement)[0] / 2);
  }

  Statements statements_{5};
  RunEvents events_{statements_};
};

// --- Figure 1: T1 sets the pointer p and frees it, T2 looks whether it is null and uses it ---

constexpr std::uint64_t p = 0x1000;
const Line e1{'1', 1, OperationKind::write, p};
const Line e2{'2', 2, OperationKind::read, p};
const Line e3{'3', 2, OperationKind::read, p};
const Line e4{'4', 1, OperationKind::write, p};

TEST_F(HapSets, OfFigure1) {
  learn({e1, e2, e3, e4});
  EXPECT_EQ(sets(), (Sets{{'2', {'1'}}, {'4', {'3'}}}));
}

TEST_F(HapSets, OfAllGoodRunsOfFigure1) {
  learn({e1, e2, e3, e4});
  learn({e2, e1, e4});  // p was still null, so that it was not used
  learn({e1, e4, e2});  // p was null again
  EXPECT_EQ(sets(), (Sets{{'1', {'2'}}, {'2', {'1', '4'}}, {'4', {'3'}}}));
}

TEST_F(HapSets, OfTheViolationOfFigure1) {
  learn({e1, e2, e4, e3});
  EXPECT_EQ(sets(), (Sets{{'2', {'1'}}, {'3', {'4'}}, {'4', {'2'}}}));
}

// --- Figure 2: T1 waits in a loop, with a lock, for T2 to set x ---

constexpr std::uint64_t mutex = 0x2000;
constexpr std::uint64_t x = 0x3000;
const Line b{'b', 1, OperationKind::lock, mutex};
const Line c{'c', 1, OperationKind::read, x};
const Line d{'d', 1, OperationKind::unlock, mutex};
const Line f{'f', 2, OperationKind::lock, mutex};
const Line g{'g', 2, OperationKind::write, x};
const Line h{'h', 2, OperationKind::unlock, mutex};

TEST_F(HapSets, OfFigure2) {
  learn({b, c, d, b, c, d, b, c, d, f, g, h, b, c, d});
  EXPECT_EQ(sets(), (Sets{{'b', {'f'}}, {'c', {'g'}}, {'f', {'b'}}, {'g', {'c'}}}));
}

// Section 5.2: first T2 goes before the loop, then T1.
TEST_F(HapSets, OfSection52AfterEachRun) {
  learn({f, g, h, b, c, d});
  EXPECT_EQ(sets(), (Sets{{'b', {'f'}}, {'c', {'g'}}}));
  learn({b, c, d, f, g, h, b, c, d});
  EXPECT_EQ(sets(), (Sets{{'b', {'f'}}, {'c', {'g'}}, {'f', {'b'}}, {'g', {'c'}}}));
  EXPECT_EQ(statements_.sets().added(), (std::vector<std::uint32_t>{2, 2}));
}

// --- What counts ---

TEST_F(HapSets, KnowWhichThreadIsLocal) {
  learn({e1, e2});
  learn({e2, e1});
  int local = 0;
  statements_.sets().for_each([&](const PredecessorSets::Entry& entry) {
    EXPECT_EQ(entry.pair.later_is_local, name(entry.pair.later) == '1');
    local += entry.pair.later_is_local ? 1 : 0;
  });
  EXPECT_EQ(statements_.sets().size(), 2U);
  EXPECT_EQ(local, 1);
}

TEST_F(HapSets, TakeTheLastOneOfEachOtherThread) {
  const Line r1{'a', 1, OperationKind::read, x};
  const Line r2{'r', 2, OperationKind::read, x};
  const Line w3{'w', 3, OperationKind::write, x};
  const Line r4{'z', 4, OperationKind::read, x};
  learn({r1, r2, w3, r4});
  EXPECT_EQ(sets(), (Sets{{'w', {'a', 'r'}}, {'z', {'w'}}}));
}

TEST_F(HapSets, LeaveOutUnlocksUnlessTheLockIsRecursive) {
  const Line unlock{'u', 1, OperationKind::unlock, mutex};
  const Line recursive{'v', 1, OperationKind::unlock, mutex, recursive_lock};
  learn({b, unlock, f});
  EXPECT_EQ(sets(), (Sets{{'f', {'b'}}}));
  learn({b, recursive, f});
  EXPECT_EQ(sets(), (Sets{{'f', {'b', 'v'}}}));
}

TEST_F(HapSets, PairWaitsWithNotifications) {
  const Line wait{'w', 1, OperationKind::wait, mutex + 64};
  const Line other{'v', 3, OperationKind::wait, mutex + 64};
  const Line notify{'n', 2, OperationKind::signal, mutex + 64};
  learn({wait, other, notify});
  EXPECT_EQ(sets(), (Sets{{'n', {'w', 'v'}}}));
}

TEST_F(HapSets, SeeAccessesThatOverlap) {
  Line word{'w', 1, OperationKind::write, x};
  Line half{'h', 2, OperationKind::read, x + 2};
  Line apart{'a', 3, OperationKind::read, x + 4};
  learn({word, half, apart});
  EXPECT_EQ(sets(), (Sets{{'h', {'w'}}}));
}

// Executions that begin alike are looked at only where they are new, with the same result.
TEST_F(HapSets, AreTheSameWithAKnownPrefix) {
  learn({e1, e2, e3, e4});
  learn({e1, e2, e4, e3}, 2);
  EXPECT_EQ(sets(), (Sets{{'2', {'1'}}, {'3', {'4'}}, {'4', {'2', '3'}}}));
}

// --- The table ---

TEST(PredecessorSets, HoldAMillionPairsInALittleMemory) {
  PredecessorSets sets;
  constexpr std::uint32_t statements = 1000;
  for (std::uint64_t i = 0; i < statements; ++i) sets.statement(std::vector{i});
  std::size_t most = 0;
  for (std::uint32_t later = 0; later < statements; ++later) {
    for (std::uint32_t earlier = 0; earlier < statements; ++earlier) {
      const std::size_t before = sets.bytes();
      EXPECT_TRUE(sets.add({later, earlier, (later + earlier) % 2 == 0}));
      // While it grows both tables are there.
      most = std::max(most, sets.bytes() + (sets.bytes() != before ? before : 0));
    }
  }
  EXPECT_EQ(sets.size(), 1000000U);
  EXPECT_LE(most, std::size_t{64} << 20);
  EXPECT_TRUE(sets.contains({7, 8, false}));
  EXPECT_FALSE(sets.contains({7, 8, true}));
}

TEST(PredecessorSets, TellTheSeenFromThePossible) {
  PredecessorSets sets;
  sets.statement(std::vector<std::uint64_t>{1});
  sets.statement(std::vector<std::uint64_t>{2});
  sets.add_possible({0, 1, true});
  EXPECT_FALSE(sets.contains({0, 1, true}));
  EXPECT_EQ(sets.possible(), 1U);
  sets.begin_execution();
  EXPECT_TRUE(sets.add({0, 1, true}));
  EXPECT_FALSE(sets.add({0, 1, true}));
  EXPECT_EQ(sets.possible(), 0U);
  EXPECT_EQ(sets.size(), 1U);
}

TEST(PredecessorSets, GoOnFromWhatWasLearned) {
  const std::uint64_t places[] = {10, 11, 20};
  const std::uint32_t ends[] = {2, 3};
  const LearnedPair pairs[] = {{0, 1, 4, true}, {1, 0, 0, false}};
  PredecessorSets sets;
  give({places, ends, pairs}, sets);
  EXPECT_TRUE(sets.contains({0, 1, true}));
  EXPECT_FALSE(sets.contains({1, 0, false}));
  EXPECT_EQ(sets.possible(), 1U);
  EXPECT_EQ(sets.statement(std::vector<std::uint64_t>{10, 11}), 0U);
}

// --- Calls ---

TEST(CallContexts, KeepTheLastCalls) {
  CallContexts contexts(2);
  const ContextId one = contexts.enter(CallContexts::outermost, 100);
  const ContextId two = contexts.enter(one, 200);
  const ContextId three = contexts.enter(two, 300);
  EXPECT_EQ(contexts.calls(three)[0], 300U);
  EXPECT_EQ(contexts.calls(three)[1], 200U);
  EXPECT_EQ(contexts.calls(three).size(), 2U);
  EXPECT_EQ(contexts.recent(one, 200), two);
  // Recursion comes to an end.
  ContextId deep = one;
  for (int i = 0; i < 10; ++i) deep = contexts.enter(deep, 500);
  EXPECT_EQ(contexts.enter(deep, 500), deep);
}

}  // namespace
}  // namespace ricercar::inline strategy
