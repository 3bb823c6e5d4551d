#include "report/coverage_merge.h"

#include <gtest/gtest.h>

#include <numeric>

#include "base/error.h"
#include "report/coverage_curve.h"
#include "report/coverage_example.h"
#include "report/coverage_figures.h"

namespace ricercar::inline report {
namespace {

// Has two statements of the example, with other numbers, and one of its own.
CoverageSets other_sets() {
  CoverageSets sets;
  sets.program = "queue_test";
  sets.executions = 3;
  sets.statements = {{"queue.cc:60", {}},
                     {"queue.cc:41", {"main.cc:12", "main.cc:30"}},
                     {"queue.cc:41", {"main.cc:12"}},
                     {"queue.cc:62", {"main.cc:14"}}};
  sets.pairs = {{0, 1, false, 5, 1},   // seen in both
                {1, 3, true, 2, 2},    // only possible in the example
                {0, 2, false, 1, 2}};  // new
  sets.added = {1, 2, 0};
  return sets;
}

std::uint64_t sum(const std::vector<std::uint64_t>& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), std::uint64_t{0});
}

std::string error_of(const CoverageSets& a, const CoverageSets& b, MergeOptions options = {}) {
  try {
    merge(a, b, options);
    return {};
  } catch (const UsageError& error) {
    return error.what();
  }
}

TEST(Merge, UnitesByText) {
  const CoverageSets result = merge(example_sets(), other_sets());
  EXPECT_EQ(result.program, "queue_test");
  EXPECT_EQ(result.executions, 43U);
  EXPECT_EQ(result.statements.size(), 5U);
  const std::vector<CoveragePair> expected = {
      {0, 1, true, 37, 2},    {0, 2, true, 2, 42},  {1, 0, false, 125, 1},
      {1, 3, false, 2000, 1}, {1, 4, false, 1, 42}, {2, 0, false, 1, 9},
      {2, 2, false, 40, 1},   {3, 1, true, 1, 4},   {3, 2, true, 0, 0}};
  EXPECT_EQ(result.pairs, expected);
}

TEST(Merge, AppendsTheCurveWithoutWhatWasKnown) {
  const CoverageSets result = merge(example_sets(), other_sets());
  EXPECT_EQ(result.added.size(), 43U);
  EXPECT_EQ(result.added[40], 0U) << "that pair was seen in execution 1";
  EXPECT_EQ(result.added[41], 2U);
  EXPECT_EQ(sum(result.added), figures_of(result).seen);
}

TEST(Merge, IsCommutativeInContent) {
  const CoverageSets one = merge(example_sets(), other_sets());
  const CoverageSets two = merge(other_sets(), example_sets());
  EXPECT_EQ(content_of(one), content_of(two));
  EXPECT_EQ(one.executions, two.executions);
  EXPECT_EQ(sum(one.added), sum(two.added));
}

TEST(Merge, IsAssociative) {
  CoverageSets third = other_sets();
  third.statements[2].place = "queue.cc:99";
  const CoverageSets left = merge(merge(example_sets(), other_sets()), third);
  const CoverageSets right = merge(example_sets(), merge(other_sets(), third));
  EXPECT_EQ(content_of(left), content_of(right));
  EXPECT_EQ(left.added, right.added);
}

TEST(Merge, WithItselfAddsNoPair) {
  const CoverageSets sets = example_sets();
  const CoverageSets twice = merge(sets, sets);
  EXPECT_EQ(twice.statements, sets.statements);
  std::vector<PairText> expected = content_of(sets);
  for (PairText& pair : expected) pair.count *= 2;
  EXPECT_EQ(content_of(twice), expected);
  EXPECT_EQ(figures_of(twice).quiet, 31U + 40U);
  EXPECT_EQ(sum(twice.added), sum(sets.added));
}

TEST(Merge, WithNothingChangesNothing) {
  CoverageSets nothing;
  nothing.program = "queue_test";
  EXPECT_EQ(content_of(merge(example_sets(), nothing)), content_of(example_sets()));
  EXPECT_EQ(merge(example_sets(), nothing).added, example_sets().added);
  EXPECT_EQ(merge(nothing, example_sets()).added, example_sets().added);
}

TEST(Merge, BringsCurvesToOneScale) {
  CoverageSets coarse = other_sets();
  coarse.executions = 200000;
  coarse.pairs.clear();
  coarse.added.assign(50000, 1);
  ASSERT_EQ(executions_per_entry(coarse), 4U);
  const CoverageSets result = merge(example_sets(), coarse);
  EXPECT_EQ(result.added.size(), 50010U);
  EXPECT_EQ(executions_per_entry(result), 4U);
  EXPECT_EQ(sum(result.added), 50006U);
  EXPECT_EQ(result.added[0], 5U) << "executions 1 to 4";
}

TEST(Merge, RefusesTwoPrograms) {
  CoverageSets other = other_sets();
  other.program = "stack_test";
  EXPECT_EQ(error_of(example_sets(), other),
            "the sets are of two programs, 'queue_test' and 'stack_test'; if that is what you "
            "want, merge them with --force");
  EXPECT_EQ(error_of(example_sets(), other, {.force = true}), "");
  EXPECT_EQ(merge(example_sets(), other, {.force = true}).program, "queue_test");
}

TEST(Merge, RefusesTwoContextsAlways) {
  CoverageSets other = other_sets();
  other.context = 2;
  EXPECT_EQ(error_of(example_sets(), other, {.force = true}),
            "the sets of 'queue_test' tell statements apart by 5 calls and those of 'queue_test' "
            "by 2, so they have nothing in common; learn both with the same context=N");
}

TEST(Merge, TakesAMillionPairs) {
  const CoverageSets sets = sets_of_size(2000, 1000000);
  EXPECT_EQ(merge(sets, sets).pairs.size(), 1000000U);
}

}  // namespace
}  // namespace ricercar::inline report
