#include <gtest/gtest.h>

#include "strategy/delaying/state_graph.h"

namespace ricercar::inline strategy {
namespace {

// A graph that is drawn by hand: states by number, monitors that are hot there, tasks that can go
// on.
class Drawing {
 public:
  void state(std::uint64_t number, std::uint64_t hot, const std::vector<std::uint32_t>& enabled) {
    show(number, hot, 0, enabled, [&](const State& shown) { EXPECT_EQ(graph.add(shown), number); });
    states_.push_back({hot, enabled});
  }
  // A task takes the program from one state to another, and monitors stay hot meanwhile.
  void step(std::uint32_t from, std::uint32_t to, std::uint16_t task,
            std::uint64_t stayed_hot = 1) {
    const auto& [hot, enabled] = states_[to];
    show(to, hot, stayed_hot, enabled,
         [&](const State& shown) { graph.add_step(from, to, {task}, shown); });
  }
  std::vector<int> next_cycle() {
    std::vector<int> tasks;
    for (const DecidedStep& step : graph.next_cycle()) tasks.push_back(step.task);
    return tasks;
  }

  StateGraph graph;

 private:
  template <typename Use>
  static void show(std::uint64_t number, std::uint64_t hot, std::uint64_t stayed,
                   const std::vector<std::uint32_t>& enabled, Use use) {
    TaskSet tasks;
    for (const std::uint32_t task : enabled) tasks.insert(task_id(task));
    use(State{{number % 2, number}, tasks, no_task, {}, nullptr, hot, stayed});
  }

  std::vector<std::pair<std::uint64_t, std::vector<std::uint32_t>>> states_;
};

using Tasks = std::vector<int>;

// 0 --0--> 1 --1--> 2 --1--> 1
Drawing ring(const std::vector<std::uint32_t>& enabled_in_it, std::uint64_t hot) {
  Drawing drawing;
  drawing.state(0, 0, {0, 1});
  drawing.state(1, hot, enabled_in_it);
  drawing.state(2, 1, {1});
  drawing.step(0, 1, 0, 0);
  drawing.step(1, 2, 1);
  drawing.step(2, 1, 1);
  return drawing;
}

TEST(StateGraph, ProposesTheWayToAHotCycleAndOnceAroundIt) {
  Drawing drawing = ring({1}, 1);
  EXPECT_EQ(drawing.next_cycle(), (Tasks{0, 1, 1}));
  EXPECT_EQ(drawing.next_cycle(), Tasks{});
}

TEST(StateGraph, KeepsToStatesAndStepsThatAreHot) {
  EXPECT_EQ(ring({1}, 0).next_cycle(), Tasks{});
  EXPECT_EQ(ring({1}, 2).next_cycle(), Tasks{});
  Drawing cold_on_the_way = ring({1}, 1);
  EXPECT_EQ(cold_on_the_way.next_cycle(), (Tasks{0, 1, 1}));
  Drawing drawing;
  drawing.state(0, 1, {0});
  drawing.step(0, 0, 0, 0);
  EXPECT_EQ(drawing.next_cycle(), Tasks{});
}

// Task 2 could go on in both states of the ring, and never does.
TEST(StateGraph, ProposesNoCycleThatKeepsSomebodyWaiting) {
  Drawing unfair;
  unfair.state(0, 1, {1, 2});
  unfair.state(1, 1, {1, 2});
  unfair.step(0, 1, 1);
  unfair.step(1, 0, 1);
  EXPECT_EQ(unfair.next_cycle(), Tasks{});
  unfair.step(1, 1, 2);
  EXPECT_EQ(unfair.next_cycle(), (Tasks{1, 2, 1}));
}

// Task 2 can go on at the start of the cycle; it is fair only by way of the state where it cannot.
TEST(StateGraph, GoesThroughAStateInWhichATaskCannotGoOn) {
  Drawing drawing;
  drawing.state(0, 1, {1, 2});
  drawing.state(1, 1, {1, 2});
  drawing.state(2, 1, {1});
  drawing.step(0, 1, 1);
  drawing.step(1, 0, 1);
  drawing.step(1, 2, 1);
  drawing.step(2, 0, 1);
  EXPECT_EQ(drawing.next_cycle(), (Tasks{1, 1, 1}));
}

}  // namespace
}  // namespace ricercar::inline strategy
