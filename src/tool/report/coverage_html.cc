#include "report/coverage_html.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "report/coverage_figures.h"
#include "report/coverage_svg.h"
#include "report/style.h"

namespace ricercar::inline report {
namespace {

constexpr std::uint64_t lines_around = 4;

constexpr const char* page_style = R"(<style>
  :root { color-scheme: light dark; }
  body { font: 15px/1.5 sans-serif; max-width: 75em; margin: 2em auto; padding: 0 1em;
         color: #24292f; background: #ffffff; }
  h1 { font-size: 1.5em; } h2 { font-size: 1.2em; margin-top: 2em; }
  svg { max-width: 50em; width: 100%; }
  table { border-collapse: collapse; }
  table.source { width: 100%; }
  th, td { text-align: left; vertical-align: top; padding: 0 0.8em 0 0; }
  td.number { text-align: right; font-variant-numeric: tabular-nums; color: #57606a;
              white-space: nowrap; width: 1%; }
  td.text { font: 13px/1.5 monospace; white-space: pre-wrap; overflow-wrap: anywhere;
            tab-size: 4; }
  tr.seen td.text { background: #dafbe1; }
  tr.partly td.text { background: #fff8c5; }
  tr.missed td.text { background: #ffebe9; }
  tr:target td.text { outline: 2px solid #1f6feb; }
  summary { cursor: pointer; }
  ul { margin: 0.2em 0 0.6em; }
  a { color: #0969da; }
  .faint { color: #57606a; }
  @media (prefers-color-scheme: dark) {
    body { color: #c9d1d9; background: #0d1117; }
    td.number, .faint { color: #8b949e; }
    tr.seen td.text { background: #12361f; }
    tr.partly td.text { background: #3a300c; }
    tr.missed td.text { background: #46181a; }
    a { color: #58a6ff; }
  }
</style>
)";

// The pairs of which a line has the later statement.
struct AnnotatedLine {
  std::vector<std::size_t> pairs;
  std::uint64_t seen = 0;
  std::uint64_t unseen = 0;
};
using AnnotatedLines = std::map<std::uint64_t, AnnotatedLine>;

class Page {
 public:
  Page(const CoverageSets& sets, SourceFiles& sources, const CoverageHtmlOptions& options)
      : sets_(sets), sources_(sources), figures_(figures_of(sets)) {
    for (const std::size_t pair : unseen_pairs(sets, options.limit)) told_.insert(pair);
    for (const std::size_t pair : rarest_pairs(sets, options.limit)) told_.insert(pair);
    for (const CoverageStatement& statement : sets.statements) {
      if (const auto place = file_place(statement.place)) files_[place->file][place->line];
    }
    for (std::size_t i = 0; i < sets.pairs.size(); ++i) {
      const CoveragePair& pair = sets.pairs[i];
      const auto place = file_place(sets.statements[pair.later].place);
      add(i, place ? files_[place->file][place->line] : without_line_);
    }
  }

  std::string text() {
    add_head();
    add_figures();
    text_ += "<h2>Pairs seen</h2>\n" + coverage_svg(sets_);
    text_ += fmt::format(
        "<p class=\"faint\">Beside a line: how many statements were seen right before it in "
        "another "
        "thread, and how many look possible and were not. Green: all were seen. Yellow: some. Red: "
        "none. {}.<br>{}</p>\n",
        sides_explained, no_proof);
    for (const auto& [file, lines] : files_) add_file(file, lines);
    if (!without_line_.pairs.empty()) {
      text_ += "<h2>Code without source lines</h2>\n";
      add_pairs(without_line_, true);
    }
    return text_ + "</body>\n</html>\n";
  }

 private:
  void add(std::size_t index, AnnotatedLine& line) const {
    line.pairs.push_back(index);
    ++(sets_.pairs[index].count == 0 ? line.unseen : line.seen);
  }

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
    text_ += "<table>\n";
    add_figure("pairs", pairs_sentence(figures_));
    add_figure("statements", statements_sentence(sets_, figures_));
    add_figure("executions",
               fmt::format("{}; {}", grouped(figures_.executions), convergence_sentence(figures_)));
    add_figure("lately",
               fmt::format("{} of the last {} saw new pairs", grouped(figures_.recent_adding),
                           counted(figures_.recent, "execution")));
    text_ += "</table>\n";
  }

  // Of a long file what lies around its statements.
  void add_file(const std::string& file, const AnnotatedLines& lines) {
    text_ += fmt::format("<h2>{}</h2>\n<table class=\"source\">\n", markup(file));
    const std::vector<std::string>& source = sources_.lines(file);
    if (source.empty())
      text_ += "<caption class=\"faint\">The source is not available.</caption>\n";
    std::uint64_t next = 1;
    for (const auto& [number, line] : lines) {
      const std::uint64_t first = number > lines_around ? number - lines_around : 1;
      if (!source.empty() && first > next) add_gap();
      for (next = std::max(next, first); next < number && next <= source.size(); ++next) {
        add_line(file, next, source, nullptr);
      }
      add_line(file, number, source, &line);
      const auto behind = lines.upper_bound(number);
      const std::uint64_t end = behind == lines.end() ? number + lines_around + 1 : behind->first;
      for (next = number + 1; next < end && next <= number + lines_around && next <= source.size();
           ++next) {
        add_line(file, next, source, nullptr);
      }
    }
    if (next <= source.size()) add_gap();
    text_ += "</table>\n";
  }

  void add_gap() { text_ += "<tr><td class=\"number\">&#8942;</td><td></td><td></td></tr>\n"; }

  static const char* class_of(const AnnotatedLine& line) {
    if (line.pairs.empty()) return "";
    if (line.unseen == 0) return " class=\"seen\"";
    return line.seen == 0 ? " class=\"missed\"" : " class=\"partly\"";
  }

  static std::string margin(const AnnotatedLine& line) {
    if (line.pairs.empty()) return "";
    return grouped(line.seen) + " seen" +
           (line.unseen == 0 ? "" : ", " + grouped(line.unseen) + " not");
  }

  void add_line(const std::string& file, std::uint64_t number,
                const std::vector<std::string>& source, const AnnotatedLine* line) {
    const std::string text = number <= source.size() ? source[number - 1] : "";
    text_ += fmt::format(
        "<tr{}{}><td class=\"number\">{}</td><td class=\"number\">{}</td><td "
        "class=\"text\">{}</td></tr>\n",
        line == nullptr ? "" : fmt::format(" id=\"{}\"", anchor(file, number)),
        line == nullptr ? "" : class_of(*line), number, line == nullptr ? "" : margin(*line),
        markup(text));
    if (line == nullptr || line->pairs.empty()) return;
    text_ += "<tr><td></td><td></td><td>";
    add_pairs(*line, line->unseen != 0);
    text_ += "</td></tr>\n";
  }

  // Numbers only, so that nothing of a name gets into an attribute.
  std::string anchor(const std::string& file, std::uint64_t line) const {
    const auto found = files_.find(file);
    return fmt::format("f{}-{}", std::distance(files_.begin(), found), line);
  }

  void add_pairs(const AnnotatedLine& line, bool is_open) {
    text_ += fmt::format("<details{}><summary>{}</summary>\n<ul>\n", is_open ? " open" : "",
                         margin(line));
    std::uint64_t left = 0;
    for (const std::size_t pair : line.pairs) {
      if (told_.contains(pair)) {
        add_pair(sets_.pairs[pair]);
      } else {
        ++left;
      }
    }
    if (left > 0) text_ += fmt::format("<li class=\"faint\">and {} more</li>\n", grouped(left));
    text_ += "</ul></details>";
  }

  void add_pair(const CoveragePair& pair) {
    const CoverageStatement& later = sets_.statements[pair.later];
    const CoverageStatement& earlier = sets_.statements[pair.earlier];
    const bool has_line = file_place(later.place).has_value();
    text_ += fmt::format(
        "<li>{}{}{}: {} {} {}{}</li>\n", side_of_later(pair), has_line ? "" : " ",
        (has_line ? "" : markup(later.place)) + calls_of(later),
        pair.count == 0 ? "<strong>never</strong> right after" : "right after",
        side_of_earlier(pair), linked(earlier.place) + calls_of(earlier),
        pair.count == 0 ? ""
                        : fmt::format(", {}, first in execution {}", counted(pair.count, "time"),
                                      grouped(pair.first_execution)));
  }

  std::string linked(const std::string& place) const {
    const auto line = file_place(place);
    if (!line) return markup(place);
    return fmt::format("<a href=\"#{}\">{}</a>", anchor(line->file, line->line), markup(place));
  }

  static std::string calls_of(const CoverageStatement& statement) {
    std::string text;
    for (const std::string& call : statement.calls) {
      text += (text.empty() ? " <span class=\"faint\">called from " : ", ") + markup(call);
    }
    return text.empty() ? "" : text + "</span>";
  }

  const CoverageSets& sets_;
  SourceFiles& sources_;
  CoverageFigures figures_;
  std::set<std::size_t> told_;
  std::map<std::string, AnnotatedLines> files_;
  AnnotatedLine without_line_;
  std::string text_;
};

}  // namespace

std::string coverage_html(const CoverageSets& sets, SourceFiles& sources,
                          const CoverageHtmlOptions& options) {
  return Page(sets, sources, options).text();
}

}  // namespace ricercar::inline report
