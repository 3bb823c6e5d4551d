#include "report/summary.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/coverage_curve.h"
#include "report/coverage_example.h"

namespace ricercar::inline report {
namespace {

using Json = nlohmann::json;

RunSummary summary() {
  RunSummary result;
  result.program = "./queue_test";
  result.options.strategy = "hapset";
  result.executions = 40;
  result.steps = 1200;
  result.seconds = 0.5;
  result.coverage = "pairs of statements; not a proof";
  return result;
}

TEST(Summary, HasNoLineAboutPairsWithoutLearnedSets) {
  EXPECT_EQ(summary_text(summary()),
            "ricercar: no bug found\n"
            "  explored    40 executions, 1,200 steps in 0.50 s\n"
            "  strategy    hapset, seed 1\n"
            "  coverage    pairs of statements; not a proof\n");
  EXPECT_FALSE(Json::parse(summary_json(summary())).contains("hapset"));
}

std::string first_line(const RunSummary& summary) {
  const std::string text = summary_text(summary);
  return text.substr(0, text.find('\n'));
}

// What was not looked for, or has no points, may be left.
TEST(Summary, SaysThatNothingIsLeftOnlyOfWhatHasPoints) {
  RunSummary all = summary();
  all.complete = true;
  all.most_tasks = 2;
  const auto verdict = [&](Points points, bool races) {
    all.options.points = points;
    all.options.races = races;
    return first_line(all);
  };
  const std::string nothing = "ricercar: no bug found, and nothing is left to explore";
  for (const bool races : {false, true}) {
    EXPECT_EQ(verdict(Points::racy, races), nothing);
    EXPECT_EQ(verdict(Points::memory, races), nothing);
    EXPECT_EQ(verdict(Points::sync, races), nothing + " with points at synchronisation only");
  }
  EXPECT_EQ(verdict(Points::atomic, true), nothing);
  EXPECT_EQ(verdict(Points::atomic, false),
            nothing + " but data races, which were not looked for (--points racy)");
  all.most_tasks = 1;
  EXPECT_EQ(verdict(Points::atomic, false), nothing);
}

TEST(Summary, OfExecutionsThatWereAllCutIsNoPass) {
  RunSummary cut = summary();
  cut.truncated = cut.executions;
  cut.options.max_steps = 1000;
  EXPECT_TRUE(nothing_ended(cut));
  EXPECT_EQ(first_line(cut), "ricercar: no verdict: no execution ended within 1,000 steps");
  cut.interrupted = true;
  EXPECT_EQ(first_line(cut), "ricercar: no verdict: no execution ended within 1,000 steps");
  cut.error = "something else";
  EXPECT_EQ(first_line(cut), "ricercar: no verdict: no execution ended within 1,000 steps");
}

TEST(Summary, OfExecutionsOfWhichSomeWereCutSaysWhichEnded) {
  RunSummary cut = summary();
  cut.truncated = 39;
  cut.options.max_steps = 1000;
  EXPECT_FALSE(nothing_ended(cut));
  EXPECT_EQ(first_line(cut),
            "ricercar: no bug found in the 1 execution that ended; 39 were cut at 1,000 steps");
  cut.truncated = 1;
  EXPECT_EQ(first_line(cut),
            "ricercar: no bug found in the 39 executions that ended; 1 was cut at 1,000 steps");
}

TEST(Summary, OfABugInSpiteOfCutsIsTheBug) {
  RunSummary cut = summary();
  cut.truncated = cut.executions;
  cut.bug_count = 1;
  EXPECT_FALSE(nothing_ended(cut));
  EXPECT_EQ(first_line(cut), "ricercar: 1 bug found");
}

TEST(Summary, OfMachinesThatGoOnForEverNamesTheDepth) {
  RunSummary cut = summary();
  cut.world = WorldKind::machines;
  cut.truncated = cut.executions;
  cut.options.max_steps = 50;
  EXPECT_FALSE(nothing_ended(cut));
  EXPECT_EQ(first_line(cut),
            "ricercar: no bug found in the first 50 steps of each execution; none ended");
}

TEST(Summary, HasEveryFigureInItsJson) {
  RunSummary counted = summary();
  int next = 1;
  const auto number = [&](const auto&, auto& value) {
    value = static_cast<std::decay_t<decltype(value)>>(next++);
  };
  visit_fields<Explored>(counted, number);
  visit_fields<SearchFigures>(counted, number);
  const Json json = Json::parse(summary_json(counted));
  int found = 0;
  const auto look = [&](const auto& field, const auto& value) {
    if (field.shown == Shown::elsewhere) return;
    EXPECT_EQ(json.at(field.name), value) << field.name;
    ++found;
  };
  visit_fields<Explored>(counted, look);
  visit_fields<SearchFigures>(counted, look);
  EXPECT_GE(found, 8);
  EXPECT_EQ(json.at("bug_count"), counted.bug_count);
}

TEST(Summary, HasTransitionsOnlyOfMachines) {
  RunSummary of_threads = summary();
  EXPECT_FALSE(Json::parse(summary_json(of_threads)).contains("transitions"));
  of_threads.transitions = 3;
  EXPECT_EQ(Json::parse(summary_json(of_threads)).at("transitions"), 3);
}

// Fields are added, never renamed or moved: somebody reads them line by line.
TEST(Summary, HasItsFieldsInTheirOrder) {
  RunSummary of_machines = summary();
  of_machines.transitions = 3;
  of_machines.learned = learned_summary(example_sets());
  std::vector<std::string> names;
  const auto json = nlohmann::ordered_json::parse(summary_json(of_machines));
  for (const auto& [name, value] : json.items()) names.push_back(name);
  const std::vector<std::string> wanted = {
      "schema",         "program",      "arguments",       "strategy",  "seed",
      "executions",     "steps",        "seconds",         "complete",  "interrupted",
      "coverage",       "transitions",  "distinct_traces", "truncated", "forks",
      "most_tasks",     "most_steps",   "notes",           "error",     "bug_count",
      "uninstrumented", "not_modelled", "strata",          "hapset",    "bugs",
      "unconfirmed",    "ignored",      "suppressions"};
  EXPECT_EQ(names, wanted);
}

TEST(Summary, SaysWhatWasLearned) {
  RunSummary with_sets = summary();
  with_sets.learned = learned_summary(example_sets());
  EXPECT_EQ(summary_text(with_sets),
            "ricercar: no bug found\n"
            "  explored    40 executions, 1,200 steps in 0.50 s\n"
            "  strategy    hapset, seed 1\n"
            "  coverage    pairs of statements; not a proof\n"
            "  pairs       4 statements, 6 pairs of statements seen, 2 more look possible; "
            "no new pair in the last 31 executions\n");
  const Json json = Json::parse(summary_json(with_sets)).at("hapset");
  EXPECT_EQ(json.at("statements"), 4);
  EXPECT_EQ(json.at("pairs"), 6);
  EXPECT_EQ(json.at("possible"), 2);
  EXPECT_EQ(json.at("added"), Json(example_sets().added));
}

TEST(Summary, SaysHowLikelyMoreSamplesShowSomethingNew) {
  const auto row = [](std::uint64_t compared, double chance) {
    RunSummary sampled = summary();
    sampled.sampled_traces = compared;
    sampled.distinct_traces = 12;
    sampled.chance_of_new_trace = chance;
    const std::string text = summary_text(sampled);
    const std::size_t begin = text.find("  traces      ");
    return begin == std::string::npos
               ? ""
               : text.substr(begin + 14, text.find('\n', begin) - begin - 14);
  };
  EXPECT_EQ(
      row(40, 0.125),
      "12 different ones in 40 executions; about 12.5 % of the next executions show a new one");
  EXPECT_EQ(
      row(20, 0),
      "12 different ones in the 20 executions that were compared; fewer than 5.0 % of the next "
      "executions show a new one");
  EXPECT_EQ(row(0, 0), "");
}

TEST(Summary, NamesWhatIsLeftOut) {
  RunSummary with_ignored = summary();
  with_ignored.ignored = {{"data-race", "a race", {"a.cc:1", "b.cc:2"}, 1, 7, ""},
                          {"deadlock", "T1 cannot go on", {}, 3, 1, ""},
                          {"leak", "T1 was not joined", {"c.cc:3"}, 1, 40, "thread:start"}};
  with_ignored.suppressions = {{"thread:start", 2, 1, 40}, {"race:nobody", 5, 0, 0}};
  EXPECT_EQ(summary_text(with_ignored),
            "ricercar: no bug found except 3 findings left out\n"
            "  explored    40 executions, 1,200 steps in 0.50 s\n"
            "  strategy    hapset, seed 1\n"
            "  coverage    pairs of statements; not a proof\n"
            "  ignored     data-race, 7 times: a.cc:1 and b.cc:2\n"
            "  ignored     deadlock, 1 time: T1 cannot go on\n"
            "  suppressed  thread:start (line 2): 1 finding, met 40 times\n"
            "  suppressed  race:nobody (line 5) matched nothing\n");
  const Json json = Json::parse(summary_json(with_ignored));
  EXPECT_EQ(json.at("bug_count"), 0);
  ASSERT_EQ(json.at("ignored").size(), 3U);
  EXPECT_EQ(json.at("ignored")[0].at("places"), Json({"a.cc:1", "b.cc:2"}));
  EXPECT_EQ(json.at("ignored")[2].at("suppression"), "thread:start");
  EXPECT_EQ(json.at("suppressions")[1].at("findings"), 0);
}

TEST(Summary, NamesAFewOfManyFindings) {
  RunSummary with_ignored = summary();
  with_ignored.ignored.assign(12, {"leak", "a thread", {"c.cc:3"}, 1, 1, ""});
  EXPECT_NE(summary_text(with_ignored).find("  ignored     2 more\n"), std::string::npos);
  EXPECT_EQ(Json::parse(summary_json(with_ignored)).at("ignored").size(), 12U);
}

TEST(Summary, OfALongSearchHasAShortCurve) {
  CoverageSets sets;
  sets.added.assign(stored_curve_limit + 1, 1);
  EXPECT_EQ(learned_summary(sets).added.size(), stored_curve_limit / 2 + 1);
}

}  // namespace
}  // namespace ricercar::inline report
