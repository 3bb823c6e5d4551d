// The options of `ricercar run`, and that each field of the options of a search can be set by one.
#include "cli/run_options.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "base/error.h"

namespace ricercar::inline cli {
namespace {

RunOptions parsed(const std::vector<std::string>& arguments) {
  CLI::App app;
  RunOptions options;
  declare_run_options(app, options);
  app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));  // as CLI11 wants
  return options;
}

std::string as_text(const StrategyText& value) { return value.bytes; }
std::string as_text(Points value) { return std::string(name_of(value)); }
template <typename Value>
std::string as_text(Value value) {
  return std::to_string(value);
}

// All fields of the search's options by name.
std::map<std::string, std::string> values_of(const SearchOptions& options) {
  std::map<std::string, std::string> values;
  const auto note = [&](const auto& field, const auto& value) {
    values[field.name] = as_text(value);
  };
  visit_fields<ScheduleOptions>(options, note);
  visit_fields<SearchOptions>(options, note);
  return values;
}

// Which fields a command line changes.
std::set<std::string> changed_by(const std::vector<std::string>& arguments) {
  const std::map<std::string, std::string> before = values_of({});
  std::set<std::string> changed;
  for (const auto& [name, value] : values_of(parsed(arguments))) {
    if (value != before.at(name)) changed.insert(name);
  }
  return changed;
}

// A value that is not the default of any option, by the name that the help gives to values.
const std::map<std::string, std::string> samples = {
    {"TEXT", "pct"},      {"N", "77"},      {"SECONDS", "2.5"},
    {"POINTS", "memory"}, {"SIZE", "3M"},   {"DIR", "elsewhere"},
    {"KINDS", "leak"},    {"FILE", "file"}, {"POOL", "redis://farm:6379/pool"}};

std::vector<std::string> use_of(const CLI::Option& option) {
  const std::string name = "--" + option.get_lnames().front();
  if (option.get_items_expected_max() == 0) return {name};
  const auto sample = samples.find(option.get_type_name());
  if (sample == samples.end()) ADD_FAILURE() << name << " takes " << option.get_type_name();
  return {name, sample == samples.end() ? "" : sample->second};
}

TEST(RunOptions, SetEveryFieldOfTheSearchsOptionsOneAtATime) {
  CLI::App app;
  RunOptions options;
  declare_run_options(app, options);
  std::multiset<std::string> reached;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_name() == "--help") continue;
    const std::set<std::string> changed = changed_by(use_of(*option));
    EXPECT_LE(changed.size(), 1U) << option->get_name();
    reached.insert(changed.begin(), changed.end());
  }
  for (const auto& [name, value] : values_of({})) EXPECT_EQ(reached.count(name), 1U) << name;
}

TEST(RunOptions, LeaveAllDefaultsAloneIfNoneIsGiven) {
  EXPECT_EQ(values_of(parsed({})), values_of({}));
  EXPECT_EQ(parsed({}).out, "ricercar-out");
}

TEST(RunOptions, ThatAreFlagsTurnTheirFieldToTheOtherSide) {
  EXPECT_FALSE(parsed({"--no-races"}).races);
  EXPECT_FALSE(parsed({"--no-races", "--no-races"}).races);
  EXPECT_TRUE(parsed({"--no-races=false"}).races);
  EXPECT_TRUE(parsed({"--weak-failures"}).weak_failures);
}

TEST(RunOptions, ThatAreEmptyCountAsNotGiven) {
  EXPECT_EQ(values_of(parsed({"--points", "", "--memory", "", "--strategy", ""})), values_of({}));
}

TEST(RunOptions, UnderstandSizes) {
  EXPECT_EQ(parsed({"--memory", "12"}).memory, 12U);
  EXPECT_EQ(parsed({"--memory", "12K"}).memory, 12U << 10);
  EXPECT_EQ(parsed({"--memory", "3G"}).memory, std::uint64_t{3} << 30);
  for (const char* size : {"0", "x", "12X", "12MM", "-1", "4294967296"}) {
    EXPECT_THROW(parsed({"--memory", size}), UsageError) << size;
  }
}

TEST(RunOptions, RefuseWhatMeansNothing) {
  EXPECT_THROW(parsed({"--points", "nowhere"}), UsageError);
  EXPECT_THROW(parsed({"--strategy", std::string(600, 'x')}), UsageError);
  EXPECT_THROW(parsed({"--executions", "0"}), CLI::ValidationError);
  EXPECT_NO_THROW(parsed({"--seed", "0"}));
}

}  // namespace
}  // namespace ricercar::inline cli
