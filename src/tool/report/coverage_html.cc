#include "report/coverage_html.h"

#include <fmt/format.h>

#include "report/coverage_figures.h"
#include "report/coverage_svg.h"
#include "report/style.h"

namespace ricercar::inline report {
namespace {

constexpr const char* page_style = R"(<style>
  :root { color-scheme: light dark; }
  body { font: 15px/1.5 sans-serif; max-width: 75em; margin: 2em auto; padding: 0 1em;
         color: #24292f; background: #ffffff; }
  h1 { font-size: 1.5em; } h2 { font-size: 1.2em; margin-top: 2em; }
  svg { max-width: 50em; width: 100%; }
  table { border-collapse: collapse; width: 100%; }
  th, td { text-align: left; vertical-align: top; padding: 0.3em 0.8em 0.3em 0;
           border-bottom: 1px solid #d0d7de; }
  th.number, td.number { text-align: right; font-variant-numeric: tabular-nums; }
  table.figures { width: auto; }
  code { font: 13px/1.4 monospace; white-space: pre-wrap; overflow-wrap: anywhere; }
  .faint { color: #57606a; }
  @media (prefers-color-scheme: dark) {
    body { color: #c9d1d9; background: #0d1117; }
    th, td { border-color: #30363d; }
    .faint { color: #8b949e; }
  }
</style>
)";

class Page {
 public:
  Page(const CoverageSets& sets, SourceFiles& sources, const CoverageHtmlOptions& options)
      : sets_(sets), sources_(sources), options_(options), figures_(figures_of(sets)) {}

  std::string text() {
    add_head();
    add_figures();
    text_ += "<h2>Pairs seen</h2>\n" + coverage_svg(sets_);
    if (figures_.possible > 0) add_unseen();
    if (figures_.seen > 0) add_rarest();
    text_ += fmt::format("<p class=\"faint\">{}.<br>{}</p>\n</body>\n</html>\n", sides_explained,
                         no_proof);
    return std::move(text_);
  }

 private:
  void add_head() {
    const std::string title = markup(sets_.program) + ": pairs of statements";
    text_ += fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta "
        "name=\"viewport\" content=\"width=device-width\">\n<title>{}</title>\n{}</head>\n<body>\n"
        "<h1>{}</h1>\n",
        title, page_style, title);
  }

  void add_figure(const char* name, const std::string& value) {
    text_ += fmt::format("<tr><th>{}</th><td>{}</td></tr>\n", name, value);
  }
  void add_figures() {
    text_ += "<table class=\"figures\">\n";
    add_figure("pairs", pairs_sentence(figures_));
    add_figure("statements", statements_sentence(sets_, figures_));
    add_figure("executions",
               fmt::format("{}; {}", grouped(figures_.executions), convergence_sentence(figures_)));
    add_figure("lately",
               fmt::format("{} of the last {} saw new pairs", grouped(figures_.recent_adding),
                           counted(figures_.recent, "execution")));
    text_ += "</table>\n";
  }

  std::string statement_cell(const char* side, const CoverageStatement& statement) {
    std::string cell = fmt::format("{} {}", side, markup(statement.place));
    if (const std::string line = sources_.line(statement.place); !line.empty()) {
      cell += fmt::format("<br><code>{}</code>", markup(line));
    }
    for (const std::string& call : statement.calls) {
      cell += fmt::format("<br><span class=\"faint\">called from {}</span>", markup(call));
    }
    return "<td>" + cell + "</td>";
  }
  std::string cells(const CoveragePair& pair) {
    return statement_cell(side_of_later(pair), sets_.statements[pair.later]) +
           statement_cell(side_of_earlier(pair), sets_.statements[pair.earlier]);
  }
  void add_rest(std::uint64_t all, std::size_t shown) {
    if (shown < all) {
      text_ += fmt::format("<p class=\"faint\">and {} more</p>\n", grouped(all - shown));
    }
  }

  void add_unseen() {
    text_ +=
        "<h2>Pairs that look possible and were never seen</h2>\n<table>\n<tr><th>this "
        "statement</th><th>has never come right after</th></tr>\n";
    const std::vector<std::size_t> unseen = unseen_pairs(sets_, options_.limit);
    for (const std::size_t index : unseen) {
      text_ += "<tr>" + cells(sets_.pairs[index]) + "</tr>\n";
    }
    text_ += "</table>\n";
    add_rest(figures_.possible, unseen.size());
  }

  void add_rarest() {
    text_ +=
        "<h2>The rarest pairs</h2>\n<table>\n<tr><th class=\"number\">times</th><th "
        "class=\"number\">first in execution</th><th>this statement</th><th>came right "
        "after</th></tr>\n";
    const std::vector<std::size_t> rarest = rarest_pairs(sets_, options_.limit);
    for (const std::size_t index : rarest) {
      const CoveragePair& pair = sets_.pairs[index];
      text_ += fmt::format("<tr><td class=\"number\">{}</td><td class=\"number\">{}</td>{}</tr>\n",
                           grouped(pair.count), grouped(pair.first_execution), cells(pair));
    }
    text_ += "</table>\n";
    add_rest(figures_.seen, rarest.size());
  }

  const CoverageSets& sets_;
  SourceFiles& sources_;
  const CoverageHtmlOptions& options_;
  CoverageFigures figures_;
  std::string text_;
};

}  // namespace

std::string coverage_html(const CoverageSets& sets, SourceFiles& sources,
                          const CoverageHtmlOptions& options) {
  return Page(sets, sources, options).text();
}

}  // namespace ricercar::inline report
