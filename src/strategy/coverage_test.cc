#include <gtest/gtest.h>

#include <set>

#include "strategy/registry.h"

namespace ricercar::inline strategy {
namespace {

using Keys = std::vector<std::uint64_t>;

// A world in which the test says what there is to do, and what it covers.
class Actions {
 public:
  explicit Actions(const std::string& name, const std::vector<std::uint16_t>& recorded = {})
      : strategy_(make_strategy(name, 1, resources_with(recorded))) {}

  void begin() { strategy_->begin(); }
  void end() { strategy_->end({}, {}); }

  // The key of the action that was taken.
  std::uint64_t choose(const Keys& keys) {
    TaskSet enabled;
    for (std::uint32_t i = 0; i < keys.size(); ++i) enabled.insert(task_id(i));
    const std::vector<Operation> pending(keys.size());
    strategy_->as<LearnsBlocks>()->actions(keys);
    const OptionList options(&enabled, enabled.size(), pending.data());
    return keys[strategy_->choose({ChoiceKind::schedule, 0, no_task, options})];
  }

  void cover(std::uint64_t key, std::uint32_t node, const std::vector<BlockCount>& blocks) {
    strategy_->as<LearnsBlocks>()->covered(Keys{key}, node, blocks);
  }

  std::string coverage() const { return strategy_->coverage().text; }

 private:
  static Resources resources_with(const std::vector<std::uint16_t>& recorded) {
    Resources resources;
    resources.first_execution = recorded;
    return resources;
  }

  std::unique_ptr<Strategy> strategy_;
};

// Everything was taken once: 9 covers nothing; 1 a block that was run through once, 2 two blocks
// that were run through often, by many nodes.
void learn(Actions& world) {
  for (const std::uint64_t key : {1, 2, 9}) {
    world.begin();
    EXPECT_EQ(world.choose({key, key}), key);
    if (key == 1) world.cover(1, 0, {{5, 1}});
    for (std::uint32_t node = 0; key == 2 && node < 12; ++node)
      world.cover(2, node, {{6, 1}, {7, 1}});
    world.end();
  }
}

TEST(Coverage, BeginsItsHistoryWithTheRecordedExecution) {
  for (const char* name : {"coverage", "coverage:score=unique", "coverage:score=node-frequency"}) {
    Actions world(name, {2, 0, 1});
    world.begin();
    EXPECT_EQ(world.choose({11, 12, 13}), 13u);
    world.cover(13, 0, {{5, 1}});
    EXPECT_EQ(world.choose({13, 12}), 13u);
    EXPECT_EQ(world.choose({11, 12}), 12u);
    world.end();
    EXPECT_NE(world.coverage().find("as recorded (3 decisions)"), std::string::npos);
    // What was not taken there comes first.
    world.begin();
    EXPECT_EQ(world.choose({11, 12, 13}), 11u);
    world.end();
  }
}

TEST(Coverage, SaysWhereTheRecordedExecutionWasNotPossible) {
  Actions world("coverage", {0, 7, 0});
  world.begin();
  world.choose({1, 2});
  world.choose({1, 2});
  world.choose({1, 2});
  world.end();
  EXPECT_NE(world.coverage().find("only 1 of 3 decisions were possible"), std::string::npos);
}

TEST(Coverage, TakesEveryActionOnceBeforeOneTwice) {
  Actions world("coverage");
  std::set<std::uint64_t> taken;
  for (int i = 0; i < 5; ++i) {
    world.begin();
    taken.insert(world.choose({1, 2, 3, 4, 5}));
    world.end();
  }
  EXPECT_EQ(taken.size(), 5);
}

TEST(Coverage, ThenTakesWhatIsWorthMostInThisExecution) {
  for (const auto& [score, key] :
       {std::pair("unique", 2), {"frequency", 1}, {"node-frequency", 2}}) {
    Actions world("coverage:score=" + std::string(score));
    learn(world);
    world.begin();
    EXPECT_EQ(world.choose({9, 9}), 9);
    EXPECT_EQ(world.choose({1, 2}), key) << score;
  }
}

TEST(Coverage, DoesNotCountWhatThisExecutionHasCovered) {
  Actions world("coverage:score=unique");
  learn(world);
  world.begin();
  EXPECT_EQ(world.choose({9, 9}), 9);
  world.cover(9, 0, {{6, 1}, {7, 1}});
  EXPECT_EQ(world.choose({1, 2}), 1);
}

TEST(Coverage, AvoidsABeginningThatItHasSeen) {
  Actions world("coverage:score=unique");
  learn(world);
  for (const std::uint64_t key : {2, 1}) {
    world.begin();
    EXPECT_EQ(world.choose({9, 9}), 9);
    EXPECT_EQ(world.choose({1, 2}), key);
    world.end();
  }
}

TEST(Coverage, SaysHowMuchWasCoveredAndWhenNothingWas) {
  Actions world("coverage");
  EXPECT_NE(world.coverage().find("compile with `ricercar c++ --coverage`"), std::string::npos);
  learn(world);
  EXPECT_EQ(world.coverage(), "executions: 3, actions: 3, blocks covered: 3");
}

// All steps are of one kind but for the blocks that they run through: a single one of 400 runs
// through another block. How often what may go wrong once does so behind it.
TEST(Coverage, LetsThingsGoWrongMoreOftenBehindWhatRunsThroughSeldomBlocks) {
  constexpr std::uint32_t choices = 400, window = 237, injector = 2;
  const auto strategy = make_strategy("coverage", 1);
  const std::vector<Operation> pending(3);
  int hits = 0;
  for (int i = 0; i < 400; ++i) {
    bool is_left = true;
    strategy->begin();
    for (std::uint32_t choice = 0; choice < choices; ++choice) {
      TaskSet enabled;
      for (const std::uint32_t task : {0u, 1u, injector}) {
        if (task != injector || is_left) enabled.insert(task_id(task));
      }
      ChoicePoint point = {ChoiceKind::schedule, choice, no_task,
                           OptionList(&enabled, enabled.size(), pending.data())};
      if (is_left) point.fault = {injector, 1};
      const bool has_happened = strategy->choose(point) == injector;
      if (has_happened && choice == window) ++hits;
      if (has_happened) is_left = false;
      const std::vector<BlockCount> blocks = {{choice + 1 == window ? 7u : 5u, 1}, {5, 1}};
      strategy->as<LearnsBlocks>()->covered(Keys{1}, 0, blocks);
    }
    strategy->end({}, {});
  }
  EXPECT_GT(hits, 20);  // each choice alike: one time
}

TEST(Coverage, WantsAScoreThatThereIs) {
  EXPECT_ANY_THROW(make_strategy("coverage:score=most", 1));
}

}  // namespace
}  // namespace ricercar::inline strategy
