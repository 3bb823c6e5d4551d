#include "report/coverage_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "report/source_files.h"
#include "report/style.h"

namespace ricercar::inline report {
namespace {

constexpr std::uint64_t recent_limit = 100;

template <typename Wanted, typename Before>
std::vector<std::size_t> first_pairs(const CoverageSets& sets, std::size_t limit, Wanted wanted,
                                     Before before) {
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < sets.pairs.size(); ++i) {
    if (wanted(sets.pairs[i])) indices.push_back(i);
  }
  const std::size_t size = std::min(limit, indices.size());
  std::partial_sort(
      indices.begin(), indices.begin() + static_cast<std::ptrdiff_t>(size), indices.end(),
      [&](std::size_t a, std::size_t b) { return before(sets.pairs[a], sets.pairs[b]); });
  indices.resize(size);
  return indices;
}

auto place_in_order(const CoveragePair& pair) {
  return std::tie(pair.later, pair.earlier, pair.later_is_local);
}

}  // namespace

double CoverageFigures::percent() const {
  return seen == 0 ? 0 : 100.0 * static_cast<double>(seen) / static_cast<double>(seen + possible);
}

CoverageFigures figures_of(const CoverageSets& sets) {
  CoverageFigures figures;
  figures.statements = sets.statements.size();
  figures.without_line = static_cast<std::uint64_t>(
      std::count_if(sets.statements.begin(), sets.statements.end(),
                    [](const CoverageStatement& one) { return !file_place(one.place); }));
  figures.executions = sets.executions;
  figures.recent = std::min(recent_limit, sets.executions);
  const std::uint64_t before_recent = figures.executions - figures.recent;
  std::uint64_t last = 0;
  std::set<std::uint64_t> adding;
  for (const CoveragePair& pair : sets.pairs) {
    ++(pair.count == 0 ? figures.possible : figures.seen);
    last = std::max(last, pair.first_execution);
    if (pair.first_execution > before_recent) adding.insert(pair.first_execution);
  }
  figures.quiet = figures.executions - std::min(last, figures.executions);
  figures.recent_adding = adding.size();
  return figures;
}

std::string statements_sentence(const CoverageSets& sets, const CoverageFigures& figures) {
  std::string text = fmt::format("{}, told apart by the last {}", grouped(figures.statements),
                                 counted(sets.context, "call"));
  if (figures.without_line > 0) {
    text += fmt::format("; {} without a source line: compile with -g to see it",
                        grouped(figures.without_line));
  }
  return text;
}

std::string pairs_sentence(const CoverageFigures& figures) {
  return fmt::format("{} of statements seen, {} more look{} possible",
                     counted(figures.seen, "pair"), grouped(figures.possible),
                     figures.possible == 1 ? "s" : "");
}

std::string convergence_sentence(const CoverageFigures& figures) {
  if (figures.executions == 0) return "nothing was executed";
  if (figures.seen == 0) return "no pair yet";
  if (figures.quiet == 0) return "the last execution saw a new pair";
  if (figures.quiet == 1) return "no new pair in the last execution";
  return fmt::format("no new pair in the last {} executions", grouped(figures.quiet));
}

std::vector<std::size_t> unseen_pairs(const CoverageSets& sets, std::size_t limit) {
  return first_pairs(
      sets, limit, [](const CoveragePair& pair) { return pair.count == 0; },
      [](const CoveragePair& a, const CoveragePair& b) {
        return place_in_order(a) < place_in_order(b);
      });
}

std::vector<std::size_t> rarest_pairs(const CoverageSets& sets, std::size_t limit) {
  return first_pairs(
      sets, limit, [](const CoveragePair& pair) { return pair.count > 0; },
      [](const CoveragePair& a, const CoveragePair& b) {
        if (a.count != b.count) return a.count < b.count;
        if (a.first_execution != b.first_execution) return a.first_execution > b.first_execution;
        return place_in_order(a) < place_in_order(b);
      });
}

const char* side_of_later(const CoveragePair& pair) {
  return pair.later_is_local ? "local" : "remote";
}

const char* side_of_earlier(const CoveragePair& pair) {
  return pair.later_is_local ? "remote" : "local";
}

std::string statement_words(const CoverageStatement& statement) {
  std::string text = statement.place;
  for (std::size_t i = 0; i < statement.calls.size(); ++i) {
    text += (i == 0 ? " (called from " : ", ") + statement.calls[i];
  }
  if (!statement.calls.empty()) text += ")";
  return harmless(text);
}

}  // namespace ricercar::inline report
