// The figures of learned sets that all their reports show, and the words for a pair. Safe to call
// from any thread.
#pragma once

#include <cstddef>
#include <string>

#include "report/coverage_sets.h"

namespace ricercar::inline report {

struct CoverageFigures {
  std::uint64_t statements = 0;
  std::uint64_t without_line = 0;  // statements of code that has no debug information
  std::uint64_t seen = 0;          // pairs
  std::uint64_t possible = 0;      // pairs never seen that look possible
  std::uint64_t executions = 0;
  std::uint64_t quiet = 0;          // executions since the last new pair
  std::uint64_t recent = 0;         // the last ones, at most a hundred
  std::uint64_t recent_adding = 0;  // how many of those saw a new pair

  // Of all pairs that look possible, the seen ones among them. For tools only: nobody knows how
  // many pairs are possible, so to a reader it would mean nothing.
  double percent() const;
};

CoverageFigures figures_of(const CoverageSets& sets);

// "412, told apart by the last 5 calls"
std::string statements_sentence(const CoverageSets& sets, const CoverageFigures& figures);
// "96 pairs of statements seen, 7 more look possible"
std::string pairs_sentence(const CoverageFigures& figures);
// "no new pair in the last 31 executions"
std::string convergence_sentence(const CoverageFigures& figures);

// At most `limit` indices of pairs never seen, in the order of their statements.
std::vector<std::size_t> unseen_pairs(const CoverageSets& sets, std::size_t limit);
// At most `limit` indices of pairs seen, the rarest first; of equal ones the latest first.
std::vector<std::size_t> rarest_pairs(const CoverageSets& sets, std::size_t limit);

// "local" or "remote", for the thread of the later or the earlier statement of a pair.
const char* side_of_later(const CoveragePair& pair);
const char* side_of_earlier(const CoveragePair& pair);
inline constexpr const char* sides_explained =
    "local: the thread of the two that has the smaller number, remote: the other one";
inline constexpr const char* no_proof =
    "Pairs say what was tried. All pairs seen is not a proof that there is no bug.";

// "queue.cc:41 (called from main.cc:12, main.cc:30)"
std::string statement_words(const CoverageStatement& statement);

}  // namespace ricercar::inline report
