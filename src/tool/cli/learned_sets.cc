#include "cli/learned_sets.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <vector>

#include "base/error.h"
#include "model/shared_array.h"
#include "strategy/hapset/predecessor_sets.h"
#include "strategy/registry.h"

namespace ricercar::inline cli {
namespace {

CoverageStatement statement_of(std::span<const std::uint64_t> places, const PlaceNames& names) {
  CoverageStatement statement;
  statement.place = names.text_of(places[0]);
  for (const std::uint64_t call : places.subspan(1)) statement.calls.push_back(names.text_of(call));
  return statement;
}

// When pairs that were loaded have been seen first.
class History {
 public:
  explicit History(const CoverageSets* known) : known_(known) {
    if (known == nullptr) return;
    for (const CoveragePair& pair : known->pairs) first_[key(*known, pair)] = pair.first_execution;
  }

  std::uint64_t before() const { return known_ == nullptr ? 0 : known_->executions; }
  std::uint64_t first_execution(const CoverageSets& sets, const CoveragePair& pair) const {
    const auto found = first_.find(key(sets, pair));
    return found == first_.end() ? 0 : found->second;
  }

 private:
  using Key = std::tuple<std::string, std::vector<std::string>, std::string,
                         std::vector<std::string>, bool>;
  static Key key(const CoverageSets& sets, const CoveragePair& pair) {
    const CoverageStatement& later = sets.statements[pair.later];
    const CoverageStatement& earlier = sets.statements[pair.earlier];
    return {later.place, later.calls, earlier.place, earlier.calls, pair.later_is_local};
  }

  const CoverageSets* known_;
  std::map<Key, std::uint64_t> first_;
};

}  // namespace

void give_sets(Request& request, PlaceNames& places, const CoverageSets& sets) {
  const std::optional<std::uint32_t> calls = calls_of_statements(request.strategy);
  if (calls && *calls != sets.context) {
    throw UsageError(
        fmt::format("the sets know statements by their last {0} calls, and the strategy by {1}: "
                    "search with hapset:context={0}, or begin a new file",
                    sets.context, *calls));
  }
  std::vector<std::uint64_t> numbers;
  std::vector<std::uint32_t> ends;
  for (const CoverageStatement& statement : sets.statements) {
    numbers.push_back(places.number_of(statement.place, true));
    for (const std::string& call : statement.calls) numbers.push_back(places.number_of(call, true));
    ends.push_back(static_cast<std::uint32_t>(numbers.size()));
  }
  std::vector<LearnedPair> pairs;
  for (const CoveragePair& pair : sets.pairs) {
    constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
    const auto count = static_cast<std::uint32_t>(std::min(pair.count, most));
    pairs.push_back({pair.later, pair.earlier, count, pair.later_is_local});
  }
  request.learned_places = to_shared(numbers);
  request.learned_ends = to_shared(ends);
  request.learned_pairs = to_shared(pairs);
}

std::optional<CoverageSets> take_sets(const Control& control, const PlaceNames& places,
                                      const CoverageSets* known) {
  if (control.sets == nullptr) return std::nullopt;
  const PredecessorSets& learned = *control.sets;
  const History history(known);
  CoverageSets sets;
  sets.context = calls_of_statements(control.request.strategy).value_or(sets.context);
  if (known != nullptr) sets.added = known->added;
  sets.added.insert(sets.added.end(), learned.added().begin(), learned.added().end());
  sets.executions = history.before() + learned.added().size();
  for (std::size_t i = 0; i < learned.statement_count(); ++i) {
    const auto statement = static_cast<PredecessorSets::Statement>(i);
    sets.statements.push_back(statement_of(learned.places(statement), places));
  }
  learned.for_each([&](const PredecessorSets::Entry& entry) {
    CoveragePair pair{entry.pair.later, entry.pair.earlier, entry.pair.later_is_local, entry.count,
                      0};
    if (entry.first_execution != 0) {
      pair.first_execution = history.before() + entry.first_execution;
    } else if (entry.count != 0) {
      pair.first_execution = history.first_execution(sets, pair);
    }
    sets.pairs.push_back(pair);
  });
  std::sort(sets.pairs.begin(), sets.pairs.end(), [](const CoveragePair& a, const CoveragePair& b) {
    return std::tie(a.later, a.earlier, b.later_is_local) <
           std::tie(b.later, b.earlier, a.later_is_local);
  });
  return sets;
}

}  // namespace ricercar::inline cli
