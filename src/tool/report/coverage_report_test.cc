// Reports of hand-made sets, against files in golden/. RICERCAR_APPROVE=1 writes those files anew;
// look at the difference before you commit it.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "report/coverage_curve.h"
#include "report/coverage_example.h"
#include "report/coverage_figures.h"
#include "report/coverage_html.h"
#include "report/coverage_json.h"
#include "report/coverage_svg.h"
#include "report/coverage_text.h"

namespace ricercar::inline report {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

void expect_golden(const std::string& name, const std::string& text) {
  const std::string path = std::string(GOLDEN_FOLDER) + "/" + name;
  if (std::getenv("RICERCAR_APPROVE") != nullptr) {
    std::ofstream(path) << text;
    return;
  }
  std::ifstream file(path);
  std::stringstream expected;
  expected << file.rdbuf();
  EXPECT_EQ(text, expected.str()) << "RICERCAR_APPROVE=1 takes this as the new " << path;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

CoverageSets nasty_sets() {
  CoverageSets sets = example_sets();
  sets.program = "<script>alert('1')&\"";
  sets.statements[0].place = "<b>.cc:1";
  sets.statements[0].calls[0] = "\x1b[31m&amp;\xff";
  return sets;
}

// --- Figures ---

TEST(Figures, CountPairsAndQuietExecutions) {
  const CoverageFigures figures = figures_of(example_sets());
  EXPECT_EQ(figures.statements, 4U);
  EXPECT_EQ(figures.seen, 6U);
  EXPECT_EQ(figures.possible, 2U);
  EXPECT_EQ(figures.percent(), 75.0);
  EXPECT_EQ(figures.quiet, 31U);
  EXPECT_EQ(figures.recent, 40U);
  EXPECT_EQ(figures.recent_adding, 4U);
}

TEST(Figures, NeverRoundUpToEverything) {
  CoverageFigures figures;
  figures.seen = 100000;
  figures.possible = 1;
  EXPECT_EQ(pairs_sentence(figures), "100,000 pairs of statements seen, 1 more looks possible");
  figures.possible = 0;
  EXPECT_EQ(pairs_sentence(figures), "100,000 pairs of statements seen, 0 more look possible");
}

TEST(Figures, SayHowLongNothingWasNew) {
  CoverageFigures figures;
  EXPECT_EQ(convergence_sentence(figures), "nothing was executed");
  figures.executions = 5000;
  EXPECT_EQ(convergence_sentence(figures), "no pair yet");
  figures.seen = 1;
  EXPECT_EQ(convergence_sentence(figures), "the last execution saw a new pair");
  figures.quiet = 1;
  EXPECT_EQ(convergence_sentence(figures), "no new pair in the last execution");
  figures.quiet = 4321;
  EXPECT_EQ(convergence_sentence(figures), "no new pair in the last 4,321 executions");
}

TEST(Figures, OrderThePairs) {
  EXPECT_EQ(unseen_pairs(example_sets(), 10), (std::vector<std::size_t>{3, 6}));
  EXPECT_EQ(unseen_pairs(example_sets(), 1), (std::vector<std::size_t>{3}));
  EXPECT_EQ(rarest_pairs(example_sets(), 3), (std::vector<std::size_t>{2, 4, 1}));
}

TEST(Curve, CountsPairsAfterExecutions) {
  const CoverageCurve curve(example_sets());
  const std::vector<std::uint64_t> expected = {0, 3, 4, 4, 5, 5, 5, 5, 5, 6, 6};
  for (std::uint64_t i = 0; i < expected.size(); ++i) EXPECT_EQ(curve.pairs_after(i), expected[i]);
  EXPECT_EQ(curve.pairs_after(40), 6U);
  EXPECT_EQ(curve.pairs_after(1000), 6U);
}

TEST(Curve, OfNothingIsFlat) {
  EXPECT_EQ(CoverageCurve(CoverageSets()).pairs_after(1), 0U);
  CoverageSets without_curve = example_sets();
  without_curve.added.clear();
  EXPECT_EQ(CoverageCurve(without_curve).pairs_after(20), 0U);
}

// --- Text ---

TEST(CoverageText, ShowsTheSets) {
  expect_golden("coverage.txt", coverage_text(example_sets(), {}));
}

TEST(CoverageText, DrawsTheCurveWhereTheTerminalCan) {
  expect_golden("coverage_blocks.txt",
                coverage_text(example_sets(), {.width = 70, .colours = true, .blocks = true}));
}

TEST(CoverageText, SaysHowManyPairsAreNotShown) {
  const std::string text = coverage_text(example_sets(), {.limit = 1});
  EXPECT_TRUE(has(text, "and 1 more (--limit N)\n")) << text;
  EXPECT_TRUE(has(text, "and 5 more (--limit N)\n")) << text;
}

TEST(CoverageText, OfNothingSaysSo) {
  CoverageSets sets;
  sets.program = "idle";
  EXPECT_EQ(coverage_text(sets, {}),
            "idle: 0 pairs of statements seen, 0 more look possible\n"
            "  statements  0, told apart by the last 5 calls\n"
            "  executions  0; nothing was executed\n"
            "\n"
            "Pairs say what was tried. All pairs seen is not a proof that there is no bug.\n");
}

TEST(CoverageText, DoesNothingToTheTerminal) {
  EXPECT_FALSE(has(coverage_text(nasty_sets(), {}), "\x1b"));
}

TEST(CoverageText, OfALongSearchCountsTheLastExecutions) {
  CoverageSets sets = sets_of_size(100, 5000);
  sets.executions = 5050;
  const std::string text = coverage_text(sets, {});
  EXPECT_TRUE(has(text, "no new pair in the last 50 executions; 50 of the last 100 saw new ones\n"))
      << text;
}

// --- JSON ---

TEST(CoverageJson, HasEverything) {
  const CoverageSets sets = example_sets();
  const Json json = Json::parse(coverage_json(sets));
  EXPECT_EQ(json.at("schema"), "ricercar.coverage/1");
  EXPECT_EQ(json.at("program"), "queue_test");
  EXPECT_EQ(json.at("context"), 5);
  EXPECT_EQ(json.at("executions"), 40);
  EXPECT_EQ(json.at("statement_count"), 4);
  EXPECT_EQ(json.at("statements_without_line"), 1);
  EXPECT_EQ(json.at("pairs_seen"), 6);
  EXPECT_EQ(json.at("pairs_possible"), 2);
  EXPECT_EQ(json.at("percent_covered"), 75.0);
  EXPECT_EQ(json.at("executions_since_new_pair"), 31);
  EXPECT_EQ(json.at("is_proof"), false);
  EXPECT_EQ(json.at("added"), Json(sets.added));
  EXPECT_EQ(json.at("statements").at(2),
            Json({{"place", "queue.cc:62"}, {"calls", {"main.cc:14"}}}));
  EXPECT_EQ(json.at("pairs").size(), 8U);
  EXPECT_EQ(json.at("pairs").at(0), Json({{"later", 1},
                                          {"earlier", 0},
                                          {"later_is_local", false},
                                          {"count", 120},
                                          {"first_execution", 1}}));
  EXPECT_EQ(json.at("unseen"), Json({3, 6}));
  EXPECT_EQ(json.at("rarest"), Json({2, 4, 1, 7, 0, 5}));
}

TEST(CoverageJson, IsCorrectWithoutPairsAndWithAnyBytes) {
  EXPECT_EQ(Json::parse(coverage_json({})).at("pairs"), Json::array());
  EXPECT_EQ(Json::parse(coverage_json(nasty_sets())).at("program"), nasty_sets().program);
}

// --- SVG and HTML ---

TEST(CoverageSvg, DrawsTheCurve) { expect_golden("coverage.svg", coverage_svg(example_sets())); }

TEST(CoverageSvg, OfNothingIsAPicture) {
  const std::string text = coverage_svg({});
  EXPECT_TRUE(text.starts_with("<svg ") && text.ends_with("</svg>\n")) << text;
  EXPECT_FALSE(has(text, "nan")) << text;
}

TEST(CoverageSvg, OfALongSearchIsSmall) {
  EXPECT_LT(coverage_svg(sets_of_size(1000, 1000000)).size(), 20000U);
}

TEST(CoverageHtml, ShowsTheSetsWithTheirSource) {
  const fs::path folder = fs::temp_directory_path() / ("ricercar-html-" + std::to_string(getpid()));
  fs::create_directories(folder);
  {
    std::ofstream source(folder / "queue.cc");
    for (int line = 1; line <= 60; ++line) source << "  if (a < " << line << " && b) \"c\";\n";
  }
  SourceFiles sources(folder);
  const std::string text = coverage_html(example_sets(), sources);
  fs::remove_all(folder);
  expect_golden("coverage.html", text);
  EXPECT_TRUE(has(text, "<td class=\"text\">  if (a &lt; 41 &amp;&amp; b) &quot;c&quot;;</td>"));
  // Lines 41, 60 and 62 with four lines around each, as far as the file goes.
  EXPECT_TRUE(has(text, "<td class=\"number\">37</td>") && !has(text, "\"number\">36</td>"));
  EXPECT_TRUE(has(text, "<td class=\"number\">45</td>") && !has(text, "\"number\">46</td>"));
  EXPECT_TRUE(has(text,
                  "<tr id=\"f0-41\" class=\"partly\"><td class=\"number\">41</td><td "
                  "class=\"number\">1 seen, 1 not</td>"));
  EXPECT_TRUE(
      has(text, "<strong>never</strong> right after remote <a href=\"#f0-62\">queue.cc:62"));
  EXPECT_FALSE(has(text, " %"));
}

TEST(CoverageHtml, NeedsNothingFromElsewhere) {
  SourceFiles sources("/nowhere");
  const std::string text = coverage_html(example_sets(), sources);
  EXPECT_FALSE(has(text, "<script") || has(text, "src=") || has(text, "url("));
  EXPECT_EQ(occurrences(text, "href="), occurrences(text, "href=\"#f")) << "links in the page";
  EXPECT_GT(occurrences(text, "href="), 0U);
  EXPECT_EQ(occurrences(text, "http"), 1U) << "the name of SVG";
  EXPECT_TRUE(has(text, "prefers-color-scheme: dark"));
}

TEST(CoverageHtml, EscapesEverything) {
  SourceFiles sources("/nowhere");
  const std::string text = coverage_html(nasty_sets(), sources);
  EXPECT_FALSE(has(text, "<script") || has(text, "<b>") || has(text, "\x1b"));
  EXPECT_TRUE(has(text, "&lt;script&gt;alert(&#39;1&#39;)&amp;&quot;: pairs of statements"));
  EXPECT_TRUE(has(text, "?[31m&amp;amp;"));
}

TEST(CoverageHtml, ShowsAsMuchAsItMay) {
  SourceFiles sources("/nowhere");
  const std::string text = coverage_html(sets_of_size(100, 5000), sources);
  EXPECT_TRUE(has(text, "and 45 more"));
  EXPECT_EQ(occurrences(text, "<li>"), 500U);
}

}  // namespace
}  // namespace ricercar::inline report
