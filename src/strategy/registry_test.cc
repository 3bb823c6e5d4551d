#include "strategy/registry.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace ricercar::inline strategy {
namespace {

std::string error_of(std::string_view specification) {
  try {
    make_strategy(specification, 1);
    return "";
  } catch (const UsageError& error) {
    return error.what();
  }
}

TEST(Registry, MakesEveryStrategyWithItsDefaults) {
  for (const StrategyInfo& strategy : strategies()) {
    EXPECT_TRUE(make_strategy(strategy.name, 1)->begin()) << strategy.name;
  }
}

TEST(Registry, HasNoNameTwice) {
  std::map<std::string_view, int> names;
  for (const StrategyInfo& strategy : strategies()) EXPECT_EQ(++names[strategy.name], 1);
}

TEST(Registry, SaysForEveryStrategyWhatItDoesAndWhereItComesFrom) {
  for (const StrategyInfo& strategy : strategies()) {
    EXPECT_FALSE(strategy.summary.empty());
    EXPECT_FALSE(strategy.source.empty());
    for (const ParameterInfo& parameter : strategy.parameters) {
      EXPECT_FALSE(parameter.meaning.empty());
    }
  }
}

TEST(Registry, MakesTheDefaultFromAnEmptySpecification) {
  EXPECT_EQ(make_strategy("", 1)->coverage().text, make_strategy("portfolio", 1)->coverage().text);
}

TEST(Registry, AcceptsParametersInAnyOrderAndAtTheEndsOfTheirRanges) {
  EXPECT_EQ(error_of("pct:steps=0,depth=1"), "");
  EXPECT_EQ(error_of("pct:depth=100,steps=1000000000"), "");
  EXPECT_EQ(progress_of(*make_strategy("pct:depth=7", 1)), "depth 7");
}

TEST(Registry, NamesTheNearestStrategy) {
  EXPECT_EQ(error_of("randon"),
            "there is no strategy 'randon'; did you mean 'random'? (`ricercar strategies` lists "
            "them all)");
  EXPECT_EQ(error_of("PB:bound=2"),
            "there is no strategy 'PB' (`ricercar strategies` lists them all)");
}

TEST(Registry, NamesTheNearestParameter) {
  EXPECT_EQ(error_of("pct:dept=3"),
            "the strategy 'pct' has no parameter 'dept'; did you mean 'depth'? (`ricercar "
            "strategies` lists them all)");
  EXPECT_EQ(error_of("pos:depth=3"), "the strategy 'pos' takes no parameters, but got 'depth'");
}

TEST(Registry, SaysWhatIsWrongWithAMalformedSpecification) {
  const std::string advice = "; write name:parameter=value,... as in pct:depth=3,steps=100";
  const auto malformed = [&](const std::string& specification, const std::string& why) {
    EXPECT_EQ(error_of(specification),
              "the strategy specification '" + specification + "' is malformed: " + why + advice);
  };
  malformed("pct:", "a parameter has no name");
  malformed("pct:depth=3,", "a parameter has no name");
  malformed("pct:,depth=3", "a parameter has no name");
  malformed("pct:=3", "a parameter has no name");
  malformed("pct:depth", "the parameter 'depth' has no value");
  malformed("pct:depth=", "the parameter 'depth' has no value");
  malformed("pct:depth=3,depth=4", "the parameter 'depth' is given twice");
}

TEST(Registry, SaysTheRangeOfANumber) {
  const std::string range =
      "the parameter 'depth' of the strategy 'pct' is a number from 1 to 100, not ";
  for (const std::string value :
       {"x", "3x", "-1", "+1", " 1", "1.5", "0", "101", "99999999999999999999"}) {
    EXPECT_EQ(error_of("pct:depth=" + value), range + "'" + value + "'");
  }
}

}  // namespace
}  // namespace ricercar::inline strategy
