// N-queens as a parallel query: from all boards with three queens select those that are allowed,
// with the number of solutions that begin with them.
#include <algorithm>
#include <cassert>
#include <optional>
#include <vector>

#include "../components/parallel_query.h"
#include "../components/queens.h"
#include "../components/unit_test.h"

namespace gambit {
namespace {

constexpr int size = 9;
constexpr int known_solutions = 352;
constexpr int boards = size * size * size;
constexpr int workers = 2;

std::optional<int> solutions_from(int index) {
  Board<size> board;
  for (int rest = index, row = 0; row < 3; ++row, rest /= size) {
    if (!board.place(rest % size)) return std::nullopt;
  }
  return board.count_solutions();
}

// What the query has to find, one index after the other.
struct Expected {
  Expected() {
    for (int index = 0; index < boards; ++index) {
      const std::optional<int> value = solutions_from(index);
      if (!value) continue;
      first = std::min(first, index);
      ++results;
      if (*value == 1) ++with_one_solution;
    }
  }

  int first = boards;
  int results = 0;
  int with_one_solution = 0;
};

void test(ParallelQueryBug bug) {
  const Expected expected;
  ParallelQuery query(boards, workers, bug, solutions_from);
  std::vector<QueryResult> results = query.fetch_all();
  query.finish();
  assert(query.openings() == 1);
  assert(query.first() == expected.first);
  assert(query.sum() == known_solutions);
  assert(static_cast<int>(results.size()) == expected.results);
  std::sort(results.begin(), results.end(),
            [](const QueryResult& a, const QueryResult& b) { return a.index < b.index; });
  for (const QueryResult& result : results) assert(solutions_from(result.index) == result.value);
  assert(query.group_size(1) == expected.with_one_solution);
}

}  // namespace
}  // namespace gambit

int main(int argument_count, char** arguments) {
  using gambit::ParallelQueryBug;
  gambit::test(
      gambit::choose_bug<ParallelQueryBug>(argument_count, arguments,
                                           {{"double-open", ParallelQueryBug::double_open},
                                            {"shared-chunk", ParallelQueryBug::shared_chunk},
                                            {"raised-first", ParallelQueryBug::raised_first},
                                            {"late-delivery", ParallelQueryBug::late_delivery},
                                            {"lost-sum", ParallelQueryBug::lost_sum}}));
  return 0;
}
