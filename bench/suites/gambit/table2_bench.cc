// Tables 1 and 2 of GAMBIT (PPoPP 2010) on the unit tests of this suite: the longest execution and
// the number of threads of each; executions and seconds to every
// bug, depth first and best first, over its two spaces; the reduced one twice, with source sets and
// with the paper's persistent sets.
//
//   table2_bench TOOL PROGRAMS SUITE FOLDER BENCHMARKS.md [longer]
//
// `longer`: the paper's best searches alone, with three minutes each and no limit of executions.
// PROGRAMS has the unit tests, SUITE bugs.txt, paper.txt and paper_steps.txt. What it makes goes to
// FOLDER.
#include <algorithm>
#include <cstdio>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine/measure.h"
#include "suites/search.h"

namespace {

using namespace ricercar::bench;

constexpr SearchLimits limits{20000, 20};
constexpr SearchLimits longer_limits{1000000000, 180};
constexpr SearchLimits limits_of_table1{200, 60};  // random executions
constexpr int seeds = 5;
constexpr std::size_t paper_figures = 6;  // for each space

struct Search {
  std::string title;
  std::string strategy;
  bool uses_seed = false;
};

struct Space {
  std::string title;
  std::size_t paper;  // which of the paper's spaces
  std::vector<Search> searches;
};

const Space spaces[] = {
    {"DPOR",
     0,
     {{"depth first", "dpor"},
      {"BF(pb)", "bestfirst:space=dpor,priority=pb"},
      {"BF(mdpor,pb)", "bestfirst:space=dpor,priority=mdpor+pb"},
      {"BF(rand)", "bestfirst:space=dpor,priority=rand", true}}},
    {"DPOR with the paper's persistent sets",
     0,
     {{"depth first", "dpor"},
      {"BF(pb)", "bestfirst:space=persistent,priority=pb"},
      {"BF(mdpor,pb)", "bestfirst:space=persistent,priority=mdpor+pb"},
      {"BF(rand)", "bestfirst:space=persistent,priority=rand", true}}},
    {"PB(2)",
     1,
     {{"depth first", "pb:bound=2,iterative=no"},
      {"BF(ss,dpor)", "bestfirst:space=pb=2,priority=ss+dpor"},
      {"BF(ss,mdpor)", "bestfirst:space=pb=2,priority=ss+mdpor"},
      {"BF(rand)", "bestfirst:space=pb=2,priority=rand", true}}},
};

struct PlantedBug {
  std::string unit_test;
  std::string name;
  std::string kind;
  std::vector<std::string> paper;  // seconds, as the paper prints them, for both spaces
};

// One search with all its seeds.
struct Cell {
  int searches = 0;
  int found = 0;
  double executions = 0, seconds = 0;  // sums
  std::uint64_t fewest = ~std::uint64_t{0}, most = 0;
  bool complete = false;  // and nothing was found
  std::string other;      // a bug of another kind than the planted one, which ended a search
};

std::vector<PlantedBug> read_bugs(const std::string& suite) {
  const std::vector<std::string> lines = lines_of(suite + "/bugs.txt");
  const std::vector<std::string> paper = lines_of(suite + "/paper.txt");
  if (lines.size() != paper.size()) throw std::runtime_error("bugs.txt and paper.txt differ");
  std::vector<PlantedBug> bugs;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    PlantedBug bug;
    std::istringstream(lines[i]) >> bug.unit_test >> bug.name >> bug.kind;
    std::istringstream words(paper[i]);
    std::string unit_test;
    words >> unit_test;
    for (std::string word; words >> word;) bug.paper.push_back(word);
    if (unit_test != bug.unit_test || bug.paper.size() != 2 * paper_figures) {
      throw std::runtime_error("paper.txt does not follow bugs.txt: " + paper[i]);
    }
    bugs.push_back(std::move(bug));
  }
  return bugs;
}

Cell measure(const Searcher& searcher, const PlantedBug& bug, const Search& search,
             const SearchLimits& within) {
  Cell cell;
  for (int seed = 1; seed <= (search.uses_seed ? seeds : 1); ++seed) {
    const SearchResult result =
        searcher.search({bug.unit_test, {bug.name}, search.strategy, seed, within});
    const bool found = result.bug == bug.kind;
    if (result.found() && !found) cell.other = result.bug;
    ++cell.searches;
    cell.found += found ? 1 : 0;
    cell.executions += static_cast<double>(result.executions);
    cell.seconds += result.seconds;
    cell.fewest = std::min(cell.fewest, result.executions);
    cell.most = std::max(cell.most, result.executions);
    cell.complete = !result.found() && result.complete;
  }
  return cell;
}

std::string format(const char* pattern, double value) {
  char text[64];
  std::snprintf(text, sizeof text, pattern, value);
  return text;
}

std::string text_of(const Cell& cell) {
  const double searches = cell.searches;
  const std::string seconds = format(" (%.2f s)", cell.seconds / searches);
  const std::string other = cell.other.empty() ? "" : ", another bug: **" + cell.other + "**";
  if (cell.searches == 1) {
    if (cell.found == 1) return format("%.0f", cell.executions) + seconds;
    return (cell.complete ? "**none** in all " : "- after ") + format("%.0f", cell.executions) +
           seconds + other;
  }
  std::string text = format("%.0f", cell.executions / searches) + seconds + ", " +
                     std::to_string(cell.fewest) + " to " + std::to_string(cell.most);
  if (cell.found < cell.searches) {
    text += ", found by " + std::to_string(cell.found) + " of " + std::to_string(cell.searches);
  }
  return text + other;
}

// The rows of one space: a bug each, with the cells of every search.
using Rows = std::vector<std::vector<Cell>>;

std::string paper_text(const PlantedBug& bug, std::size_t space) {
  std::string text;
  for (std::size_t i = 0; i < 4; ++i) {
    text += (i == 0 ? "" : ", ") + bug.paper[spaces[space].paper * paper_figures + i];
  }
  return text;
}

std::size_t bugs_found(const Rows& rows, std::size_t search) {
  return static_cast<std::size_t>(std::count_if(rows.begin(), rows.end(), [&](const auto& row) {
    return row[search].found == row[search].searches;
  }));
}

double executions_of(const Rows& rows, std::size_t search) {
  double sum = 0;
  for (const auto& row : rows) sum += row[search].executions / row[search].searches;
  return sum;
}

std::string totals(const Rows& rows, std::size_t searches) {
  std::string found = "| **bugs found** | |";
  std::string executions = "| **executions in all** | |";
  std::string seconds = "| **seconds in all** | |";
  for (std::size_t i = 0; i < searches; ++i) {
    double time = 0;
    for (const auto& row : rows) time += row[i].seconds / row[i].searches;
    found += " " + std::to_string(bugs_found(rows, i)) + " of " + std::to_string(rows.size()) +
             (rows[0][i].searches > 1 ? ", with every seed" : "") + " |";
    executions += format(" %.0f |", executions_of(rows, i));
    seconds += format(" %.1f |", time);
  }
  return found + " |\n" + executions + " |\n" + seconds + " |\n";
}

std::string space_table(std::size_t space, const std::vector<PlantedBug>& bugs, const Rows& rows) {
  std::string text = "### " + spaces[space].title + "\n\n| unit test | bug |";
  std::string line = "\n|---|---|";
  std::string order;
  for (const Search& search : spaces[space].searches) {
    text += " " + search.title + ": `" + search.strategy + "` |";
    line += "---|";
    order += (order.empty() ? "" : ", ") + search.title;
  }
  text += " the paper's seconds: " + order + " |" + line + "---|\n";
  for (std::size_t i = 0; i < bugs.size(); ++i) {
    text += "| " + bugs[i].unit_test + " | " + bugs[i].name + ", " + bugs[i].kind + " |";
    for (const Cell& cell : rows[i]) text += " " + text_of(cell) + " |";
    text += " " + paper_text(bugs[i], space) + " |\n";
  }
  return text + totals(rows, spaces[space].searches.size()) + "\n";
}

// Over PB(2): nearly all bugs, with fewer executions in all than depth first.
Row bar_of_bounded(const Rows& rows, std::size_t bugs, std::size_t search) {
  const std::size_t found = bugs_found(rows, search);
  const double sum = executions_of(rows, search);
  const double depth_first = executions_of(rows, 0);
  return {"over PB(2), " + spaces[std::size(spaces) - 1].searches[search].title,
          std::to_string(found) + " of " + std::to_string(bugs) + " bugs, " + format("%.0f", sum) +
              " executions",
          "at least 21, fewer executions than depth first's " + format("%.0f", depth_first),
          found >= 21 && sum < depth_first};
}

std::string section(const std::vector<PlantedBug>& bugs, const std::vector<Rows>& rows) {
  std::string text =
      "## GAMBIT: Table 2\n\n" + machine() +
      "\n\nExecutions until the bug is found, and seconds, for each bug of bench/suites/gambit; at "
      "most " +
      std::to_string(limits.executions) + " executions and " + format("%.0f", limits.seconds) +
      " seconds for a search. `-`: not found within that; BF(rand) is the average of " +
      std::to_string(seeds) +
      " seeds, and the fewest and the most executions. The paper's figures are for its own "
      "programs and its own machine, with a limit of one hour; BF(rand) is its average.\n\n";
  const std::size_t best = bugs_found(rows[0], 2);
  const std::size_t missed = bugs.size() - bugs_found(rows[0], 0);
  text += table({{"bugs that BF(mdpor,pb) finds within the limit", std::to_string(best),
                  std::to_string(bugs.size()), best == bugs.size()},
                 {"bugs that depth-first DPOR misses within the limit", std::to_string(missed),
                  "at least 8", missed >= 8},
                 bar_of_bounded(rows.back(), bugs.size(), 1),
                 bar_of_bounded(rows.back(), bugs.size(), 2)}) +
          "\n";
  for (std::size_t i = 0; i < rows.size(); ++i) text += space_table(i, bugs, rows[i]);
  return text;
}

// --- The best searches, with more time ---

// What the paper recommends for each space.
const Search best_searches[] = {spaces[0].searches[2], spaces[1].searches[2], spaces[2].searches[1],
                                spaces[2].searches[2]};

std::string longer_section(const std::vector<PlantedBug>& bugs, const Rows& rows) {
  std::string text =
      "## GAMBIT: Table 2 with three minutes\n\n" + machine() +
      "\n\nThe paper's best searches again, with " + format("%.0f", longer_limits.seconds) +
      " seconds each and no limit of executions, because the paper allowed an hour. This table was "
      "added after the one with 20 seconds was seen; which searches are in it, and the three "
      "minutes, were fixed before it was run.\n\n"
      "| unit test | bug |";
  std::string line = "\n|---|---|";
  for (const Search& search : best_searches) {
    text += " " + search.title + ": `" + search.strategy + "` |";
    line += "---|";
  }
  text += line + "\n";
  for (std::size_t i = 0; i < bugs.size(); ++i) {
    text += "| " + bugs[i].unit_test + " | " + bugs[i].name + ", " + bugs[i].kind + " |";
    for (const Cell& cell : rows[i]) text += " " + text_of(cell) + " |";
    text += "\n";
  }
  std::string found = "| **bugs found** | |";
  for (std::size_t i = 0; i < std::size(best_searches); ++i) {
    found +=
        " " + std::to_string(bugs_found(rows, i)) + " of " + std::to_string(bugs.size()) + " |";
  }
  return text + found + "\n\n";
}

void run_longer(char** arguments) {
  const Searcher searcher(arguments[1], arguments[2], arguments[4]);
  const std::vector<PlantedBug> bugs = read_bugs(arguments[3]);
  Rows rows;
  for (const PlantedBug& bug : bugs) {
    std::printf("%-20s %-22s", bug.unit_test.c_str(), bug.name.c_str());
    std::vector<Cell>& row = rows.emplace_back();
    for (const Search& search : best_searches) {
      row.push_back(measure(searcher, bug, search, longer_limits));
      std::printf(" | %s", text_of(row.back()).c_str());
      std::fflush(stdout);
    }
    std::printf("\n");
  }
  write_section(arguments[5], "gambit table 2 longer", longer_section(bugs, rows));
}

// --- Table 1 ---

struct Length {
  std::string unit_test;
  std::uint64_t paper = 0;
  std::uint64_t steps = 0;
  std::uint32_t threads = 0;
};

std::vector<Length> measure_lengths(const Searcher& searcher, const std::string& suite) {
  std::vector<Length> all;
  for (const std::string& line : lines_of(suite + "/paper_steps.txt")) {
    Length length;
    std::istringstream(line) >> length.unit_test >> length.paper;
    const SearchResult result =
        searcher.search({length.unit_test, {"fixed"}, "random", 1, limits_of_table1});
    if (result.found()) throw std::runtime_error("a bug in the fixed twin: " + result.bug);
    length.steps = result.most_steps;
    length.threads = result.most_tasks;
    all.push_back(length);
  }
  return all;
}

std::string table1(const std::vector<Length>& lengths) {
  const auto reach = static_cast<std::size_t>(
      std::count_if(lengths.begin(), lengths.end(),
                    [](const Length& length) { return length.steps >= length.paper; }));
  std::string text =
      "## GAMBIT: Table 1\n\n" + machine() + "\n\nThe longest of " +
      std::to_string(limits_of_table1.executions) +
      " random executions (seed 1) of each unit test without its bug, and how many threads it has, "
      "the main thread included. The rule for the sizes, which was fixed before any bug was "
      "searched "
      "for with them: numbers of items, rounds or tasks with which the longest execution just "
      "reaches "
      "the paper's. " +
      std::to_string(reach) + " of " + std::to_string(lengths.size()) +
      " reach it.\n\n| unit test | steps of the longest execution | the paper's | threads |\n"
      "|---|---|---|---|\n";
  for (const Length& length : lengths) {
    const std::string steps = std::to_string(length.steps);
    text += "| " + length.unit_test + " | " +
            (length.steps >= length.paper ? steps : "**" + steps + "**") + " | " +
            std::to_string(length.paper) + " | " + std::to_string(length.threads) + " |\n";
  }
  return text + "\n";
}

void run(char** arguments) {
  const Searcher searcher(arguments[1], arguments[2], arguments[4]);
  const std::string lengths = table1(measure_lengths(searcher, arguments[3]));
  std::printf("%s", lengths.c_str());
  write_section(arguments[5], "gambit table 1", lengths);
  const std::vector<PlantedBug> bugs = read_bugs(arguments[3]);
  std::vector<Rows> rows(std::size(spaces));
  for (const PlantedBug& bug : bugs) {
    std::printf("%-20s %-22s", bug.unit_test.c_str(), bug.name.c_str());
    for (std::size_t i = 0; i < std::size(spaces); ++i) {
      std::vector<Cell>& row = rows[i].emplace_back();
      for (const Search& search : spaces[i].searches) {
        row.push_back(measure(searcher, bug, search, limits));
        std::printf(" | %s", text_of(row.back()).c_str());
        std::fflush(stdout);
      }
    }
    std::printf("\n");
  }
  const std::string text = section(bugs, rows);
  std::printf("\n%s", text.c_str());
  write_section(arguments[5], "gambit table 2", text);
}

}  // namespace

int main(int count, char** arguments) {
  const bool is_longer = count == 7 && std::string(arguments[6]) == "longer";
  if (count != 6 && !is_longer) {
    std::fprintf(stderr, "usage: table2_bench TOOL PROGRAMS SUITE FOLDER BENCHMARKS.md [longer]\n");
    return 2;
  }
  try {
    is_longer ? run_longer(arguments) : run(arguments);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "table2_bench: %s\n", error.what());
    return 1;
  }
  return 0;
}
