// Table 1 of the paper on delaying explorers (ESEC/FSE 2015), on the protocols of this suite:
// schedules to every bug by sampling, states to every bug by exhaustive search; and the case study
// of its section 6.3 with an explorer made for the purpose.
//
//   table1_bench TOOL PROGRAMS SUITE FOLDER BENCHMARKS.md [ROW...]
//
// PROGRAMS has the protocols, SUITE bugs.txt and paper.txt. What it makes goes to FOLDER. With
// rows named, only these are run, and nothing is written. RICERCAR_BENCH_SECONDS of processor time
// are the limit of a sampling search with one seed (60); an exhaustive search has three times that.
// RICERCAR_BENCH_JOBS rows are searched side by side (1). Each search is kept in
// SUITE/searches.txt, and is not repeated where that tells what would come of it; remove the file
// to begin anew.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <mutex>
#include <optional>
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

// Rows that do not count get a part of the limits.
constexpr int part_if_left_out = 6;

struct Limits {
  double sampling = number_from("RICERCAR_BENCH_SECONDS", 60);
  double exhaustive = 3 * sampling;
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

// Why a row does not count.
bool is_short(const Bug& bug) { return bug.steps < least_steps; }
bool is_easy(const Line& line) { return line[rs].found() && line[rs].needed < least_executions; }

// All searches so far, in a file: the whole takes longer than one may want to wait. The same seed
// searches in the same order, so what was found within some seconds would be found within more,
// too, and what was not found within some is not found within fewer: a table with larger limits
// repeats only what has found nothing.
class KeptSearches {
 public:
  explicit KeptSearches(const std::string& path) : path_(path) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
      const std::size_t end = line.find(" : ");
      if (line.empty() || line[0] == '#' || end == std::string::npos) continue;
      Kept kept;
      Cell& cell = kept.cell;
      std::istringstream words(line.substr(end + 3));
      words >> kept.seconds >> cell.needed >> cell.samples >> cell.delays >> cell.depth;
      if (words) all_.emplace(line.substr(0, end), kept);
    }
  }

  // Nothing: it is not known what comes of it within this time.
  std::optional<Cell> find(const std::string& search, double seconds) const {
    const std::lock_guard lock(mutex_);
    const auto [first, last] = all_.equal_range(search);
    for (auto each = first; each != last; ++each) {
      const Kept& kept = each->second;
      const bool tells = kept.cell.found() ? kept.seconds <= seconds : kept.seconds >= seconds;
      if (tells) return kept.cell;
    }
    return std::nullopt;
  }

  void keep(const std::string& search, double seconds, const Cell& cell) {
    const std::lock_guard lock(mutex_);
    all_.emplace(search, Kept{seconds, cell});
    std::ofstream file(path_, std::ios::app);
    file << search << " : " << seconds << ' ' << cell.needed << ' ' << cell.samples << ' '
         << cell.delays << ' ' << cell.depth << std::endl;
    if (!file) throw std::runtime_error("cannot write " + path_);
  }

 private:
  struct Kept {
    double seconds = 0;  // its limit
    Cell cell;
  };

  const std::string path_;
  std::multimap<std::string, Kept> all_;
  mutable std::mutex mutex_;
};

class Measurement {
 public:
  Measurement(const Searcher& searcher, KeptSearches& kept) : searcher_(searcher), kept_(kept) {}

  Cell exhaust(const Bug& bug, const std::string& strategy, double seconds) const {
    return search(bug, strategy, 1, seconds);
  }

  // The medians over the seeds; over when more than half of them found nothing.
  Cell sample(const Bug& bug, const std::string& strategy, double seconds) const {
    std::vector<std::uint64_t> needed, samples;
    std::uint64_t depth = 0;
    int missed = 0;
    for (int i = 0; i < seeds && missed <= seeds / 2; ++i) {
      const Cell found = search(bug, strategy, first_seed + i, seconds);
      if (!found.found()) {
        ++missed;
        continue;
      }
      needed.push_back(found.needed);
      samples.push_back(found.samples);
      depth = found.depth;
    }
    if (missed > seeds / 2) return {};
    return {median(needed), median(samples), 0, depth};
  }

  Line line(const Bug& bug, const Limits& limits) const {
    Line line{sample(bug, searches[rs].strategy, limits.sampling)};
    const int part = is_short(bug) || is_easy(line) ? part_if_left_out : 1;
    for (std::size_t column = rs + 1; column < search_count; ++column) {
      const Search& search = searches[column];
      line.push_back(search.samples ? sample(bug, search.strategy, limits.sampling / part)
                                    : exhaust(bug, search.strategy, limits.exhaustive / part));
    }
    return line;
  }

 private:
  Cell search(const Bug& bug, const std::string& strategy, int seed, double seconds) const {
    const std::string name = bug.row + " " + (bug.size().empty() ? "-" : bug.size()) + " " +
                             strategy + " " + std::to_string(seed);
    if (const auto known = kept_.find(name, seconds)) return *known;
    const Cell cell = run(bug, strategy, seed, seconds);
    kept_.keep(name, seconds, cell);
    return cell;
  }

  Cell run(const Bug& bug, const std::string& strategy, int seed, double seconds) const {
    SearchRequest request{bug.program, bug.arguments, strategy, seed, {no_limit, seconds}, cores};
    request.limits.is_processor_time = true;
    const SearchResult result = searcher_.search(request);
    if (!result.found()) return {};
    // irs has strata, too.
    const bool is_exhaustive = strategy.starts_with("ses:") || strategy.starts_with("pb:");
    if (is_exhaustive) return {result.states, 0, result.strata.back().cost, result.bug_steps};
    std::uint64_t samples = 1;
    for (const StratumFigures& stratum : result.strata) samples += stratum.samples;
    return {result.executions, samples, 0, result.bug_steps};
  }

  // Those that found nothing come last.
  static std::uint64_t median(std::vector<std::uint64_t> figures) {
    figures.resize(seeds, ~std::uint64_t{0});
    std::sort(figures.begin(), figures.end());
    return figures[seeds / 2];
  }

  const Searcher& searcher_;
  KeptSearches& kept_;
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

std::string text_of(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", seconds);
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
         text_of(limits.sampling) + " seconds for each seed (sampling), or " +
         text_of(limits.exhaustive) +
         " seconds (exhaustive) of processor time, so that it does not matter what else the "
         "machine does; in the paper two hours or 60 GB, and `#` five hours. A row that does not "
         "count gets a sixth of this. `make bench-delaying` takes 60 and 180 seconds, `make "
         "bench-delaying-short` 8 and 24. For SS "
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
std::string case_study(const Measurement& measurement, const Limits& limits,
                       const std::vector<Bug>& bugs, const std::vector<Line>& lines) {
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
    text +=
        " " + cell_text(measurement.exhaust(bug, "ses:explorer=cust", limits.exhaustive)) + " |";
    text += " " + cell_text(measurement.sample(bug, "ss:explorer=cust,group=1", limits.sampling)) +
            " |\n";
  }
  return text;
}

// --- Running it ---

class Table {
 public:
  Table(const std::string& tool, const std::string& programs, const std::string& suite,
        const std::string& folder, std::vector<Bug> bugs)
      : tool_(tool),
        programs_(programs),
        folder_(folder),
        kept_(suite + "/searches.txt"),
        bugs_(std::move(bugs)) {}

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

  std::string text() {
    const Searcher searcher(tool_, programs_, folder_ + "/study");
    const Measurement measurement(searcher, kept_);
    return introduction(limits_) + table(shape(bugs_, lines_)) + "\n" +
           sampling_table(bugs_, lines_) + "\n" + exhaustive_table(bugs_, lines_) + "\n" +
           case_study(measurement, limits_, bugs_, lines_) + "\n" + machine() + "\n";
  }

 private:
  void work(int job) {
    try {
      const Searcher searcher(tool_, programs_, folder_ + "/" + std::to_string(job));
      const Measurement measurement(searcher, kept_);
      for (std::size_t i = next_++; i < bugs_.size(); i = next_++) {
        fix_size(searcher, bugs_[i]);
        lines_[i] = measurement.line(bugs_[i], limits_);
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
  const Limits limits_;
  KeptSearches kept_;
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
    Table table(arguments[1], arguments[2], arguments[3], arguments[4], std::move(bugs));
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
