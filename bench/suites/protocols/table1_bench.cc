// Table 1 of the paper on delaying explorers (ESEC/FSE 2015), on the protocols of this suite:
// schedules to every bug by sampling, states to every bug by exhaustive search; and the case study
// of its section 6.3 with an explorer made for the purpose.
//
//   table1_bench TOOL PROGRAMS SUITE FOLDER BENCHMARKS.md [ROW...]
//
// PROGRAMS has the protocols, SUITE bugs.txt and paper.txt. What it makes goes to FOLDER. With
// rows named, only these are run, and nothing is written. RICERCAR_BENCH_SECONDS is the limit of a
// sampling search with one seed (60); an exhaustive search has three times that.
// RICERCAR_BENCH_JOBS searches run side by side (1). With RICERCAR_BENCH_RESUME=1 the rows that an
// earlier run with the same limits has left in FOLDER are taken as they are.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "engine/measure.h"
#include "suites/protocols/table1_rows.h"

namespace {

using namespace ricercar::bench;

constexpr std::uint64_t no_limit = 1000000000;
constexpr int cores = 1;
constexpr int seeds = 5;
constexpr int first_seed = 11;  // of sampling

double number_from(const char* variable, double otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::atof(text);
}

struct Limits {
  SearchLimits sampling{no_limit, number_from("RICERCAR_BENCH_SECONDS", 60)};
  SearchLimits exhaustive{no_limit, 3 * sampling.seconds};
  int jobs = static_cast<int>(number_from("RICERCAR_BENCH_JOBS", 1));
};

struct Search {
  std::string title;
  std::string strategy;
  bool samples;
};

const Search searches[] = {
    {"RS", "random", true},
    {"IRS", "irs", true},
    {"PCT", "pct:depth=5,steps=5000", true},
    {"SS RR", "ss:explorer=rr,group=1", true},
    {"SS RTC", "ss:explorer=rtc,group=1", true},
    {"SS PRR", "ss:explorer=prr,group=1", true},
    {"PB", "pb:bound=1000,cache=yes", false},
    {"SES RR", "ses:explorer=rr", false},
    {"SES RTC", "ses:explorer=rtc", false},
    {"SES PRR", "ses:explorer=prr", false},
};
constexpr std::size_t search_count = std::size(searches);
enum Column { rs, irs, pct, ss_rr, ss_rtc, ss_prr, pb, ses_rr, ses_rtc, ses_prr };

// What one search needed. 0: it did not find the bug.
struct Cell {
  std::uint64_t needed = 0;   // executions or states
  std::uint64_t samples = 0;  // of ss, with the one that shows the bug
  std::uint64_t delays = 0;   // of the stratum where it was found, exhaustive search only
  std::uint64_t depth = 0;    // steps of the execution that shows it

  bool found() const { return needed != 0; }
};

using Line = std::vector<Cell>;

class Measurement {
 public:
  Measurement(const Searcher& searcher, const Limits& limits)
      : searcher_(searcher), limits_(limits) {}

  Cell exhaust(const Bug& bug, const std::string& strategy) const {
    const SearchResult result =
        searcher_.search({bug.program, bug.arguments, strategy, 1, limits_.exhaustive, cores});
    if (!result.found()) return {};
    const std::uint64_t delays = result.strata.empty() ? 0 : result.strata.back().cost;
    return {result.states, 0, delays, result.bug_steps};
  }

  // The medians over the seeds; over when more than half of them found nothing.
  Cell sample(const Bug& bug, const std::string& strategy) const {
    std::vector<std::uint64_t> needed, samples;
    std::uint64_t depth = 0;
    int missed = 0;
    for (int i = 0; i < seeds && missed <= seeds / 2; ++i) {
      const SearchResult result = searcher_.search(
          {bug.program, bug.arguments, strategy, first_seed + i, limits_.sampling, cores});
      if (!result.found()) {
        ++missed;
        continue;
      }
      needed.push_back(result.executions);
      samples.push_back(1);
      for (const StratumFigures& stratum : result.strata) samples.back() += stratum.samples;
      depth = result.bug_steps;
    }
    if (missed > seeds / 2) return {};
    return {median(needed), median(samples), 0, depth};
  }

  Line line(const Bug& bug) const {
    Line line;
    for (const Search& search : searches) {
      line.push_back(search.samples ? sample(bug, search.strategy) : exhaust(bug, search.strategy));
    }
    return line;
  }

 private:
  // Those that found nothing come last.
  static std::uint64_t median(std::vector<std::uint64_t> figures) {
    figures.resize(seeds, ~std::uint64_t{0});
    std::sort(figures.begin(), figures.end());
    return figures[seeds / 2];
  }

  const Searcher& searcher_;
  const Limits& limits_;
};

// --- What a row shows ---

using Figure = std::uint64_t Cell::*;

std::uint64_t best(const Line& line, std::initializer_list<Column> columns,
                   Figure figure = &Cell::needed) {
  std::uint64_t least = 0;
  for (const Column column : columns) {
    if (!line[column].found()) continue;
    const std::uint64_t needed = line[column].*figure;
    if (least == 0 || needed < least) least = needed;
  }
  return least;
}

bool is_short(const Bug& bug) { return bug.steps < least_steps; }
bool is_easy(const Line& line) { return line[rs].found() && line[rs].needed < least_executions; }
bool counts(const Bug& bug, const Line& line) { return !is_short(bug) && !is_easy(line); }

bool is_sampled(const Line& line) { return best(line, {rs, irs, pct, ss_rr, ss_rtc, ss_prr}) != 0; }

bool ss_wins(const Line& line, Figure figure = &Cell::needed) {
  const std::uint64_t ss = best(line, {ss_rr, ss_rtc, ss_prr}, figure);
  const std::uint64_t others = best(line, {rs, irs, pct});
  return ss != 0 && (others == 0 || ss < others);
}

// Of all that found it by exhaustive search the one with the fewest delays.
Cell fewest_delays(const Line& line) {
  Cell fewest;
  for (const Column column : {ses_rr, ses_rtc, ses_prr}) {
    const Cell& cell = line[column];
    if (cell.found() && (!fewest.found() || cell.delays < fewest.delays)) fewest = cell;
  }
  return fewest;
}

bool is_deep(const Line& line) {
  const Cell cell = fewest_delays(line);
  return cell.found() && cell.delays < 4 && cell.depth > least_steps;
}

std::uint64_t ses_of(const Line& line) { return best(line, {ses_rr, ses_rtc, ses_prr}); }

bool ses_needs_a_tenth(const Line& line) {
  return ses_of(line) != 0 && ses_of(line) * 10 <= line[pb].needed;
}

std::string share(int part, int whole) {
  return std::to_string(part) + " of " + std::to_string(whole);
}

// The shape that the paper's table has, over the rows that count.
std::vector<Row> shape(const std::vector<Bug>& bugs, const std::vector<Line>& lines) {
  int pb_found = 0, tenth = 0, pb_missed = 0, covered = 0, sampled = 0, won = 0, deep = 0;
  int won_by_samples = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Line& line = lines[i];
    if (!counts(bugs[i], line)) continue;
    if (is_deep(line)) ++deep;
    if (line[pb].found()) {
      ++pb_found;
      if (ses_needs_a_tenth(line)) ++tenth;
    } else {
      ++pb_missed;
      if (ses_of(line) != 0) ++covered;
    }
    if (!is_sampled(line)) continue;
    ++sampled;
    if (ss_wins(line)) ++won;
    if (ss_wins(line, &Cell::samples)) ++won_by_samples;
  }
  return {
      {"rows where SS with its best explorer beats RS, IRS and PCT, of those that any of them "
       "finds, by executions (in the paper 19 of 22)",
       share(won, sampled), "70 %", 10 * won >= 7 * sampled},
      {"the same by samples", share(won_by_samples, sampled), "70 %",
       10 * won_by_samples >= 7 * sampled},
      {"rows where SES with its best explorer needs at most a tenth of PB's states, of those where "
       "PB finds the bug (in the paper 4 of 11)",
       share(tenth, pb_found), "4 of 11", 11 * tenth >= 4 * pb_found},
      {"rows that PB misses and SES finds", share(covered, pb_missed), "all", covered == pb_missed},
      {"bugs with fewer than 4 delays at a depth of more than 1,500 steps", std::to_string(deep),
       "at least 4", deep >= 4},
  };
}

// --- The tables ---

std::string paper_text(const Bug& bug, std::size_t column) {
  return column < bug.paper.size() ? " (" + bug.paper[column] + ")" : "";
}

std::string cell_text(const Cell& cell) {
  if (!cell.found()) return "*";
  if (cell.samples == 0) return std::to_string(cell.needed);
  return std::to_string(cell.needed) + " / " + std::to_string(cell.samples);
}

std::string verdict(bool applies, bool holds) {
  if (!applies) return "";
  return holds ? "yes" : "**no**";
}

std::string why_left_out(const Bug& bug, const Line& line) {
  if (is_short(bug)) return "short";
  return is_easy(line) ? "easy" : "";
}

std::string heading(const std::vector<std::string>& titles) {
  std::string text = "|";
  std::string rule = "|";
  for (const std::string& title : titles) {
    text += " " + title + " |";
    rule += "---|";
  }
  return text + "\n" + rule + "\n";
}

std::string sampling_table(const std::vector<Bug>& bugs, const std::vector<Line>& lines) {
  std::string text = heading({"bug", "size", "steps", "left out", "RS", "IRS", "PCT", "SS RR",
                              "SS RTC", "SS PRR", "SS is first"});
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Line& line = lines[i];
    text += "| " + bugs[i].row + " | " + bugs[i].size() + " | " + std::to_string(bugs[i].steps) +
            " | " + why_left_out(bugs[i], line) + " |";
    for (std::size_t column = rs; column <= ss_prr; ++column) {
      Cell cell = line[column];
      if (column < ss_rr) cell.samples = 0;
      text += " " + cell_text(cell) + paper_text(bugs[i], column) + " |";
    }
    text += " " + verdict(counts(bugs[i], line) && is_sampled(line), ss_wins(line)) + " |\n";
  }
  return text;
}

std::string exhaustive_table(const std::vector<Bug>& bugs, const std::vector<Line>& lines) {
  std::string text = heading({"bug", "left out", "delays", "depth", "PB", "SES RR", "SES RTC",
                              "SES PRR", "SES: a tenth of PB, or PB finds nothing"});
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Line& line = lines[i];
    const Cell fewest = fewest_delays(line);
    text += "| " + bugs[i].row + " | " + why_left_out(bugs[i], line) + " | " +
            (fewest.found() ? std::to_string(fewest.delays) : "") + " | " +
            (fewest.found() ? std::to_string(fewest.depth) : "") + " |";
    for (std::size_t column = pb; column < search_count; ++column) {
      text += " " + cell_text(line[column]) + paper_text(bugs[i], column) + " |";
    }
    const bool holds = line[pb].found() ? ses_needs_a_tenth(line) : ses_of(line) != 0;
    text += " " + verdict(counts(bugs[i], line), holds) + " |\n";
  }
  return text;
}

std::string seconds_of(const SearchLimits& limits) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", limits.seconds);
  return text;
}

std::string introduction(const Limits& limits) {
  return "## Delaying explorers: Table 1\n\n"
         "Systematic Testing of Asynchronous Reactive Systems (ESEC/FSE 2015), Table 1: schedules "
         "to the bug by sampling (the median of the seeds 11 to 15), and states to the bug by "
         "exhaustive search, each search on one core, " +
         std::to_string(limits.jobs) +
         " at a time. In brackets the paper's figures, which are of other programs with bugs of "
         "the same kinds. `*`: not found within " +
         seconds_of(limits.sampling) + " seconds for each seed (sampling), or " +
         seconds_of(limits.exhaustive) +
         " seconds (exhaustive); in the paper two hours or 60 GB, and `#` five hours. `make "
         "bench-delaying` takes 60 and 180 seconds, `make bench-delaying-short` 8 and 24. For SS "
         "both ways of counting: executions / samples; a sample with d delays is found by d + 1 "
         "executions.\n\n"
         "Sizes are fixed by a rule, and by nothing else: a row has the arguments with which the "
         "README of its program describes the bug, and what makes the program longer (bugs.txt "
         "names it) grows by tens from there until the median of eleven random executions of the "
         "correct version has at least " +
         std::to_string(wanted_steps) + " steps. A row counts if that median is at least " +
         std::to_string(least_steps) +
         " (otherwise it is left out as short) and RS needs at least " +
         std::to_string(least_executions) +
         " executions (otherwise it is left out as easy). No program was changed after a search "
         "for its bug at these sizes.\n\n"
         "The rows 2pc_5 and 6, ChainRep_11, MultiPaxos_5, OSR_3 and Raft_4 were written for this "
         "table, by reasoning: a long history, then a window in which one thing has to go wrong. "
         "(A "
         "seventh, of the transactions, was taken out again: no search found its bug, because it "
         "cannot show with two replicas.) Faults are choices in a handler there, as `if ($)` in "
         "the paper's programs: RS, "
         "IRS and PCT toss a coin at each of them and use up their faults long before the window; "
         "SS and SES pay a delay for one, and for nothing before it. How many new states each "
         "stratum of the correct versions has: delaying-strata.svg.\n\n";
}

// Section 6.3: an explorer that leaves the faults alone until the system has been set up.
std::string case_study(const Measurement& measurement, const std::vector<Bug>& bugs,
                       const std::vector<Line>& lines) {
  std::string text =
      "Section 6.3, an explorer written for chain replication (cust): states (SES) and schedules "
      "(SS) to the bug. In the paper: 220,103 states and 193,442 schedules for the bug of two "
      "neighbours that no other explorer found, and 10,445 states for ChainRep_6.\n\n"
      "| bug | SES RR | SES RTC | SES PRR | SES cust | SS cust |\n|---|---|---|---|---|---|\n";
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Bug& bug = bugs[i];
    if (bug.row != "ChainRep_6" && bug.row != "ChainRep_n") continue;
    text += "| " + bug.row + " |";
    for (const Column column : {ses_rr, ses_rtc, ses_prr}) {
      text += " " + cell_text(lines[i][column]) + " |";
    }
    text += " " + cell_text(measurement.exhaust(bug, "ses:explorer=cust")) + " |";
    text += " " + cell_text(measurement.sample(bug, "ss:explorer=cust,group=1")) + " |\n";
  }
  return text;
}

// --- Rows that are kept in a file, in case that the run is interrupted ---

void keep(const std::string& path, const Limits& limits, const Bug& bug, const Line& line) {
  std::ofstream file(path, std::ios::app);
  file << bug.row << ' ' << limits.sampling.seconds << ' ' << bug.steps << ' '
       << bug.arguments.size();
  for (const std::string& argument : bug.arguments) file << ' ' << argument;
  for (const Cell& cell : line) {
    file << ' ' << cell.needed << ' ' << cell.samples << ' ' << cell.delays << ' ' << cell.depth;
  }
  file << '\n';
}

bool find_kept(const std::string& path, const Limits& limits, Bug& bug, Line& line) {
  std::ifstream file(path);
  for (std::string text; std::getline(file, text);) {
    std::istringstream words(text);
    std::string row;
    double seconds = 0;
    std::size_t arguments = 0;
    words >> row >> seconds;
    if (row != bug.row || seconds != limits.sampling.seconds) continue;
    words >> bug.steps >> arguments;
    bug.arguments.resize(arguments);
    for (std::string& argument : bug.arguments) words >> argument;
    line.resize(search_count);
    for (Cell& cell : line) words >> cell.needed >> cell.samples >> cell.delays >> cell.depth;
    return static_cast<bool>(words);
  }
  return false;
}

// --- Running it ---

class Table {
 public:
  Table(const std::string& tool, const std::string& programs, const std::string& folder,
        std::vector<Bug> bugs)
      : tool_(tool), programs_(programs), folder_(folder), bugs_(std::move(bugs)) {}

  // Every job has a folder of its own and takes the next row.
  void run() {
    lines_.resize(bugs_.size());
    std::vector<std::thread> jobs;
    for (int job = 0; job < limits_.jobs; ++job) {
      jobs.emplace_back([this, job] { work(job); });
    }
    for (std::thread& job : jobs) job.join();
    if (!error_.empty()) throw std::runtime_error(error_);
  }

  std::string text() const {
    const Searcher searcher(tool_, programs_, folder_ + "/study");
    const Measurement measurement(searcher, limits_);
    return introduction(limits_) + table(shape(bugs_, lines_)) + "\n" +
           sampling_table(bugs_, lines_) + "\n" + exhaustive_table(bugs_, lines_) + "\n" +
           case_study(measurement, bugs_, lines_) + "\n" + machine() + "\n";
  }

 private:
  void work(int job) {
    try {
      const Searcher searcher(tool_, programs_, folder_ + "/" + std::to_string(job));
      const Measurement measurement(searcher, limits_);
      for (std::size_t i = next_++; i < bugs_.size(); i = next_++) {
        if (!resumes_ || !find_kept(kept_, limits_, bugs_[i], lines_[i])) {
          fix_size(searcher, bugs_[i]);
          lines_[i] = measurement.line(bugs_[i]);
          const std::lock_guard lock(mutex_);
          keep(kept_, limits_, bugs_[i], lines_[i]);
        }
        print(i);
      }
    } catch (const std::exception& error) {
      const std::lock_guard lock(mutex_);
      error_ = error.what();
    }
  }

  void print(std::size_t i) {
    const std::lock_guard lock(mutex_);
    std::printf("%-14s %-24s %5llu", bugs_[i].row.c_str(), bugs_[i].size().c_str(),
                static_cast<unsigned long long>(bugs_[i].steps));
    for (const Cell& cell : lines_[i]) std::printf(" %14s", cell_text(cell).c_str());
    const Cell fewest = fewest_delays(lines_[i]);
    std::printf("  %llu delays, %llu deep\n", static_cast<unsigned long long>(fewest.delays),
                static_cast<unsigned long long>(fewest.depth));
    std::fflush(stdout);
  }

  const std::string tool_, programs_, folder_;
  const std::string kept_ = folder_ + "/rows.txt";
  const bool resumes_ = number_from("RICERCAR_BENCH_RESUME", 0) != 0;
  const Limits limits_;
  std::vector<Bug> bugs_;
  std::vector<Line> lines_;
  std::atomic<std::size_t> next_ = 0;
  std::mutex mutex_;
  std::string error_;
};

}  // namespace

int main(int count, char** arguments) {
  if (count < 6) {
    std::fprintf(stderr, "usage: table1_bench TOOL PROGRAMS SUITE FOLDER BENCHMARKS.md [ROW...]\n");
    return 2;
  }
  try {
    const std::set<std::string> wanted(arguments + 6, arguments + count);
    std::vector<Bug> bugs = read_bugs(arguments[3]);
    if (!wanted.empty())
      std::erase_if(bugs, [&](const Bug& bug) { return !wanted.contains(bug.row); });
    std::printf("%-45s", "");
    for (const Search& search : searches) std::printf(" %14s", search.title.c_str());
    std::printf("\n");
    Table table(arguments[1], arguments[2], arguments[4], std::move(bugs));
    table.run();
    const std::string text = table.text();
    std::printf("\n%s", text.c_str());
    if (wanted.empty()) write_section(arguments[5], "delaying", text);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
