#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <vector>

#include "model/shared_array.h"
#include "search/search_loop.h"
#include "search/toy_search.h"

namespace ricercar::inline search {
namespace {

using toy::FoundByChance;
using toy::Operation;
using toy::Program;
using toy::ToyWorld;

struct Answer {
  LastChance chance;
  toy::Schedule passing;  // empty: there is none
};

// What was decided at points, as a schedule of all steps.
toy::Schedule schedule_of(const Program& program, const FoundBug& bug) {
  toy::World world(program);
  toy::Schedule schedule;
  std::size_t next = 0;
  while (!world.ended() && !world.failed()) {
    const bool is_choice = world.enabled().size() > 1;
    const TaskId task = is_choice ? task_id(bug.decisions[next++]) : world.enabled().nth(0);
    schedule.push_back(static_cast<int>(index(task)));
    std::uint32_t value = 0;
    if (world.alternatives(task) > 1) {
      value = bug.decisions[next++];
      schedule.push_back(-1 - static_cast<int>(value));
    }
    world.perform(task, value);
  }
  return schedule;
}

Answer look_for_last_chance(const Program& program, const FoundByChance& found,
                            std::uint64_t budget = 10000000) {
  const auto control = std::make_unique<Control>();
  control->request.decisions = to_shared(found.decisions);
  control->request.variants = {VariantRequest::nearest_passing, found.kind, found.steps, budget};
  ToyWorld world(*control, program);
  SearchLoop loop(*control);
  loop.run(world);
  Answer answer{control->last_chance, {}};
  if (control->first_bug != nullptr && control->first_bug->outcome.kind == OutcomeKind::ok) {
    answer.passing = schedule_of(program, *control->first_bug);
  }
  loop.forget();
  return answer;
}

toy::Schedule schedule_of(const Program& program, const FoundByChance& found) {
  FoundBug bug;
  bug.decisions = to_shared(found.decisions);
  return schedule_of(program, bug);
}

// Written once more, from the schedule alone.
std::set<std::tuple<int, int, int, int>> switches_of(const toy::Schedule& schedule) {
  std::set<std::tuple<int, int, int, int>> switches;
  std::map<int, int> steps;
  int last = schedule.front();
  for (const int entry : schedule) {
    const int task = entry < 0 ? last : entry;
    if (task != last) switches.insert({last, steps[last], task, steps[task]});
    last = task;
    ++steps[task];
  }
  return switches;
}

std::uint64_t differences_of(const toy::Schedule& one, const toy::Schedule& other) {
  const auto of_one = switches_of(one);
  const auto of_other = switches_of(other);
  std::vector<std::tuple<int, int, int, int>> different;
  std::set_symmetric_difference(of_one.begin(), of_one.end(), of_other.begin(), of_other.end(),
                                std::back_inserter(different));
  return different.size();
}

std::uint64_t parting_of(const toy::Schedule& one, const toy::Schedule& other) {
  const auto parting = std::mismatch(one.begin(), one.end(), other.begin(), other.end());
  return static_cast<std::uint64_t>(parting.first - one.begin());
}

// The index in the trace of an entry of a schedule: the end of a task is a step of its own there.
std::uint64_t index_in_trace(const Program& program, const toy::Schedule& schedule,
                             std::uint64_t entry) {
  toy::World world(program);
  std::uint64_t ends = 0;
  for (std::uint64_t i = 0; i < entry;) {
    const TaskId task = task_id(static_cast<std::uint32_t>(schedule[i++]));
    const bool has_value = world.alternatives(task) > 1;
    if (has_value && i == entry) break;
    world.perform(task, has_value ? static_cast<std::uint32_t>(-1 - schedule[i++]) : 0);
    ends += world.has_ended(task) ? 1 : 0;
  }
  return entry + ends;
}

// From all executions that there are; the step is an entry of the schedule.
LastChance exact_answer(const Program& program, const toy::Schedule& failing) {
  LastChance exact;
  const std::vector<toy::Execution> all = toy::brute_force(program);
  for (const toy::Execution& execution : all) {
    if (execution.deadlock || execution.failed) continue;
    const std::uint64_t step = parting_of(failing, execution.schedule);
    const std::uint64_t differences = differences_of(failing, execution.schedule);
    if (exact.passes && step < exact.step) continue;
    if (exact.passes && step == exact.step && differences >= exact.differences) continue;
    exact.passes = true;
    exact.step = step;
    exact.differences = differences;
  }
  for (const toy::Execution& execution : all) {
    const std::uint64_t step = parting_of(failing, execution.schedule);
    const bool is_later = !exact.passes || step > exact.step;
    if (is_later && execution.schedule != failing) ++exact.later;
  }
  return exact;
}

const Program crossed_locks = {
    {{Operation::step},
     {Operation::lock, 0},
     {Operation::lock, 1},
     {Operation::unlock, 1},
     {Operation::unlock, 0}},
    {{Operation::step},
     {Operation::lock, 1},
     {Operation::lock, 0},
     {Operation::unlock, 0},
     {Operation::unlock, 1}},
    {{Operation::step}, {Operation::step}},
};

// The check fails only if it comes before the write, which nobody can prevent any more once the
// lock is taken by the one that checks.
const Program early_check = {
    {{Operation::step}, {Operation::lock, 0}, {Operation::write, 0}, {Operation::unlock, 0}},
    {{Operation::step},
     {Operation::lock, 0},
     {Operation::step},
     {Operation::check, 0},
     {Operation::unlock, 0}},
    {{Operation::step}, {Operation::step}},
};

const Program chosen_lock = {
    {{Operation::choose, 3},
     {Operation::lock, 0},
     {Operation::lock, 1},
     {Operation::unlock, 1},
     {Operation::unlock, 0}},
    {{Operation::lock, 1},
     {Operation::choose, 2},
     {Operation::lock, 0},
     {Operation::unlock, 0},
     {Operation::unlock, 1}},
};

const Program always_fails = {
    {{Operation::step}, {Operation::check, 0}},
    {{Operation::step}, {Operation::step}},
};

void expect_exact(const Program& program, OutcomeKind kind) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const FoundByChance found = toy::search_for_bug(program, kind, seed);
    ASSERT_FALSE(found.decisions.empty());
    const toy::Schedule failing = schedule_of(program, found);
    const Answer answer = look_for_last_chance(program, found);
    const LastChance exact = exact_answer(program, failing);
    EXPECT_TRUE(answer.chance.is_complete) << "seed " << seed;
    ASSERT_EQ(answer.chance.passes, exact.passes) << "seed " << seed;
    EXPECT_EQ(answer.chance.later, exact.later) << "seed " << seed;
    if (!exact.passes) continue;
    EXPECT_EQ(answer.chance.step, index_in_trace(program, failing, exact.step)) << "seed " << seed;
    EXPECT_EQ(answer.chance.differences, exact.differences) << "seed " << seed;
    EXPECT_EQ(parting_of(failing, answer.passing), exact.step) << "seed " << seed;
    EXPECT_EQ(differences_of(failing, answer.passing), exact.differences) << "seed " << seed;
  }
}

TEST(LastChanceTest, IsThatOfAllExecutionsOfADeadlock) {
  expect_exact(crossed_locks, OutcomeKind::deadlock);
}

TEST(LastChanceTest, IsThatOfAllExecutionsOfAFailedCheck) {
  expect_exact(early_check, OutcomeKind::assertion);
}

TEST(LastChanceTest, IsThatOfAllExecutionsWithChosenValues) {
  expect_exact(chosen_lock, OutcomeKind::deadlock);
}

TEST(LastChanceTest, IsNoneIfNothingPasses) { expect_exact(always_fails, OutcomeKind::assertion); }

TEST(LastChanceTest, ClaimsNothingBeyondItsBudget) {
  const FoundByChance found = toy::search_for_bug(crossed_locks, OutcomeKind::deadlock, 3);
  const toy::Schedule failing = schedule_of(crossed_locks, found);
  const LastChance exact = exact_answer(crossed_locks, failing);
  const std::uint64_t step = index_in_trace(crossed_locks, failing, exact.step);
  for (std::uint64_t budget = 1; budget < 20000; budget += 500) {
    const LastChance chance = look_for_last_chance(crossed_locks, found, budget).chance;
    if (chance.is_complete) {
      EXPECT_EQ(chance.step, step);
      EXPECT_EQ(chance.later, exact.later);
    } else if (chance.passes) {
      EXPECT_LE(chance.step, step);
    }
  }
  EXPECT_FALSE(look_for_last_chance(crossed_locks, found, 1).chance.passes);
  EXPECT_FALSE(look_for_last_chance(crossed_locks, found, 1).chance.is_complete);
}

TEST(LastChanceTest, GivesTheSameAnswerTwice) {
  const FoundByChance found = toy::search_for_bug(crossed_locks, OutcomeKind::deadlock, 5);
  const Answer one = look_for_last_chance(crossed_locks, found, 5000);
  const Answer other = look_for_last_chance(crossed_locks, found, 5000);
  EXPECT_EQ(one.passing, other.passing);
  EXPECT_EQ(one.chance.executions, other.chance.executions);
}

}  // namespace
}  // namespace ricercar::inline search
