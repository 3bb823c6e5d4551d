// Reads-from fuzzing: what it makes of what it has seen.
#include <gtest/gtest.h>

#include <set>

#include "strategy/reads_from.h"
#include "strategy/toy_world.h"

namespace ricercar::inline strategy {
namespace {

using toy::brute_force;
using toy::explore;
using toy::Operation;
using toy::Program;
using toy::Schedule;

Step step_at(std::uint64_t site, OperationKind kind, std::uint32_t task = 0) {
  return {site, 1024, 0, task_id(task), kind, 0, 8, 0, 2};
}
const Step write_at_5 = step_at(5, OperationKind::atomic_store);
const Step update_at_6 = step_at(6, OperationKind::atomic_update);
const Step read_at_7 = step_at(7, OperationKind::atomic_load);

TEST(ReadsFromPairs, AreTheSameInTheSameOrderAndOthersInAnother) {
  KnownReads reads;
  const Step first[] = {write_at_5, update_at_6, read_at_7};
  const Step second[] = {update_at_6, write_at_5, read_at_7};
  const KnownReads::Shown one = reads.learn(first);
  EXPECT_FALSE(one.new_pairs.empty());
  const KnownReads::Shown same = reads.learn(first);
  EXPECT_TRUE(same.new_pairs.empty());
  EXPECT_EQ(one.combination, same.combination);
  const KnownReads::Shown other = reads.learn(second);
  EXPECT_FALSE(other.new_pairs.empty());
  EXPECT_NE(one.combination, other.combination);
}

TEST(ReadsFromPairs, AreMadeOfAnyWriteAndAnyReadOfOneObject) {
  KnownReads reads;
  const Step steps[] = {write_at_5, update_at_6, read_at_7};
  reads.learn(steps);
  std::set<std::pair<std::uint64_t, std::uint64_t>> drawn;
  Random random(1);
  for (int i = 0; i < 100; ++i) {
    const ReadsFrom pair = reads.any(random);
    drawn.insert({pair.write, pair.read});
  }
  using Pairs = std::set<std::pair<std::uint64_t, std::uint64_t>>;
  EXPECT_EQ(drawn, (Pairs{{5, 6}, {5, 7}, {6, 6}, {6, 7}}));
}

std::vector<Schedule> distinct(const std::vector<toy::Execution>& executions) {
  auto schedules = toy::sorted_schedules(executions);
  schedules.erase(std::unique(schedules.begin(), schedules.end()), schedules.end());
  return schedules;
}

TEST(Rff, CanMakeEveryExecution) {
  const Operation write{Operation::write, 0}, read{Operation::read, 0};
  const Program programs[] = {
      {{write, read}, {write, read}},
      {{write}, {read, {}}, {{Operation::choose, 2}}},
      toy::critical_sections(2, 2),
  };
  for (const Program& program : programs) {
    EXPECT_EQ(distinct(explore(program, "rff", 20000)),
              toy::sorted_schedules(brute_force(program)));
  }
}

TEST(Rff, MakesTheSameExecutionsFromTheSameSeed) {
  const Program program = toy::critical_sections(3, 3);
  const auto schedules = [&](std::uint64_t seed) {
    std::vector<Schedule> all;
    for (const auto& execution : explore(program, *make_strategy("rff", seed), 50))
      all.push_back(execution.schedule);
    return all;
  };
  EXPECT_EQ(schedules(4), schedules(4));
  EXPECT_NE(schedules(4), schedules(5));
}

// Two tasks write one variable each at the end of many steps of their own on another one, and the
// last reads both in between: the pairs of writes and reads tell apart what matters.
TEST(Rff, NeedsFewerExecutionsThanRandomWhereARareReadIsMissing) {
  Program program(2);
  const Operation noise{Operation::write, 1}, write{Operation::write, 0};
  for (int i = 0; i < 12; ++i) program[0].push_back(noise);
  program[0].push_back(write);
  program[1] = {noise, {Operation::read, 1}, {Operation::check, 0}};
  // The check fails unless it comes after the write, and so behind all of the other task's steps.
  const auto passes = [&](const std::string& name) {
    int passed = 0;
    for (const auto& execution : explore(program, name, 2000)) passed += execution.failed ? 0 : 1;
    return passed;
  };
  EXPECT_GT(passes("rff"), 4 * passes("random"));
}

}  // namespace
}  // namespace ricercar::inline strategy
