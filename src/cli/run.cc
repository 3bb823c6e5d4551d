// `ricercar run`: search the schedules of a program.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <iterator>
#include <optional>
#include <thread>

#include "base/error.h"
#include "base/files.h"
#include "cli/bug_report.h"
#include "cli/commands.h"
#include "cli/coverage_files.h"
#include "cli/help.h"
#include "cli/progress.h"
#include "cli/scratch_file.h"
#include "cli/terminal.h"
#include "cli/uninstrumented.h"
#include "model/outcome_kinds.h"
#include "report/executable.h"
#include "report/message_places.h"
#include "strategy/registry.h"

namespace ricercar {
namespace {

constexpr std::uint64_t default_executions = 10000;
// A program that is not deterministic shows ever more of what does not come again.
constexpr std::size_t unconfirmed_limit = 5;
// Further bugs of a run with --keep-going are named in the summary and explained in their files.
constexpr std::size_t printed_reports_limit = 3;

struct RunOptions {
  std::string strategy;
  std::uint64_t executions = 0;
  double seconds = 0;
  std::uint64_t seed = 1;
  std::uint64_t steps = 100000;
  std::string points;
  std::string out = "ricercar-out";
  std::string json;
  bool keep_going = false;
  std::string fail_on;
  std::string ignore;
  std::string suppressions;
  bool quiet = false;
  bool no_races = false;
  bool spurious = false;
  bool weak_failures = false;
  double hang_seconds = 10;
  bool fork = false;
  bool full = false;
  std::string memory;
  std::uint32_t cores = 0;
  CoverageFiles coverage;
};

std::uint64_t bytes_of(const std::string& text) {
  std::uint64_t number = 0;
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, number);
  const std::string unit(result.ptr, end);
  const std::size_t power = std::string("KMG").find(unit.empty() ? '-' : unit[0]);
  const bool is_known = unit.empty() || (unit.size() == 1 && power != std::string::npos);
  if (result.ec != std::errc() || !is_known || number == 0 || number >> 32 != 0) {
    throw UsageError(fmt::format("--memory: a size such as 64M or 2G is wanted, not '{}'", text));
  }
  return unit.empty() ? number : number << (10 * (power + 1));
}

bool shows_progress(const RunOptions& options) { return is_terminal(stderr) && !options.quiet; }

Request request_of(const RunOptions& options) {
  Request request;
  const std::string strategy =
      options.strategy.empty() ? std::string(default_strategy) : options.strategy;
  Resources check;
  check.priorities.is_check = true;
  check.explorers.is_check = true;
  make_strategy(strategy, options.seed, check);  // throws for what does not exist
  check_coverage_files(options.coverage, strategy);
  if (strategy.size() >= sizeof request.strategy) {
    throw UsageError("the strategy specification is too long");
  }
  std::strcpy(request.strategy, strategy.c_str());
  request.points =
      options.points.empty() ? default_points(strategy) : points_by_name(options.points);
  request.races = !options.no_races;
  request.spurious_wakeups = options.spurious;
  request.weak_failures = options.weak_failures;
  request.keep_going = options.keep_going;
  request.ignored_kinds = ignored_kinds(options.fail_on, options.ignore);
  request.force_fork = options.fork;
  request.quiet = options.quiet;
  request.count_traces = !options.json.empty() || shows_progress(options);
  request.seed = options.seed;
  request.max_executions = options.executions;
  const bool has_limit =
      options.executions != 0 || options.seconds != 0 || strategy_info(strategy).ends_by_itself;
  if (!has_limit) request.max_executions = default_executions;
  request.max_seconds = options.seconds;
  request.max_steps = options.steps;
  request.hang_seconds = options.hang_seconds;
  request.memory = options.memory.empty() ? 0 : bytes_of(options.memory);
  request.cores =
      options.cores != 0 ? options.cores : std::max(1U, std::thread::hardware_concurrency());
  return request;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    if (end > start) lines.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return lines;
}

RunSummary summary_of(const Program& program, const Request& request, const SearchResult& result) {
  RunSummary summary;
  summary.program = program.typed;
  summary.arguments = program.arguments;
  summary.strategy = request.strategy;
  summary.seed = request.seed;
  summary.executions = result.executions;
  summary.steps = result.steps;
  summary.seconds = result.seconds;
  summary.complete = result.complete;
  summary.interrupted = result.supervised.interrupted;
  summary.coverage = result.coverage;
  summary.machines = result.transitions != 0;
  summary.transitions = result.transitions;
  summary.distinct_traces = result.distinct_traces;
  summary.truncated = result.truncated;
  summary.max_steps = request.max_steps;
  summary.forks = result.forks;
  summary.notes = lines_of(result.note);
  if (!result.first_world.empty()) {
    summary.notes.push_back(fmt::format(
        "the first execution {}, so all others see another world: the search began anew with the "
        "second",
        result.first_world));
  }
  summary.bug_count = result.bug_count;
  summary.ignored = result.ignored;
  summary.suppressions = result.suppressions;
  summary.strata = result.strata;
  if (result.sets) summary.learned = learned_summary(*result.sets);
  if (result.supervised.ending == Ending::gave_up) summary.error = result.supervised.message;
  return summary;
}

class Run {
 public:
  Run(const RunOptions& options, std::vector<std::string> command)
      : options_(options),
        people_(options.json == "-" ? stderr : stdout),
        request_(request_of(options)),
        program_(find_program(command.at(0), {std::next(command.begin()), command.end()})),
        known_sets_(load_sets(options.coverage.sets, program_.path)) {
    if (!options.suppressions.empty()) suppressions_ = Suppressions::read(options.suppressions);
  }

  int run() {
    make_folder(options_.out);
    const ScratchFile scratch(options_.out);
    if (!scratch.note().empty()) fmt::print(stderr, "ricercar: {}\n", scratch.note());
    if (scratch.path().size() >= sizeof request_.scratch_file) {
      throw UsageError("the path of the output folder is too long");
    }
    std::strcpy(request_.scratch_file, scratch.path().c_str());
    const ProgramInput input(STDIN_FILENO);
    Search search(program_, request_, input, known_sets_ ? &*known_sets_ : nullptr, suppressions_);
    SearchResult result = search_on(search);
    // Before anything that may fail: it is what the search was for.
    bool is_saved = save_sets(result.sets);
    require_control(result);
    if (!is_saved && !result.sets) fmt::print(stderr, "ricercar: no pairs were learned\n");
    Found found;
    report_bugs(search, result, input, found);
    // What did not come again was no bug, and the search was not over.
    for (std::size_t known = 0;
         found.asks_for_more(known, options_.keep_going) && search.can_go_on();) {
      known = found.unconfirmed.size();
      result = search_on(search);
      is_saved = save_sets(result.sets) && is_saved;
      require_control(result);
      report_bugs(search, result, input, found);
    }
    RunSummary summary = summary_of(program_, request_, result);
    add_uninstrumented(summary, program_, result);
    add_not_modelled(summary, result);
    add_found(summary, std::move(found));
    if (summary.executions == 0 && summary.error.empty() && !summary.interrupted) {
      if (options_.seconds > 0) throw UsageError(nothing_in_time());
      summary.error = "the search explored nothing";
    }
    if (nothing_ended(summary) && summary.error.empty()) summary.error = nothing_in_steps();
    if (!options_.quiet) fmt::print(people_, "{}", summary_text(summary));
    const bool is_written = write_json(summary);
    const int status = status_of(summary);
    if (options_.quiet && !summary.unconfirmed.empty()) {
      fmt::print(stderr, "ricercar: an execution was not deterministic: {}\n",
                 summary.unconfirmed.front().doubt);
    }
    return status == exit_ok && !(is_written && is_saved) ? exit_usage : status;
  }

 private:
  // What the replays of the found bugs have shown.
  struct Found {
    std::vector<BugSummary> bugs;
    std::vector<BugSummary> unconfirmed;
    bool interrupted = false;

    std::size_t size() const { return bugs.size() + unconfirmed.size(); }
    // `known`: how many were unconfirmed before the last search.
    bool asks_for_more(std::size_t known, bool keep_going) const {
      if (unconfirmed.size() >= unconfirmed_limit || interrupted) return false;
      return unconfirmed.size() > known && (keep_going || bugs.empty());
    }
  };

  SearchResult search_on(Search& search) const {
    ProgressLine line(options_.seconds);
    ShowProgress progress;
    if (shows_progress(options_)) {
      progress = [&](const Control& control, double seconds) { line.show(control, seconds); };
    }
    return search.run(progress);
  }

  // Those that have not been reported yet.
  void report_bugs(Search& search, const SearchResult& result, const ProgramInput& input,
                   Found& found) const {
    while (found.size() < result.bugs.size() && !found.interrupted) {
      const std::size_t index = found.size();
      if (add_bug(found, result.bugs[index], input, replay_seconds(result))) continue;
      search.reject(index);
      found.unconfirmed.back().doubt += world_of(result, result.bugs[index]);
    }
  }

  // Why an execution could be another one than its replay.
  static std::string world_of(const SearchResult& result, const Schedule& bug) {
    if (bug.execution != 1 || result.first_world.empty()) return {};
    return fmt::format(
        " This first execution {}, and the replay began with that. Files are not put back between "
        "executions: let main remove the file when it begins.",
        result.first_world);
  }

  // What was searched within a limit is replayed within one: no execution took longer than the
  // search. 0: no limit.
  double replay_seconds(const SearchResult& result) const {
    constexpr double to_start = 2;
    return options_.seconds > 0 ? to_start + recording_factor * result.seconds : 0;
  }

  static void add_found(RunSummary& summary, Found found) {
    summary.bugs = std::move(found.bugs);
    summary.unconfirmed = std::move(found.unconfirmed);
    summary.bug_count -= std::min<std::uint64_t>(summary.bug_count, summary.unconfirmed.size());
    summary.bug_count = std::max<std::uint64_t>(summary.bug_count, summary.bugs.size());
    summary.complete = summary.complete && summary.unconfirmed.empty();
    summary.interrupted = summary.interrupted || found.interrupted;
  }

  bool save_sets(const std::optional<CoverageSets>& sets) const {
    return sets ? save_coverage(options_.coverage, *sets) : !options_.coverage.are_asked_for();
  }

  void require_control(const SearchResult& result) const {
    if (result.status == Status::failed) throw UsageError(with_source_lines(result.error));
    if (result.supervised.ending != Ending::uncontrolled || result.supervised.interrupted) return;
    if (const std::string complaint = loader_complaint(program_.path); !complaint.empty()) {
      throw UsageError(fmt::format("'{}' cannot be loaded: {}", program_.typed, complaint));
    }
    throw UsageError(fmt::format(
        "'{}' {} before Ricercar's runtime could take control; try it without Ricercar first, and "
        "compile it with `ricercar c++` (or `ricercar cc` for C)",
        program_.typed, result.supervised.message));
  }

  std::string nothing_in_time() const {
    return fmt::format(
        "no execution of '{}' ended within {} seconds: allow more with --time, or let Ricercar say "
        "where it hangs: ricercar run --hang {} {}",
        program_.typed, options_.seconds, options_.seconds, program_.typed);
  }

  std::string nothing_in_steps() const {
    return fmt::format(
        "no execution of '{}' ended within {} steps, so nothing is known of what it does after "
        "them: allow more with --steps, or give it less to do",
        program_.typed, request_.max_steps);
  }

  // False: it is none.
  bool add_bug(Found& found, const Schedule& bug, const ProgramInput& input,
               double max_seconds) const {
    const std::size_t number = found.size() + 1;
    const BugReport report = report_bug(program_, bug, input, options_.out, number, max_seconds,
                                        options_.full, reporter_options_for(people_));
    if (!report.problems.empty()) fmt::print(stderr, "ricercar: {}", report.problems);
    found.interrupted = found.interrupted || report.interrupted;
    if (!report.summary.doubt.empty()) {
      found.unconfirmed.push_back(report.summary);
      return false;
    }
    if (options_.quiet) {
      fmt::print(people_, "{}\n  ricercar replay {}\n", report.summary.message,
                 report.summary.schedule);
    } else if (number <= printed_reports_limit) {
      fmt::print(people_, "{}\n", report.text);
    }
    found.bugs.push_back(report.summary);
    return true;
  }

  // False: it could not be written. A bug that was found counts all the same.
  bool write_json(const RunSummary& summary) const {
    if (options_.json.empty()) return true;
    if (options_.json == "-") {
      fmt::print("{}", summary_json(summary));
      return true;
    }
    try {
      write_file(options_.json, summary_json(summary));
      return true;
    } catch (const UsageError& error) {
      fmt::print(stderr, "ricercar: {}\n", error.what());
      return false;
    }
  }

  static int status_of(const RunSummary& summary) {
    if (summary.bug_count > 0) return exit_bug;
    if (summary.interrupted) return exit_interrupted;
    if (!summary.unconfirmed.empty()) return exit_internal;
    if (!summary.error.empty()) {
      fmt::print(stderr, "ricercar: {}\n", summary.error);
      return nothing_ended(summary) ? exit_usage : exit_internal;
    }
    return exit_ok;
  }

  const RunOptions& options_;
  std::FILE* people_;  // where the report and the summary go
  Request request_;
  Program program_;
  std::optional<CoverageSets> known_sets_;  // what an earlier search has learned
  Suppressions suppressions_;
};

void declare_options(CLI::App& command, RunOptions& options) {
  command.add_option("-s,--strategy", options.strategy,
                     "How to search: name:parameter=value,... (see `ricercar strategies`)");
  command
      .add_option("-n,--executions", options.executions,
                  "Stop after N executions (10000, or no limit if --time is given)")
      ->check(number_validator(1))
      ->type_name("N");
  command.add_option("-t,--time", options.seconds, "Stop after this time")
      ->check(duration_validator())
      ->type_name("SECONDS");
  command.add_option("--seed", options.seed, "Seed of all random decisions")
      ->check(number_validator(0))
      ->capture_default_str()
      ->type_name("N");
  command.add_option("--steps", options.steps, "Cut an execution after N steps")
      ->check(number_validator(1))
      ->capture_default_str()
      ->type_name("N");
  command
      .add_option("--points", options.points,
                  "Where threads may be switched: sync, atomic (and atomics), shared (and accesses "
                  "to memory that threads share, learned on the way) or memory (and all of them); "
                  "atomic, for hapset shared")
      ->type_name("POINTS");
  command.add_option("-o,--out", options.out, "Folder for the schedules and reports of bugs")
      ->capture_default_str()
      ->type_name("DIR");
  command.add_flag("-k,--keep-going", options.keep_going, "Do not stop at the first bug");
  command
      .add_option("--fail-on", options.fail_on,
                  "Only these kinds of bugs fail the search, as deadlock,crash; others are counted")
      ->type_name("KINDS");
  command
      .add_option("--ignore", options.ignore,
                  "These kinds of bugs do not fail the search, as data-race,leak; they are counted")
      ->type_name("KINDS");
  command
      .add_option("--suppressions", options.suppressions,
                  "Known findings that do not fail the search, as race:FUNCTION in each line; they "
                  "are counted")
      ->type_name("FILE");
  command.add_option("--json", options.json, "Write a summary as JSON (-: to standard output)")
      ->type_name("FILE");
  command
      .add_option("--hapset", options.coverage.sets,
                  "Go on from the statement pairs in FILE, if it exists, and save them there at "
                  "the end")
      ->type_name("FILE");
  command
      .add_option("--coverage", options.coverage.report,
                  "Report the statement pairs after the run, as .html, .json, .svg or .txt")
      ->type_name("FILE");
  command.add_flag("-q,--quiet", options.quiet, "Print bugs in one line each and nothing else");
  command.add_flag("--no-races", options.no_races, "Do not report data races");
  command.add_flag("--spurious", options.spurious, "Condition variables may wake without a signal");
  command.add_flag("--weak-failures", options.weak_failures,
                   "A weak compare-exchange may fail without a reason");
  command
      .add_option("--hang", options.hang_seconds,
                  "Report code that is not under control as hanging after this time")
      ->check(duration_validator())
      ->capture_default_str()
      ->type_name("SECONDS");
  command
      .add_option("--memory", options.memory,
                  "For what waits to be explored, as 16M or 2G; the rest goes to a file in --out")
      ->type_name("SIZE");
  command
      .add_option(
          "--cores", options.cores,
          "How many cores search a system of machines (all of them); the result is the same")
      ->check(number_validator(1))
      ->type_name("N");
  command.add_flag("--fork", options.fork, "Fork for each execution, never restore memory");
  command.add_flag("--full", options.full, "Show every step of the trace");
}

}  // namespace

void add_run(CLI::App& app, Invocation& invocation) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* command = app.add_subcommand("run", "Search the schedules of a program for bugs");
  declare_options(*command, *options);
  command->prefix_command();
  set_help(
      *command, "ricercar run [OPTIONS] [--] PROGRAM [ARGUMENTS]",
      R"(Exit status: 0 no bug, 1 a bug, 2 a mistake in what was asked for, 3 a fault of Ricercar or
an execution that was not deterministic, 130 interrupted before a bug was found.

Examples:
  ricercar c++ -g queue_test.cc -o queue_test
  ricercar run ./queue_test                           10,000 executions
  ricercar run --time 60 ./queue_test --items 3       a minute, with arguments for the program
  ricercar run --strategy pct:depth=3 ./queue_test    another strategy
  ricercar run --strategy dfs ./queue_test            everything, if it is small enough
  ricercar run --strategy hapset --hapset sets ./queue_test    go on from what was learned
  ricercar run --keep-going --json - ./queue_test     all bugs, as JSON
  ricercar run --ignore data-race,leak ./queue_test   what lies behind known problems
)");
  command->callback([command, options, &invocation] {
    std::vector<std::string> program = command->remaining();
    if (!program.empty() && program[0].starts_with("-")) {
      throw UsageError(fmt::format("`ricercar run` has no option '{}'{} (ricercar run --help)",
                                   program[0], suggest_option(*command, program[0])));
    }
    // Dashes behind the program's name belong to the program.
    if (!program.empty() && invocation.has_dashes) program.emplace_back("--");
    program.insert(program.end(), invocation.behind_dashes.begin(), invocation.behind_dashes.end());
    if (program.empty()) throw UsageError("name the program to run: ricercar run ./program");
    invocation.status = Run(*options, program).run();
  });
}

}  // namespace ricercar
