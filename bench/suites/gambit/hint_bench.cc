// Section 5.3 of GAMBIT (PPoPP 2010): what the names of the methods that a tester suspects are
// worth. The paper's case is one unit test, GatherPost2, and the methods Enqueue and TryDequeue of
// a port.
//
//   hint_bench TOOL PROGRAMS FOLDER BENCHMARKS.md
//
// PROGRAMS has the unit tests. What it makes goes to FOLDER.
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine/measure.h"
#include "suites/search.h"

namespace {

using namespace ricercar::bench;

constexpr SearchLimits limits{20000, 20};  // those of Table 2
constexpr char unit_test[] = "ccr_gather_post2";
constexpr char bug[] = "wrapped-position";

struct Hint {
  const char* title;
  const char* priority;
  const char* paper;
};

// From the least to the most that the tester says.
constexpr Hint hints[] = {
    {"Enqueue", "method=enqueue", "68"},
    {"TryDequeue", "method=try_dequeue", "13"},
    {"both", "method=enqueue+try_dequeue", "7"},
};

// The paper does not say in which of its two spaces the figures were measured.
struct Space {
  const char* title;
  const char* name;
  const char* depth_first;
  const char* paper;
};

constexpr Space spaces[] = {
    {"PB(2)", "pb=2", "pb:bound=2,iterative=no", "-"},
    {"DPOR", "persistent", "dpor", "- after a long weekend"},
};

SearchResult search(const Searcher& searcher, const std::string& strategy) {
  SearchResult result = searcher.search({unit_test, {bug}, strategy, 1, limits});
  std::printf("%-60s %8llu executions, %s\n", strategy.c_str(),
              static_cast<unsigned long long>(result.executions),
              result.found() ? result.bug.c_str() : "not found");
  std::fflush(stdout);
  return result;
}

std::string row(const std::string& space, const std::string& title, const std::string& strategy,
                const SearchResult& result, const std::string& paper) {
  return "| " + space + " | " + title + " | `" + strategy + "` | " +
         (result.found() ? "" : "- after ") + std::to_string(result.executions) + " | " + paper +
         " |\n";
}

// The more the tester says the sooner the bug is found, as in the paper.
bool is_in_order(const std::vector<SearchResult>& results) {
  for (std::size_t i = 1; i < results.size(); ++i) {
    if (!results[i].found()) return false;
    if (results[i - 1].found() && results[i - 1].executions < results[i].executions) return false;
  }
  return true;
}

void run(char** arguments) {
  const Searcher searcher(arguments[1], arguments[2], arguments[3]);
  std::string rows;
  std::vector<Row> bars;
  for (const Space& space : spaces) {
    rows += row(space.title, "depth first", space.depth_first, search(searcher, space.depth_first),
                space.paper);
    std::vector<SearchResult> results;
    for (const Hint& hint : hints) {
      const std::string strategy =
          std::string("bestfirst:space=") + space.name + ",priority=" + hint.priority;
      results.push_back(search(searcher, strategy));
      rows += row(space.title, hint.title, strategy, results.back(), hint.paper);
    }
    const bool is_met = is_in_order(results);
    bars.push_back({std::string("order of the hints over ") + space.title,
                    is_met ? "as in the paper" : "another", "both, TryDequeue, Enqueue", is_met});
  }
  const std::string text =
      "## GAMBIT: section 5.3, a programmer's hint\n\n" + machine() +
      "\n\nExecutions until the bug of `" + unit_test + " " + bug +
      "` is found, with the names of the methods that the tester suspects; at most " +
      std::to_string(limits.executions) + " executions and " + std::to_string(int(limits.seconds)) +
      " seconds for a search. `-`: not found within that. The paper gives one figure for each "
      "hint, "
      "in seconds, and does not say for which space.\n\n" +
      table(bars) + "\n| space | hint | strategy | executions | the paper's seconds |\n" +
      "|---|---|---|---|---|\n" + rows + "\n";
  std::printf("\n%s", text.c_str());
  write_section(arguments[4], "gambit hint", text);
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 5) {
    std::fprintf(stderr, "usage: hint_bench TOOL PROGRAMS FOLDER BENCHMARKS.md\n");
    return 2;
  }
  try {
    run(arguments);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "hint_bench: %s\n", error.what());
    return 1;
  }
  return 0;
}
