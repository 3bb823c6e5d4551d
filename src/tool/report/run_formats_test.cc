// What is written for people's CI is read back by a parser of its own kind; whole files are checked
// in tests/reports_test.cc.
#include "report/run_formats.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace ricercar::inline report {
namespace {

using Json = nlohmann::json;

const RunFormatContext context{{"/home/me/project", "/home/me/project/build"}, "1.2", "ricercar"};

RunSummary passed() {
  RunSummary summary;
  summary.program = "./odd & \"quoted\" <name>";
  summary.arguments = {"two words"};
  summary.executions = 7;
  summary.seconds = 1.5;
  summary.coverage = "all";
  return summary;
}

RunSummary failed() {
  RunSummary summary = passed();
  BugSummary bug;
  bug.kind = "data-race";
  bug.message = "a race on `a<b>`:\n100 %, \x01 \xff";
  bug.schedule = "out/bug 1.json";
  bug.places = {{"writes", "T1", "f", "../src/a b.cc", 12},
                {"reads", "T0", "g", "/usr/include/x.h", 3}};
  bug.details.headline = "]]> & <text>";
  bug.details.lanes.resize(1);
  bug.details.lanes[0].id = task_id(0);
  bug.details.lanes[0].name = "T0";
  bug.details.steps.resize(1);
  bug.details.steps[0].lane = task_id(0);
  bug.details.steps[0].what = "writes x";
  bug.details.steps[0].place.frame.file = "../src/a b.cc";
  bug.details.steps[0].place.frame.line = 12;
  summary.bugs = {bug};
  summary.bug_count = 1;
  return summary;
}

TEST(RunFormats, FilesAreNamedAsFromTheTopOfTheRepository) {
  EXPECT_EQ(file_in_repository("a.cc", context.sources), "build/a.cc");
  EXPECT_EQ(file_in_repository("../src/a.cc", context.sources), "src/a.cc");
  EXPECT_EQ(file_in_repository("/home/me/project/a.cc", context.sources), "a.cc");
  EXPECT_EQ(file_in_repository("/home/me/projects/a.cc", context.sources),
            "/home/me/projects/a.cc");
  EXPECT_EQ(file_in_repository("", context.sources), "");
  EXPECT_EQ(file_in_repository("a.cc", {"", "/x"}), "/x/a.cc");
}

TEST(RunFormats, TextThatIsNoUtf8OrNotAllowedInXmlIsReplaced) {
  const std::string bad = "\xef\xbf\xbd";
  EXPECT_EQ(valid_text("a\tb\n\xc3\xa4\xe2\x82\xac\xf0\x9f\x8e\xb5"),
            "a\tb\n\xc3\xa4\xe2\x82\xac\xf0\x9f\x8e\xb5");
  EXPECT_EQ(valid_text("\x01"), bad);
  EXPECT_EQ(valid_text("a\xff"), "a" + bad);
  EXPECT_EQ(valid_text("\xc0\x80"), bad + bad);            // too long a form
  EXPECT_EQ(valid_text("\xed\xa0\x80"), bad + bad + bad);  // a surrogate
  EXPECT_EQ(valid_text("\xe2\x82"), bad + bad);            // cut off
  EXPECT_EQ(valid_text("\xef\xbf\xbf"), bad + bad + bad);  // U+FFFF
}

TEST(RunFormats, JUnitSaysWhatPassedAndWhatFailed) {
  const std::string good = junit_summary(passed(), context);
  EXPECT_NE(
      good.find(
          "<testsuite name=\"./odd &amp; &quot;quoted&quot; &lt;name&gt; &#39;two words&#39;\" "
          "tests=\"1\" failures=\"0\" errors=\"0\" skipped=\"0\" time=\"1.500\">"),
      std::string::npos)
      << good;
  const std::string bad = junit_summary(failed(), context);
  EXPECT_NE(bad.find("failures=\"1\""), std::string::npos);
  EXPECT_NE(bad.find(" file=\"src/a b.cc\" line=\"12\""), std::string::npos) << bad;
  EXPECT_NE(bad.find("message=\"a race on `a&lt;b&gt;`:&#10;100 %, \xef\xbf\xbd \xef\xbf\xbd\""),
            std::string::npos)
      << bad;
  EXPECT_NE(bad.find("]]&gt; &amp; &lt;text&gt;"), std::string::npos) << bad;
  RunSummary broken = passed();
  broken.error = "no execution ended";
  EXPECT_NE(junit_summary(broken, context).find("<error message=\"no execution ended\""),
            std::string::npos);
}

TEST(RunFormats, SarifHasARuleAResultAndTheFlowsOfTheThreads) {
  const Json run = Json::parse(sarif_summary(failed(), context)).at("runs").at(0);
  EXPECT_EQ(run["tool"]["driver"]["rules"][0]["id"], "data-race");
  const Json result = run["results"].at(0);
  EXPECT_EQ(result["ruleIndex"], 0);
  const Json place = result["locations"][0]["physicalLocation"];
  EXPECT_EQ(place["artifactLocation"]["uri"], "src/a%20b.cc");
  EXPECT_EQ(place["region"]["startLine"], 12);
  EXPECT_EQ(result["relatedLocations"][0]["physicalLocation"]["artifactLocation"]["uri"],
            "file:///usr/include/x.h");
  EXPECT_EQ(result["codeFlows"][0]["threadFlows"][0]["locations"][0]["executionOrder"], 1);
  EXPECT_TRUE(run["invocations"][0]["executionSuccessful"].get<bool>());
  EXPECT_TRUE(Json::parse(sarif_summary(passed(), context))["runs"][0]["results"].empty());
}

TEST(RunFormats, AFingerprintDoesNotDependOnLines) {
  RunSummary moved = failed();
  moved.bugs[0].places[0].line = 99;
  const auto of = [](const RunSummary& summary) {
    return Json::parse(
        sarif_summary(summary, context))["runs"][0]["results"][0]["partialFingerprints"];
  };
  EXPECT_EQ(of(failed()), of(moved));
  moved.bugs[0].places[0].function = "other";
  EXPECT_NE(of(failed()), of(moved));
}

TEST(RunFormats, AnAnnotationIsOneLine) {
  EXPECT_EQ(
      github_summary(failed(), context),
      "::error file=src/a b.cc,line=12,title=Ricercar%3A data-race::a race on `a<b>`:%0A100 %25, "
      "\xef\xbf\xbd \xef\xbf\xbd%0ARun it again: ricercar replay 'out/bug 1.json'\n");
  EXPECT_EQ(github_summary(passed(), context), "");
}

TEST(RunFormats, WhatTheCorpusNoLongerShowsIsSaid) {
  RunSummary summary = passed();
  summary.corpus = {{"c/one.json", "deadlock", CorpusEntry::fixed, "does not show any more"},
                    {"c/two.json", "deadlock", CorpusEntry::changed, "the program changed"}};
  const std::string junit = junit_summary(summary, context);
  EXPECT_NE(junit.find("tests=\"3\" failures=\"0\" errors=\"0\" skipped=\"1\""), std::string::npos);
  EXPECT_NE(junit.find("<skipped message=\"the program changed\"/>"), std::string::npos);
  const std::string notes = github_summary(summary, context);
  EXPECT_NE(notes.find("::notice title=Ricercar%3A c/one.json::does not show any more\n"),
            std::string::npos);
  EXPECT_NE(notes.find("::warning title=Ricercar%3A c/two.json::the program changed\n"),
            std::string::npos);
}

}  // namespace
}  // namespace ricercar::inline report
