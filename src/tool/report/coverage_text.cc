#include "report/coverage_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "report/coverage_curve.h"
#include "report/coverage_figures.h"
#include "report/style.h"

namespace ricercar::inline report {
namespace {

constexpr std::array<const char*, 9> bars = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr std::size_t most_columns = 60;
constexpr std::array<std::uint64_t, 7> curve_percents = {1, 2, 5, 10, 20, 50, 100};

class TextReport {
 public:
  TextReport(const CoverageSets& sets, const CoverageTextOptions& options)
      : sets_(sets), options_(options), painter_(options.colours), figures_(figures_of(sets)) {}

  std::string text() {
    add_figures();
    if (figures_.seen > 0) add_curve();
    add_unseen();
    add_rarest();
    text_ += "\n";
    if (!sets_.pairs.empty()) add_line(0, painter_.paint(Ink::faint, sides_explained));
    add_line(0, painter_.paint(Ink::faint, no_proof));
    return std::move(text_);
  }

 private:
  // Paint has no width, so painted text must not need to be broken.
  void add_line(std::size_t indent, const std::string& line) {
    text_ += std::string(indent, ' ') + line + "\n";
  }
  void add_wrapped(std::size_t indent, const std::string& line, std::size_t further_indent) {
    add_line(indent, wrapped(line, options_.width - indent, indent + further_indent));
  }
  void add_heading(const std::string& heading) {
    text_ += "\n";
    add_line(0, painter_.paint(Ink::bold, heading));
  }

  void add_figures() {
    add_line(0,
             painter_.paint(Ink::bold, harmless(sets_.program) + ": " + pairs_sentence(figures_)));
    add_line(2, fmt::format("{:<11} {}", "statements", statements_sentence(sets_, figures_)));
    std::string convergence = convergence_sentence(figures_);
    if (figures_.recent_adding > 0 && figures_.recent < figures_.executions) {
      convergence += fmt::format("; {} of the last {} saw new ones",
                                 grouped(figures_.recent_adding), grouped(figures_.recent));
    }
    add_line(2,
             fmt::format("{:<11} {}; {}", "executions", grouped(figures_.executions), convergence));
  }

  void add_curve() {
    add_heading("Pairs seen, from the first execution to the last");
    const CoverageCurve curve(sets_);
    if (options_.blocks) add_blocks(curve);
    add_numbers(curve);
  }

  void add_blocks(const CoverageCurve& curve) {
    const std::uint64_t columns =
        std::min<std::uint64_t>({curve.executions(), most_columns, options_.width - 2});
    const std::uint64_t most = std::max<std::uint64_t>(curve.pairs_after(curve.executions()), 1);
    std::string line;
    for (std::uint64_t column = 1; column <= columns; ++column) {
      const std::uint64_t pairs = curve.pairs_after(curve.executions() * column / columns);
      line += bars[(pairs * (bars.size() - 1) + most - 1) / most];
    }
    add_line(2, painter_.paint(Ink::lane, line));
  }

  void add_numbers(const CoverageCurve& curve) {
    std::string executions = "executions";
    std::string pairs = "pairs     ";
    std::uint64_t last = 0;
    for (const std::uint64_t percent : curve_percents) {
      const std::uint64_t position = std::max<std::uint64_t>(curve.executions() * percent / 100, 1);
      if (position == last) continue;
      last = position;
      const std::string column = grouped(position);
      const std::string value = grouped(curve.pairs_after(position));
      const std::size_t needed = std::max({column.size(), value.size(), std::size_t{5}});
      executions += fmt::format("  {:>{}}", column, needed);
      pairs += fmt::format("  {:>{}}", value, needed);
    }
    add_line(2, executions);
    add_line(2, pairs);
  }

  void add_rest(std::uint64_t all, std::size_t shown) {
    if (shown < all) add_line(2, fmt::format("and {} more (--limit N)", grouped(all - shown)));
  }

  void add_unseen() {
    if (figures_.possible == 0) return;
    add_heading("Pairs that look possible and were never seen");
    const std::vector<std::size_t> unseen = unseen_pairs(sets_, options_.limit);
    for (const std::size_t index : unseen) {
      const CoveragePair& pair = sets_.pairs[index];
      add_wrapped(2,
                  fmt::format("{} {} has never come right after {} {}", side_of_later(pair),
                              statement_words(sets_.statements[pair.later]), side_of_earlier(pair),
                              statement_words(sets_.statements[pair.earlier])),
                  4);
    }
    add_rest(figures_.possible, unseen.size());
  }

  void add_rarest() {
    if (figures_.seen == 0) return;
    add_heading("The rarest pairs");
    add_line(2, fmt::format("{:>7} {:>9}   {}", "times", "first in", "pair"));
    const std::vector<std::size_t> rarest = rarest_pairs(sets_, options_.limit);
    for (const std::size_t index : rarest) {
      const CoveragePair& pair = sets_.pairs[index];
      add_wrapped(
          2,
          fmt::format("{:>7} {:>9}   ", grouped(pair.count), grouped(pair.first_execution)) +
              fmt::format("{} {} right after {} {}", side_of_later(pair),
                          statement_words(sets_.statements[pair.later]), side_of_earlier(pair),
                          statement_words(sets_.statements[pair.earlier])),
          20);
    }
    add_rest(figures_.seen, rarest.size());
  }

  const CoverageSets& sets_;
  const CoverageTextOptions& options_;
  Painter painter_;
  CoverageFigures figures_;
  std::string text_;
};

}  // namespace

std::string coverage_text(const CoverageSets& sets, const CoverageTextOptions& options) {
  return TextReport(sets, options).text();
}

}  // namespace ricercar::inline report
