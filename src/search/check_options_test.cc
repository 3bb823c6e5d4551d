#include "search/check_options.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "search/check_call.h"

namespace ricercar::inline search {
namespace {

ricercar_options in_code() {
  ricercar_options options{};
  options.size = sizeof options;
  options.executions = 10000;
  options.strategy = "dfs";
  return options;
}

CheckOptions with(const char* environment, const std::vector<std::string>& arguments = {}) {
  return check_options(in_code(), environment, arguments);
}

std::string complaint(const char* environment, const std::vector<std::string>& arguments = {}) {
  try {
    with(environment, arguments);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "none";
}

TEST(CheckOptions, TheCommandLineStandsAboveTheEnvironmentAndThatAboveTheCode) {
  EXPECT_EQ(with(nullptr).request.strategy, "dfs");
  EXPECT_EQ(with("--strategy pct:depth=3").request.strategy, "pct:depth=3");
  const CheckOptions both = with("--strategy=pb --seed 7", {"-x", "--ricercar-strategy=random"});
  EXPECT_EQ(both.request.strategy, "random");
  EXPECT_EQ(both.request.seed, 7U);
}

TEST(CheckOptions, ATimeIsTheLimitUnlessThereIsANumberOfExecutionsBesides) {
  EXPECT_EQ(with("--time 2.5").request.max_executions, 0U);
  EXPECT_EQ(with("--time 2.5").request.max_seconds, 2.5);
  EXPECT_EQ(with("--time 2.5 --executions 9").request.max_executions, 9U);
  EXPECT_EQ(with("--executions 9 --time 2.5").request.max_executions, 9U);
}

TEST(CheckOptions, FlagsAndListsMeanWhatTheyMeanOnTheCommandLineOfRun) {
  const CheckOptions options = with("--keep-going --no-races --spurious --weak-failures --out x");
  EXPECT_TRUE(options.request.keep_going);
  EXPECT_FALSE(options.request.races);
  EXPECT_TRUE(options.request.spurious_wakeups);
  EXPECT_TRUE(options.request.weak_failures);
  EXPECT_EQ(options.out, "x");
  EXPECT_NE(with("--ignore leak").request.ignored_kinds, 0U);
}

TEST(CheckOptions, AWordThatMeansNothingIsSaidToMeanNothing) {
  EXPECT_EQ(complaint("--stratgy dfs"),
            "RICERCAR_OPTIONS: '--stratgy': ricercar::check has no such option; did you mean "
            "'strategy'?");
  EXPECT_EQ(complaint("", {"--ricercar-seed=x"}), "'--ricercar-seed=x': a number is wanted");
  EXPECT_EQ(complaint("--seed -1"), "RICERCAR_OPTIONS: '--seed': a number is wanted");
  EXPECT_EQ(complaint("dfs"), "RICERCAR_OPTIONS: 'dfs': options begin with --");
  EXPECT_EQ(complaint("--keep-going=1"), "RICERCAR_OPTIONS: '--keep-going=1': it takes no value");
}

TEST(CheckOptions, AProgramOfAnEarlierVersionHasNoName) {
  ricercar_options options = in_code();
  options.name = "made of rubbish";
  options.size = offsetof(ricercar_options, name);
  EXPECT_EQ(name_in(options), "");
}

TEST(CheckCall, TwoTestsNeverHaveASchedulesNameInCommon) {
  begin_test("Suite/Odd name");
  const CheckCall first = next_check("");
  const CheckCall second = next_check("");
  begin_test("Suite_Odd name");
  const CheckCall other = next_check("");
  begin_test("");
  const CheckCall nameless = next_check("");
  const std::string folder = "/out/check_options_test.";
  EXPECT_EQ(schedule_path("/out", next_check("Queue.IsLinear"), 2),
            folder + "Queue.IsLinear-bug-2.json");
  EXPECT_EQ(schedule_path("/out", nameless, 1), folder + "check-4-bug-1.json");
  EXPECT_TRUE(schedule_path("/out", first, 1).starts_with(folder + "Suite_Odd_name-"));
  EXPECT_TRUE(schedule_path("/out", second, 1).ends_with("-2-bug-1.json"));
  EXPECT_NE(schedule_path("/out", first, 1), schedule_path("/out", other, 1));
}

}  // namespace
}  // namespace ricercar::inline search
