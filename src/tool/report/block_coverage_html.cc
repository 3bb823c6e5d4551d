#include <fmt/format.h>

#include <fstream>

#include "report/block_coverage.h"
#include "report/style.h"

namespace ricercar::inline report {
namespace {

constexpr const char* block_page_style = R"(<style>
  :root { color-scheme: light dark; }
  body { font: 15px/1.5 sans-serif; max-width: 90em; margin: 2em auto; padding: 0 1em;
         color: #24292f; background: #ffffff; }
  h1 { font-size: 1.5em; } h2 { font-size: 1.2em; margin-top: 2em; }
  table { border-collapse: collapse; }
  th, td { text-align: left; vertical-align: top; padding: 0 0.8em 0 0; }
  td.number { text-align: right; font-variant-numeric: tabular-nums; color: #57606a; }
  td.source { font: 13px/1.4 monospace; white-space: pre; }
  tr.covered td.source { background: #dafbe1; }
  tr.partly td.source { background: #fff8c5; }
  tr.missed td.source { background: #ffebe9; }
  .faint { color: #57606a; }
  @media (prefers-color-scheme: dark) {
    body { color: #c9d1d9; background: #0d1117; }
    td.number, .faint { color: #8b949e; }
    tr.covered td.source { background: #12361f; }
    tr.partly td.source { background: #3a300c; }
    tr.missed td.source { background: #46181a; }
  }
</style>
)";

class BlockPage {
 public:
  BlockPage(const BlockCoverage& coverage, const Report& report)
      : coverage_(coverage), report_(report) {}

  std::string text() {
    add_head();
    add_nodes();
    for (const auto& [file, lines] : coverage_.lines()) add_file(file, lines);
    return text_ + "</body>\n</html>\n";
  }

 private:
  void add_head() {
    text_ += fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta "
        "name=\"viewport\" content=\"width=device-width\">\n<title>{0}: blocks of code</title>\n"
        "{1}</head>\n<body>\n<h1>{0}: blocks of code</h1>\n<p>{2}</p>\n",
        markup(report_.schedule), block_page_style, markup(report_.headline));
  }

  void add_row(const std::string& name, const std::string& words) {
    text_ += fmt::format("<tr><th>{}</th><td>{}</td></tr>\n", markup(name), markup(words));
  }
  void add_nodes() {
    text_ += "<table>\n";
    for (std::uint32_t i = 0; i < coverage_.nodes.size(); ++i) {
      const bool has_blocks = !coverage_.nodes[i].modules.empty();
      add_row(coverage_.nodes[i].name,
              has_blocks ? words_of(coverage_.figures_of(i)) : "was compiled without --coverage");
    }
    add_row("all", words_of(coverage_.figures()));
    text_ +=
        "</table>\n<p class=\"faint\">Green: all blocks of the line were run through. Yellow: "
        "some. Red: none. No colour: no block begins there. Behind the number of the line: who "
        "ran through it, and how often.</p>\n";
  }

  void add_file(const std::string& file, const LinesOfFile& lines) {
    text_ += fmt::format("<h2>{}</h2>\n<table>\n", markup(file));
    std::ifstream source(file);
    unsigned number = 0;
    for (std::string line; std::getline(source, line);) add_line(lines, ++number, line);
    for (auto left = lines.upper_bound(number); left != lines.end(); ++left) {
      add_line(lines, left->first, "(the source is not available)");
    }
    text_ += "</table>\n";
  }

  void add_line(const LinesOfFile& lines, unsigned number, const std::string& source) {
    const auto known = lines.find(number);
    const bool is_known = known != lines.end();
    text_ += fmt::format(
        "<tr{}><td class=\"number\">{}</td><td class=\"number\">{}</td><td "
        "class=\"source\">{}</td></tr>\n",
        is_known ? class_of(known->second) : "", number,
        is_known ? markup(words_of(coverage_, known->second.times)) : "", markup(source));
  }

  static const char* class_of(const LineFigures& line) {
    if (!line.is_covered()) return " class=\"missed\"";
    return line.blocks.covered == line.blocks.all ? " class=\"covered\"" : " class=\"partly\"";
  }

  const BlockCoverage& coverage_;
  const Report& report_;
  std::string text_;
};

}  // namespace

std::string block_coverage_html(const BlockCoverage& coverage, const Report& report) {
  return BlockPage(coverage, report).text();
}

}  // namespace ricercar::inline report
