// Tables 1 to 5 of "Coverage Guided Systematic Concurrency Testing" (ICSE 2011) on the programs of
// this suite: runs and seconds to every bug, with HaPSet, DPOR and bounded preemptions.
//
//   tables_bench TOOL PROGRAMS SUITE FOLDER BENCHMARKS.md
//
// PROGRAMS has the programs, SUITE bugs.txt and paper.txt. What it makes goes to FOLDER.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine/measure.h"
#include "suites/search.h"

namespace {

using namespace ricercar::bench;

constexpr SearchLimits limits{10'000'000, 10};
constexpr char points[] = "shared";

struct Search {
  std::string title;
  std::string strategy;
  int paper;  // which of the paper's figures in a line of paper.txt; -1: there is none
};

const Search hapset{"HaPSet", "hapset:base=dpor", 0};
const Search hapset_pb{"HaPSet, PCB2", "hapset:base=pb,bound=2", -1};
const Search unpruned{"HaPSet, no pruning", "hapset:base=dpor,prune=no", -1};
const Search dpor{"DPOR", "dpor", 1};
const Search pcb[] = {{"PCB0", "pb:bound=0,iterative=no", 2},
                      {"PCB1", "pb:bound=1,iterative=no", 3},
                      {"PCB2", "pb:bound=2,iterative=no", 4},
                      {"PCB3", "pb:bound=3,iterative=no", 5},
                      {"PCB4", "pb:bound=4,iterative=no", 6}};
constexpr std::size_t paper_figures = 7;

struct PlantedBug {
  std::string row;
  std::string program;
  std::vector<std::string> arguments;
  std::string kind;
  std::string paper_name;
  int paper_table = 0;
  std::vector<std::string> paper;  // runs/seconds, as paper.txt has them

  bool is(const std::string& name) const { return program == name; }
  int workers() const { return std::stoi(arguments.at(1)); }
};

std::vector<std::string> lines_of(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty() && line[0] != '#') lines.push_back(line);
  }
  return lines;
}

PlantedBug read_bug(const std::string& line, const std::string& paper) {
  PlantedBug bug;
  std::string path;
  std::string name;
  std::string workers;
  std::istringstream(line) >> bug.row >> path >> name >> workers >> bug.kind;
  bug.program = path.substr(path.find('/') + 1);
  bug.arguments = {name};
  if (workers != "-") bug.arguments.push_back(workers);
  std::istringstream words(paper);
  std::string row;
  words >> row >> bug.paper_name >> bug.paper_table;
  for (std::string word; words >> word;) bug.paper.push_back(word);
  if (row != bug.row || bug.paper.size() != paper_figures) {
    throw std::runtime_error("paper.txt does not follow bugs.txt: " + paper);
  }
  return bug;
}

std::vector<PlantedBug> read_bugs(const std::string& suite) {
  const std::vector<std::string> lines = lines_of(suite + "/bugs.txt");
  const std::vector<std::string> paper = lines_of(suite + "/paper.txt");
  if (lines.size() != paper.size()) throw std::runtime_error("bugs.txt and paper.txt differ");
  std::vector<PlantedBug> bugs;
  for (std::size_t i = 0; i < lines.size(); ++i) bugs.push_back(read_bug(lines[i], paper[i]));
  return bugs;
}

std::string format(const char* pattern, double value) {
  char text[64];
  std::snprintf(text, sizeof text, pattern, value);
  return text;
}

// Searches, each of them once: several tables show the same figures.
class Results {
 public:
  explicit Results(const Searcher& searcher) : searcher_(searcher) {}

  const SearchResult& of(const PlantedBug& bug, const Search& search,
                         const std::string& at_points = points) {
    const std::string key = bug.row + " " + search.strategy + " " + at_points;
    const auto known = results_.find(key);
    if (known != results_.end()) return known->second;
    SearchRequest request;
    request.program = bug.program;
    request.arguments = bug.arguments;
    request.strategy = search.strategy;
    request.limits = limits;
    request.points = at_points;
    SearchResult result = searcher_.search(request);
    std::printf("%-18s %-28s %-10s %8llu runs, %6.2f s\n", bug.row.c_str(), search.strategy.c_str(),
                result.found() ? result.bug.c_str() : "none",
                static_cast<unsigned long long>(result.executions), result.seconds);
    std::fflush(stdout);
    return results_.emplace(key, std::move(result)).first->second;
  }

 private:
  const Searcher& searcher_;
  std::map<std::string, SearchResult> results_;
};

double runs_of(const SearchResult& result) { return static_cast<double>(result.executions); }

std::string text_of(const PlantedBug& bug, const SearchResult& result) {
  const std::string runs = format("%.0f", runs_of(result));
  if (result.bug == bug.kind) return "**" + runs + "** (" + format("%.2f s)", result.seconds);
  if (result.found()) return runs + ", another bug: **" + result.bug + "**";
  return runs + (result.complete ? " (**no**)" : " (TO)");
}

std::string paper_text(const PlantedBug& bug, const Search& search) {
  if (search.paper < 0) return "";
  const std::string& figure = bug.paper[static_cast<std::size_t>(search.paper)];
  if (figure == "-") return "";
  const std::size_t slash = figure.find('/');
  const std::string time = figure.substr(slash + 1);
  const bool is_number = time.find_first_not_of("0123456789.") == std::string::npos;
  return "; " + figure.substr(0, slash) + " (" + time + (is_number ? " s)" : ")");
}

struct Table {
  std::string title;
  std::vector<Search> searches;
  std::vector<PlantedBug> rows;
};

std::string text_of(const Table& table, Results& results) {
  std::string text = "### " + table.title + "\n\n| program | in the paper | bug |";
  std::string line = "\n|---|---|---|";
  for (const Search& search : table.searches) {
    text += " " + search.title + ": `" + search.strategy + "` |";
    line += "---|";
  }
  text += line + "\n";
  for (const PlantedBug& bug : table.rows) {
    text += "| " + bug.row + " | " + bug.paper_name + " | " + bug.kind + " |";
    for (const Search& search : table.searches) {
      text += " " + text_of(bug, results.of(bug, search)) + paper_text(bug, search) + " |";
    }
    text += "\n";
  }
  return text + "\n";
}

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
  auto rows = filtered(bugs, [program](const PlantedBug& bug) { return bug.is(program); });
  std::sort(rows.begin(), rows.end(),
            [](const auto& one, const auto& two) { return one.workers() < two.workers(); });
  return rows;
}

std::vector<Table> tables_of(const std::vector<PlantedBug>& bugs) {
  const std::vector<PlantedBug> medium = of_table(bugs, 2);
  return {
      {"Table 1: the thread pool",
       {hapset, hapset_pb, unpruned, dpor, pcb[0], pcb[1], pcb[2], pcb[3]},
       of_table(bugs, 1)},
      {"Table 2: downloader, compressor, scanner",
       {hapset, hapset_pb, unpruned, dpor, pcb[2]},
       medium},
      {"Table 3: bounds of preemptions on the downloader",
       {pcb[0], pcb[1], pcb[2], pcb[3], pcb[4]},
       {medium.begin(), medium.begin() + 1}},
      {"Table 4: threads of the downloader",
       {hapset, hapset_pb, unpruned, dpor},
       by_workers(bugs, "downloader")},
      {"Table 5: extracts", {hapset, hapset_pb, unpruned, dpor, pcb[2]}, of_table(bugs, 5)},
  };
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

// The runs of one search for each run of another one, in the middle of all bugs. A search that
// found nothing counts with the runs that it had time for.
double median_ratio(const std::vector<PlantedBug>& bugs, Results& results, const Search& of,
                    const Search& to) {
  std::vector<double> ratios;
  for (const PlantedBug& bug : bugs) {
    ratios.push_back(runs_of(results.of(bug, of)) / runs_of(results.of(bug, to)));
  }
  return median(ratios);
}

std::size_t found_by(const std::vector<PlantedBug>& bugs, Results& results, const Search& search) {
  return filtered(bugs,
                  [&](const PlantedBug& bug) { return results.of(bug, search).bug == bug.kind; })
      .size();
}

double most_runs(const std::vector<PlantedBug>& bugs, Results& results, const Search& search) {
  double most = 0;
  for (const PlantedBug& bug : bugs) most = std::max(most, runs_of(results.of(bug, search)));
  return most;
}

// More threads must not make a thread more expensive: the second half of the steps from 2 to 10
// threads adds no more runs than the first half and one for each step.
Row growth_of_downloader(const std::vector<PlantedBug>& bugs, Results& results) {
  const std::vector<PlantedBug> rows = by_workers(bugs, "downloader");
  std::vector<double> runs;
  std::string text;
  for (const PlantedBug& bug : rows) {
    runs.push_back(runs_of(results.of(bug, hapset)));
    text += (text.empty() ? "" : ", ") + format("%.0f", runs.back());
  }
  const std::size_t middle = runs.size() / 2;
  const double first_half = runs[middle] - runs.front();
  const double second_half = runs.back() - runs[middle];
  return {"runs of HaPSet on the downloader with 2 to 10 workers", text, "at most linear",
          second_half <= std::max(first_half, 0.0) + static_cast<double>(middle)};
}

Row growth_of_pool(const std::vector<PlantedBug>& bugs, Results& results) {
  const std::vector<PlantedBug> rows = by_workers(bugs, "thread_pool");
  const double growth =
      runs_of(results.of(rows.back(), hapset)) / runs_of(results.of(rows.front(), hapset));
  return {"runs of HaPSet on the thread pool, 5 workers to 2", format("%.2f", growth), "at most 2",
          growth <= 2};
}

std::string bars(const std::vector<PlantedBug>& bugs, Results& results) {
  const std::string all = std::to_string(bugs.size());
  const std::size_t found = found_by(bugs, results, hapset);
  const double to_dpor = median_ratio(bugs, results, hapset, dpor);
  const double most = most_runs(bugs, results, hapset);
  const double to_pruned = median_ratio(bugs, results, unpruned, hapset);
  return table(
      {{"bugs that HaPSet finds", std::to_string(found), all, found == bugs.size()},
       {"bugs that DPOR finds", std::to_string(found_by(bugs, results, dpor)), "-", true},
       {"runs of HaPSet to DPOR's, median", format("%.3f", to_dpor), "at most 0.2", to_dpor <= 0.2},
       {"the most runs of HaPSet", format("%.0f", most), "at most 30", most <= 30},
       growth_of_downloader(bugs, results),
       growth_of_pool(bugs, results),
       {"runs without pruning to the pruned search's, median", format("%.2f", to_pruned),
        "at most 3", to_pruned <= 3}});
}

// What it saves that only memory that threads share is a choice point.
std::string points_table(const std::vector<PlantedBug>& bugs, Results& results) {
  std::string text =
      "### Shared memory only\n\nHaPSet with every access to memory as a choice point "
      "(`--points memory`), and with those to memory that threads share (`--points shared`).\n\n"
      "| program | runs: memory | runs: shared | steps of an execution: memory | shared | "
      "seconds: memory | shared |\n|---|---|---|---|---|---|---|\n";
  for (const PlantedBug& bug : bugs) {
    const SearchResult& memory = results.of(bug, hapset, "memory");
    const SearchResult& shared = results.of(bug, hapset);
    text += "| " + bug.row + " | " + format("%.0f", runs_of(memory)) + " | " +
            format("%.0f", runs_of(shared)) + " | " +
            format("%.0f", static_cast<double>(memory.steps) / runs_of(memory)) + " | " +
            format("%.0f", static_cast<double>(shared.steps) / runs_of(shared)) + " | " +
            format("%.3f", memory.seconds) + " | " + format("%.3f", shared.seconds) + " |\n";
  }
  return text + "\n";
}

// --- What learning and guiding cost ---

// The seconds of a step, without what the start of a search takes.
double seconds_of_step(const Searcher& searcher, const SearchRequest& request) {
  constexpr std::uint64_t few = 500;
  constexpr std::uint64_t many = 4500;
  SearchRequest run = request;
  run.limits = {few, 60};
  const SearchResult start = searcher.search(run);
  run.limits = {many, 60};
  const SearchResult end = searcher.search(run);
  return (end.seconds - start.seconds) / static_cast<double>(end.steps - start.steps);
}

// The time of one search for a step to that of another one, side by side, the median of five.
double cost_of(const Searcher& searcher, SearchRequest request, const std::string& strategy,
               const std::string& without) {
  std::vector<double> ratios;
  for (int i = 0; i < 5; ++i) {
    request.strategy = strategy;
    const double with = seconds_of_step(searcher, request);
    request.strategy = without;
    ratios.push_back(with / seconds_of_step(searcher, request));
  }
  return 100 * (median(ratios) - 1);
}

std::string cost_table(const Searcher& searcher) {
  std::string text =
      "### What learning and guiding cost\n\nPer cent of the time of an execution at `--points "
      "memory` (bar: at most 30): learning, as `hapset:learn=N` costs more than `random`; learning "
      "and guiding, as `hapset:prune=no` costs more than `bestfirst` on the same space, each the "
      "median of five runs side by side.\n\n| program | learning | learning and guiding "
      "|\n|---|---|---|\n";
  for (const auto& [program, workers] :
       {std::pair("thread_pool", "3"), std::pair("downloader", "4")}) {
    SearchRequest request;
    request.program = program;
    request.arguments = {"fixed", workers};
    request.points = "memory";
    const double learning = cost_of(searcher, request, "hapset:learn=1000000", "random");
    const double guiding =
        cost_of(searcher, request, "hapset:prune=no", "bestfirst:space=dpor,priority=pb");
    text += "| " + std::string(program) + " | " + format("%.0f", learning) + " | " +
            format("%.0f", guiding) + " |\n";
  }
  return text + "\n";
}

std::string section(const Searcher& searcher, const std::vector<PlantedBug>& bugs,
                    Results& results) {
  std::string tables;
  for (const Table& table : tables_of(bugs)) tables += text_of(table, results);
  tables +=
      points_table(filtered(bugs, [](const auto& bug) { return bug.paper_table < 3; }), results);
  tables += cost_table(searcher);
  return "## HaPSet: Tables 1 to 5\n\n" + machine() +
         "\n\nRuns until the bug is found, and seconds, for each bug of bench/suites/hapset; "
         "behind "
         "the semicolon the paper's own figures, for its own programs and its own machine. At "
         "most " +
         format("%.0f", limits.seconds) +
         " seconds for a search; the paper's limit was 600. TO: not found within that; no: the "
         "search came to its end without the bug. All searches have the same choice points: "
         "`--points " +
         points + "`.\n\n" + bars(bugs, results) + "\n" + tables;
}

void run(char** arguments) {
  const Searcher searcher(arguments[1], arguments[2], arguments[4]);
  const std::vector<PlantedBug> bugs = read_bugs(arguments[3]);
  Results results(searcher);
  const std::string text = section(searcher, bugs, results);
  std::printf("\n%s", text.c_str());
  write_section(arguments[5], "hapset", text);
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 6) {
    std::fprintf(stderr, "usage: tables_bench TOOL PROGRAMS SUITE FOLDER BENCHMARKS.md\n");
    return 2;
  }
  try {
    run(arguments);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tables_bench: %s\n", error.what());
    return 1;
  }
  return 0;
}
