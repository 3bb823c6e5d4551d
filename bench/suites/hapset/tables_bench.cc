// Tables 1 to 5 of "Coverage Guided Systematic Concurrency Testing" (ICSE 2011) on the programs of
// this suite: runs and seconds to every bug, with HaPSet, DPOR and bounded preemptions, and with
// what the paper does not have: random search, PCT. Then the same for all of tests/programs/bug.
//
//   tables_bench TOOL PROGRAMS SUITE TESTS FOLDER BENCHMARKS.md SECONDS [keep]
//
// PROGRAMS has the programs, SUITE bugs.txt and paper.txt, TESTS programs/bug. SECONDS: the limit
// of a search. What it makes goes to FOLDER; `keep`: the results that are there count, and it goes
// on where it was interrupted.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <stdexcept>

#include "engine/measure.h"
#include "suites/hapset/bug_programs.h"
#include "suites/hapset/columns.h"
#include "suites/hapset/costs.h"
#include "suites/hapset/planted_bugs.h"
#include "suites/hapset/shape.h"

namespace {

using namespace ricercar::bench;

constexpr double seconds_of_bug_programs = 10;

struct Table {
  std::string title;
  std::vector<Search> searches;
  std::vector<PlantedBug> rows;
};

template <typename Condition>
std::vector<PlantedBug> filtered(const std::vector<PlantedBug>& bugs, Condition condition) {
  std::vector<PlantedBug> kept;
  std::copy_if(bugs.begin(), bugs.end(), std::back_inserter(kept), condition);
  return kept;
}

std::vector<PlantedBug> of_table(const std::vector<PlantedBug>& bugs, int table) {
  return filtered(bugs, [table](const PlantedBug& bug) { return bug.paper_table == table; });
}

// A program with all its numbers of workers, the fewest first.
std::vector<PlantedBug> by_workers(const std::vector<PlantedBug>& bugs, const char* program) {
  auto rows = filtered(bugs, [program](const PlantedBug& bug) { return bug.program == program; });
  std::sort(rows.begin(), rows.end(),
            [](const auto& one, const auto& two) { return one.workers() < two.workers(); });
  return rows;
}

std::vector<Table> tables_of(const std::vector<PlantedBug>& bugs) {
  const auto columns = [](const std::vector<Search>& more) {
    std::vector<Search> all = {algorithm5, asking_again, pruned_first, unpruned, pruned_pb, dpor};
    all.insert(all.end(), more.begin(), more.end());
    all.insert(all.end(), {random_runs, pct_runs});
    return all;
  };
  return {
      {"Table 1: the thread pool", columns({pcb[0], pcb[1], pcb[2], pcb[3]}), of_table(bugs, 1)},
      {"Table 2: downloader, compressor, scanner", columns({pcb[2]}), of_table(bugs, 2)},
      {"Table 3: bounds of preemptions on the downloader",
       {pcb[0], pcb[1], pcb[2], pcb[3], pcb[4], random_runs, pct_runs},
       filtered(bugs, [](const PlantedBug& bug) { return bug.row == "downloader-5"; })},
      {"Table 4: threads of the downloader", columns({}), by_workers(bugs, "downloader")},
      {"Table 5: extracts", columns({pcb[2]}), of_table(bugs, 5)},
  };
}

// The searches of one limit, by row and column.
class Figures {
 public:
  Figures(Results& results, double seconds) : results_(results), seconds_(seconds) {}

  static Subject subject(const PlantedBug& bug) {
    return {bug.row, bug.program, bug.arguments, {}, bug.kind};
  }
  Results::Wanted wanted(const PlantedBug& bug, const Search& search,
                         const std::string& points = "shared") const {
    return {subject(bug), search, points, seconds_};
  }
  Measured of(const PlantedBug& bug, const Search& search,
              const std::string& points = "shared") const {
    return results_.of(wanted(bug, search, points));
  }
  double seconds() const { return seconds_; }

 private:
  Results& results_;
  const double seconds_;
};

std::string text_of(const Table& table, const Figures& figures) {
  std::string text = "### " + table.title + "\n\n" +
                     heads("program | in the paper | bug | as in the paper", table.searches);
  for (const PlantedBug& bug : table.rows) {
    const auto measure = [&](const Search& search) { return figures.of(bug, search); };
    text += "| " + bug.row + " | " + bug.paper_name + " | " + bug.kind + " | " +
            shape(bug, table.searches, measure) + " |";
    for (const Search& search : table.searches) {
      text += " " + cell(measure(search), figures.seconds()) + paper_text(bug, search) + " |";
    }
    text += "\n";
  }
  return text + "\n";
}

// --- Bars ---

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

// The runs of one search for each run of another one, in the middle of all bugs. A search that
// found nothing counts with the runs that it had time for.
double median_ratio(const std::vector<PlantedBug>& bugs, const Figures& figures, const Search& of,
                    const Search& to) {
  std::vector<double> ratios;
  for (const PlantedBug& bug : bugs) {
    ratios.push_back(figures.of(bug, of).runs / figures.of(bug, to).runs);
  }
  return median(ratios);
}

std::size_t found_by(const std::vector<PlantedBug>& bugs, const Figures& figures,
                     const Search& search) {
  return filtered(bugs, [&](const PlantedBug& bug) { return figures.of(bug, search).is_found(); })
      .size();
}

// More threads must not make a thread more expensive: the second half of the steps from 2 to 10
// threads adds no more runs than the first half and one for each step.
Row growth_of_downloader(const std::vector<PlantedBug>& bugs, const Figures& figures,
                         const Search& search) {
  std::vector<double> runs;
  std::string text;
  for (const PlantedBug& bug : by_workers(bugs, "downloader")) {
    runs.push_back(figures.of(bug, search).runs);
    text += (text.empty() ? "" : ", ") + format("%.0f", runs.back());
  }
  const std::size_t middle = runs.size() / 2;
  const double first_half = runs[middle] - runs.front();
  const double second_half = runs.back() - runs[middle];
  return {"runs on the downloader with 2 to 10 workers (paper: 3, 7, 12, 14, 16, 18, 20, 22, 24)",
          text, "at most linear",
          second_half <= std::max(first_half, 0.0) + static_cast<double>(middle)};
}

std::string bars_of(const std::vector<PlantedBug>& bugs, const Figures& figures,
                    const Search& search) {
  const std::size_t found = found_by(bugs, figures, search);
  const double to_dpor = median_ratio(bugs, figures, search, dpor);
  double most = 0;
  for (const PlantedBug& bug : bugs) most = std::max(most, figures.of(bug, search).runs);
  const std::vector<PlantedBug> pool = by_workers(bugs, "thread_pool");
  const double growth =
      figures.of(pool.back(), search).runs / figures.of(pool.front(), search).runs;
  return "`" + search.strategy + "`:\n\n" +
         table({{"bugs that it finds", std::to_string(found), std::to_string(bugs.size()),
                 found == bugs.size()},
                {"its runs to DPOR's, median", format("%.4f", to_dpor), "at most 0.2",
                 to_dpor <= 0.2},
                {"its most runs (paper: 28)", format("%.0f", most), "at most 30", most <= 30},
                growth_of_downloader(bugs, figures, search),
                {"its runs on the thread pool, 5 workers to 2 (paper: 1.79)",
                 format("%.2f", growth), "at most 2", growth <= 2}}) +
         "\n";
}

std::string found_table(const std::vector<PlantedBug>& bugs, const Figures& figures) {
  std::string text = "| search | bugs found, of " + std::to_string(bugs.size()) +
                     " | rows in which it needs fewer runs than Algorithm 5 | as many |\n"
                     "|---|---|---|---|\n";
  for (const Search& search :
       {algorithm5, asking_again, pruned_first, unpruned, pruned_pb, dpor, random_runs, pct_runs}) {
    std::size_t fewer = 0;
    std::size_t same = 0;
    for (const PlantedBug& bug : bugs) {
      const Measured own = figures.of(bug, search);
      const Measured paper = figures.of(bug, algorithm5);
      if (!own.is_found()) continue;
      fewer += !paper.is_found() || own.runs < paper.runs ? 1 : 0;
      same += paper.is_found() && own.runs == paper.runs ? 1 : 0;
    }
    text += "| `" + search.strategy + "` | " + std::to_string(found_by(bugs, figures, search)) +
            " | " + std::to_string(fewer) + " | " + std::to_string(same) + " |\n";
  }
  return text + "\n";
}

// What it saves that only memory that threads share is a choice point.
std::string points_table(const std::vector<PlantedBug>& bugs, const Figures& figures) {
  std::string text =
      "### Shared memory only\n\n`" + algorithm5.strategy +
      "` with every access to memory as a choice point "
      "(`--points memory`), and with those to memory that threads share (`--points shared`).\n\n"
      "| program | runs: memory | runs: shared | steps of an execution: memory | shared | "
      "seconds: memory | shared |\n|---|---|---|---|---|---|---|\n";
  for (const PlantedBug& bug : bugs) {
    const Measured memory = figures.of(bug, algorithm5, "memory");
    const Measured shared = figures.of(bug, algorithm5);
    text += "| " + bug.row + " | " + format("%.0f", memory.runs) + " | " +
            format("%.0f", shared.runs) + " | " + format("%.0f", memory.steps) + " | " +
            format("%.0f", shared.steps) + " | " + format("%.3f", memory.seconds) + " | " +
            format("%.3f", shared.seconds) + " |\n";
  }
  return text + "\n";
}

std::string introduction(double seconds) {
  return "## HaPSet: Tables 1 to 5\n\n" + machine() +
         "\n\nRuns until the bug is found, and seconds, for each bug of bench/suites/hapset; "
         "behind "
         "the semicolon the paper's own figures, for its own programs and its own machine.\n\n"
         "* Limit: " +
         format("%.0f", seconds) +
         " seconds for a search (the paper: 600), one core, two searches at a time. TO: not found "
         "within that; no: the search came to its end without the bug.\n"
         "* Seeds: 1; for `random` and `pct`, which draw, 1 to " +
         std::to_string(seeds_of_samplers) +
         ", and the cell has the median; `3 of 5` if not all of them find it.\n"
         "* Choice points: `--points shared` for all. The paper's algorithm has no learning runs "
         "here, as in its experiments.\n"
         "* Sizes: the paper's numbers of workers, 2 to 5 with 5 tasks each in Table 1, 2 to 10 in "
         "Table 4, 5 in Tables 2 and 3; the extracts have the threads that the bug needs. Nothing "
         "else was chosen by a result, but one: the downloader was changed because the search "
         "that asks again had missed its race. `first-downloader-5` is what it was.\n"
         "* Algorithm 5 runs whatever was planned; `replan=yes` asks again before it does. By "
         "default what was left out comes afterwards: `, after 7` is where the first part ended, "
         "if "
         "the bug was found behind it.\n"
         "* `as in the paper`: for each column with a figure of the paper, the bug is found or not "
         "as there, and Algorithm 5 needs fewer runs where it does there. What differs is in "
         "bold.\n"
         "\n";
}

std::string section(const std::vector<PlantedBug>& bugs, const Figures& figures) {
  std::string text = introduction(figures.seconds()) + found_table(bugs, figures) +
                     bars_of(bugs, figures, algorithm5) + bars_of(bugs, figures, asking_again);
  for (const Table& table : tables_of(bugs)) text += text_of(table, figures);
  return text +
         points_table(filtered(bugs, [](const auto& bug) { return bug.paper_table < 3; }), figures);
}

std::string bugs_section(const std::vector<PlantedBug>& bugs, const std::vector<Subject>& programs,
                         const Figures& figures, const Results& results) {
  Part suite{"bench/suites/hapset", {}, {}};
  for (const PlantedBug& bug : bugs) {
    suite.asking_again.push_back(figures.wanted(bug, asking_again));
    suite.as_printed.push_back(figures.wanted(bug, algorithm5));
  }
  return "## HaPSet: the programs of tests/programs/bug\n\n" + machine() + "\n\n" +
         bug_program_table(programs, results, seconds_of_bug_programs) +
         "Two ways to prune: `replan=no` runs whatever was planned, as the paper's Algorithm 5; "
         "`replan=yes` leaves out what has become known in the meantime. The rule for the default, "
         "written down before the two were compared: the one that finds more bugs; if both find as "
         "many, the one that needs fewer executions in all for the bugs that both find; if that is "
         "equal too, the paper's.\n\n" +
         replan_table({suite, replan_part(programs, seconds_of_bug_programs)}, results);
}

std::vector<Results::Wanted> all_wanted(const std::vector<PlantedBug>& bugs,
                                        const Figures& figures) {
  std::vector<Results::Wanted> wanted;
  for (const Table& table : tables_of(bugs)) {
    for (const PlantedBug& bug : table.rows) {
      for (const Search& search : table.searches) wanted.push_back(figures.wanted(bug, search));
    }
  }
  for (const PlantedBug& bug : bugs) {
    if (bug.paper_table < 3) wanted.push_back(figures.wanted(bug, algorithm5, "memory"));
  }
  return wanted;
}

void run(int count, char** arguments) {
  const std::string tool = std::filesystem::absolute(arguments[1]);
  const std::string folder = arguments[5];
  const std::string document = arguments[6];
  const std::vector<PlantedBug> bugs = read_bugs(arguments[3]);
  Results results(tool, arguments[2], folder, count == 9);
  const Figures figures(results, std::stod(arguments[7]));

  const std::vector<Subject> programs = compile_bug_programs(tool, arguments[4], folder + "/bugs");
  results.run(wanted_of_bug_programs(programs, seconds_of_bug_programs));
  results.run(all_wanted(bugs, figures));
  write_section(document, "hapset", section(bugs, figures));
  write_section(document, "hapset bugs", bugs_section(bugs, programs, figures, results));
  write_section(document, "hapset costs",
                cost_table(Searcher(tool, arguments[2], folder + "/costs")));
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 8 && count != 9) {
    std::fprintf(stderr,
                 "usage: tables_bench TOOL PROGRAMS SUITE TESTS FOLDER BENCHMARKS.md SECONDS "
                 "[keep]\n");
    return 2;
  }
  try {
    run(count, arguments);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tables_bench: %s\n", error.what());
    return 1;
  }
  return 0;
}
