// `ricercar run`: search the schedules of a program.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <optional>
#include <thread>

#include "base/error.h"
#include "base/files.h"
#include "cli/bug_report.h"
#include "cli/checkpoint.h"
#include "cli/commands.h"
#include "cli/corpus.h"
#include "cli/help.h"
#include "cli/page.h"
#include "cli/replay_program.h"
#include "cli/run_options.h"
#include "cli/scratch_file.h"
#include "cli/terminal.h"
#include "cli/uninstrumented.h"
#include "model/outcome_kinds.h"
#include "report/executable.h"
#include "report/message_places.h"
#include "report/style.h"
#include "strategy/registry.h"

namespace ricercar::inline cli {
namespace {

constexpr std::uint64_t default_executions = 10000;
// A program that is not deterministic shows ever more of what does not come again.
constexpr std::size_t unconfirmed_limit = 5;
// Further bugs of a run with --keep-going are named in the summary and explained in their files.
constexpr std::size_t printed_reports_limit = 3;

bool shows_progress(const RunOptions& options) { return is_terminal(stderr) && !options.quiet; }

// The options, with a value for what was left to us.
Request request_of(const RunOptions& options) {
  Request request;
  static_cast<SearchOptions&>(request) = options;
  if (request.strategy.empty()) {
    request.strategy = options.nodes.empty() ? default_strategy : default_strategy_of_nodes;
  }
  require_strategy(std::string(request.strategy));
  check_coverage_files(options, std::string(request.strategy));
  if (!options.has_points) request.points = default_points(request.strategy);
  if (!options.nodes.empty() && !options.has_points) request.points = Points::message;
  const bool is_learned = request.points == Points::racy || request.points == Points::shared;
  if (!options.nodes.empty() && is_learned) {
    throw UsageError(
        "--points racy and shared are for programs with threads: inside nodes there "
        "are message, sync, atomic and memory");
  }
  if (options.nodes.empty() && request.points == Points::message) {
    throw UsageError("--points message is where the nodes of a cluster meet (--nodes FILE)");
  }
  request.ignored_kinds = ignored_kinds(options.fail_on, options.ignore);
  request.count_traces = !options.json.empty() || shows_progress(options);
  const bool has_limit = request.max_executions != 0 || request.max_seconds != 0 ||
                         strategy_info(request.strategy).ends_by_itself;
  if (!has_limit) request.max_executions = default_executions;
  request.jobs = request.cores == 0 ? as_many_jobs_as_can_be : request.cores;
  if (request.cores == 0) request.cores = std::max(1U, std::thread::hardware_concurrency());
  return request;
}

class Run {
 public:
  Run(const RunOptions& options, std::vector<std::string> command)
      : options_(options),
        people_(options.json == "-" ? stderr : stdout),
        request_(request_of(options)),
        program_(options.nodes.empty()
                     ? find_program(command.at(0), {std::next(command.begin()), command.end()})
                     : find_cluster(options.nodes)),
        known_sets_(load_sets(options.sets, program_.path)) {
    if (!options.corpus.empty()) corpus_.emplace(options.corpus);
    if (!options.suppressions.empty()) suppressions_ = Suppressions::read(options.suppressions);
    if (!options.seed_schedule.empty()) seed_schedule_ = read_seed();
    if (!options.pool.empty()) pool_ = pool_asked_for();
    if (options.is_kept()) {
      checkpoint_.emplace(options.checkpoint, options.resume,
                          identity_of(program_, request_, suppressions_));
      if (!options.resume.empty()) request_.count_traces = checkpoint_->counts_traces();
    }
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
    if (corpus_) replayed_ = replay_corpus(input);
    if (replayed_.interrupted || (!replayed_.bugs.empty() && !options_.keep_going)) {
      return finish_without_search();
    }
    Search search(program_, request_, input, known_sets_ ? &*known_sets_ : nullptr, suppressions_);
    if (seed_schedule_) search.begin_with(*seed_schedule_);
    if (checkpoint_) search.keep_in(*checkpoint_);
    if (pool_) {
      search.share_in(*pool_,
                      [this](PoolNews news, const std::string& text) { say_of_pool(news, text); });
    }
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
    RunSummary& summary = result.summary;
    add_uninstrumented(summary, program_, result);
    add_not_modelled(summary, result);
    add_found(summary, std::move(found));
    const bool has_failed = result.status == Status::failed;
    if (has_failed) summary.error = with_source_lines(result.error);
    if (summary.executions == 0 && summary.error.empty() && !summary.interrupted) {
      if (options_.max_seconds > 0) throw UsageError(nothing_in_time());
      summary.error = "the search explored nothing";
    }
    if (nothing_ended(summary) && summary.error.empty()) summary.error = nothing_in_steps();
    add_corpus(summary);
    if (!options_.quiet) fmt::print(people_, "{}", summary_text(summary));
    const bool are_written = write_run_files(options_, summary, people_);
    const bool is_written = write_pages(summary) && are_written;
    const int status = status_of(summary, has_failed);
    if (options_.quiet && !summary.unconfirmed.empty()) {
      fmt::print(stderr, "ricercar: an execution was not deterministic: {}\n",
                 summary.unconfirmed.front().doubt);
    }
    const bool is_kept = !checkpoint_ || checkpoint_->is_written();
    return status == exit_ok && !(is_written && is_saved && is_kept) ? exit_usage : status;
  }

 private:
  Schedule read_seed() const {
    const std::string strategy(request_.strategy);
    if (!program_.is_cluster() || strategy_info(strategy).name != "coverage") {
      throw UsageError(
          "--seed-schedule is what the strategy coverage begins with: ricercar run --nodes FILE "
          "--strategy coverage --seed-schedule FILE");
    }
    Schedule schedule = read_schedule(options_.seed_schedule);
    require_build(schedule, program_, program_.path);
    if (schedule.points == request_.points) return schedule;
    throw UsageError(fmt::format("'{}' was recorded with other choice points: leave out --points",
                                 options_.seed_schedule));
  }

  PoolAddress pool_asked_for() const {
    if (options_.is_kept()) {
      throw UsageError("a search in a pool is kept there: leave out --checkpoint and --resume");
    }
    if (options_.cores != 0) {
      throw UsageError(fmt::format(
          "this command does not search itself what is in a pool: leave out --jobs, and let "
          "workers do it: ricercar worker {} --jobs {} {}",
          options_.pool, options_.cores, program_.typed));
    }
    return parse_pool_address(options_.pool);
  }

  void say_of_pool(PoolNews news, const std::string& text) const {
    if (options_.quiet) return;
    std::string advice;
    if (news == PoolNews::no_workers) {
      advice = fmt::format("; to take part: {} worker {} {}", shell_word(tool_command()),
                           shell_word(options_.pool), shell_word(program_.typed));
      for (const std::string& argument : program_.arguments) advice += " " + shell_word(argument);
    }
    fmt::print(stderr, "ricercar: {}{}\n", text, advice);
  }

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
    ProgressLine line(options_.max_seconds);
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
      if (add_bug(found, result.bugs[index], input, result.summary)) continue;
      search.reject(index);
    }
  }

  // What was searched within a limit is replayed within one: no execution took longer than the
  // search. 0: no limit.
  double replay_seconds(const RunSummary& summary) const {
    constexpr double to_start = 2;
    return options_.max_seconds > 0 ? to_start + recording_factor * summary.seconds : 0;
  }

  // How far to look past a data race: the time that is left, and not for too many steps.
  Request request_past_race(const RunSummary& summary) const {
    constexpr std::uint64_t most_steps = 200000;
    constexpr std::uint64_t least_executions = 10;
    Request request = request_;
    const std::uint64_t executions = most_steps / std::max<std::uint64_t>(summary.most_steps, 1);
    request.max_executions = std::min(options_.past_race, std::max(executions, least_executions));
    if (request.max_seconds > 0) request.max_seconds -= summary.seconds;
    return request;
  }

  // All bugs share it.
  MinimiseOptions minimise_options(const RunSummary& summary) const {
    constexpr std::uint64_t enough_for = 5;
    const std::uint64_t bugs = std::clamp<std::uint64_t>(summary.bug_count, 1, saved_bugs_limit);
    MinimiseOptions options;
    options.ignored_kinds = request_.ignored_kinds;
    if (bugs > enough_for) {
      options.budget = options.budget * enough_for / bugs;
      options.max_seconds =
          std::max(1.0, options.max_seconds * enough_for / static_cast<double>(bugs));
    }
    if (options_.max_seconds > 0) {
      const double left = std::max(1.0, options_.max_seconds - summary.seconds);
      options.max_seconds = std::min(options.max_seconds, left);
    }
    return options;
  }

  bool looks_past_race(const RunSummary& summary) const {
    const bool has_time = options_.max_seconds <= 0 || summary.seconds < options_.max_seconds;
    return options_.past_race > 0 && !options_.keep_going && !program_.is_cluster() && has_time;
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
    return sets ? save_coverage(options_, *sets) : !options_.are_asked_for();
  }

  // What a search has found before it failed counts.
  void require_control(const SearchResult& result) const {
    if (result.status == Status::failed && result.summary.executions == 0 && result.bugs.empty()) {
      throw UsageError(with_source_lines(result.error));
    }
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
        program_.typed, options_.max_seconds, options_.max_seconds, program_.typed);
  }

  std::string nothing_in_steps() const {
    return fmt::format(
        "no execution of '{}' ended within {} steps, so nothing is known of what it does after "
        "them: allow more with --steps, or give it less to do",
        program_.typed, request_.max_steps);
  }

  // False: it is none.
  bool add_bug(Found& found, const Schedule& bug, const ProgramInput& input,
               const RunSummary& summary) const {
    const std::size_t number = found.size() + 1;
    BugReportOptions options{options_.out, std::to_string(number), replay_seconds(summary),
                             options_.full, reporter_options_for(people_)};
    if (options_.minimises) options.minimise = minimise_options(summary);
    if (looks_past_race(summary)) {
      options.look_past_race = [&, quiet = options] {
        return look_past_race(program_, request_past_race(summary), input, suppressions_, quiet);
      };
    }
    const BugReport report = report_bug(program_, bug, input, options);
    if (!report.problems.empty()) fmt::print(stderr, "ricercar: {}", report.problems);
    found.interrupted = found.interrupted || report.interrupted;
    if (!report.summary.doubt.empty()) {
      found.unconfirmed.push_back(report.summary);
      return false;
    }
    if (options_.quiet || number <= printed_reports_limit) print_bug(report, options_.quiet);
    found.bugs.push_back(report.summary);
    return true;
  }

  // --- The corpus ---

  CorpusReplay replay_corpus(const ProgramInput& input) const {
    const double seconds = options_.max_seconds > 0 ? options_.max_seconds * recording_factor : 0;
    CorpusReplay replayed = corpus_->replay(
        program_, input,
        {options_.out, "corpus", seconds, options_.full, reporter_options_for(people_)});
    for (const BugReport& bug : replayed.bugs) print_bug(bug, options_.quiet);
    return replayed;
  }

  // A bug of the corpus came again: the search would only find it once more.
  int finish_without_search() const {
    RunSummary summary;
    summary.program = program_.typed;
    summary.arguments = program_.arguments;
    summary.options = request_;
    summary.interrupted = replayed_.interrupted;
    summary.executions = replayed_.entries.size();
    summary.steps = replayed_.steps;
    summary.seconds = replayed_.seconds;
    summary.coverage = "replays of the corpus only; to search as well: --keep-going";
    add_corpus(summary);
    if (!options_.quiet) fmt::print(people_, "{}", summary_text(summary));
    write_run_files(options_, summary, people_);
    return status_of(summary, false);
  }

  // New bugs go into it. One that a replay has shown already is one and the same.
  void add_corpus(RunSummary& summary) const {
    if (!corpus_) return;
    summary.corpus = replayed_.entries;
    std::vector<BugSummary> bugs;
    for (const BugReport& bug : replayed_.bugs) bugs.push_back(bug.summary);
    const std::size_t known = bugs.size();
    for (const BugSummary& bug : summary.bugs) {
      const bool is_known =
          std::any_of(bugs.begin(), bugs.begin() + static_cast<long>(known),
                      [&](const BugSummary& one) { return is_same_bug(one, bug); });
      if (is_known) {
        --summary.bug_count;
        continue;
      }
      bugs.push_back(bug);
      keep_in_corpus(bug);
    }
    summary.bug_count += known;
    summary.bugs = std::move(bugs);
  }

  void keep_in_corpus(const BugSummary& bug) const {
    try {
      corpus_->add(bug);
    } catch (const UsageError& error) {
      fmt::print(stderr, "ricercar: {}\n", error.what());
    }
  }

  void print_bug(const BugReport& report, bool in_brief) const {
    if (in_brief) {
      fmt::print(people_, "{}\n  {} replay {}\n", report.summary.message,
                 shell_word(tool_command()), shell_word(report.summary.schedule));
    } else {
      fmt::print(people_, "{}\n", report.text);
    }
  }

  // Last: a page shows what was saved beside the schedule until then. False: they could not be
  // written, and a bug that was found counts all the same.
  bool write_pages(const RunSummary& summary) const {
    if (options_.html.empty()) return true;
    std::FILE* stream = options_.quiet ? nullptr : people_;
    try {
      make_folder(options_.html);
      for (const BugSummary& bug : summary.bugs) {
        if (!bug.schedule.empty()) {
          write_page(bug.schedule, page_in(options_.html, bug.schedule), options_.full, stream);
        }
      }
      return true;
    } catch (const UsageError& error) {
      fmt::print(stderr, "ricercar: {}\n", error.what());
      return false;
    }
  }

  static int status_of(const RunSummary& summary, bool has_failed) {
    if (has_failed) fmt::print(stderr, "ricercar: {}\n", summary.error);
    if (summary.bug_count > 0) return exit_bug;
    if (has_failed) return exit_usage;
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
  std::optional<Schedule> seed_schedule_;
  std::optional<Checkpoint> checkpoint_;
  std::optional<PoolAddress> pool_;
  std::optional<Corpus> corpus_;
  CorpusReplay replayed_;  // before the search
};

}  // namespace

void add_run(CLI::App& app, Invocation& invocation) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* command = app.add_subcommand("run", "Search the schedules of a program for bugs");
  declare_run_options(*command, *options);
  command->prefix_command();
  set_help(*command, "ricercar run [OPTIONS] [--] PROGRAM [ARGUMENTS]",
           R"(Exit status: 0 no bug, 1 a bug, 2 a usage error, 3 an internal error or
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
    if (options->nodes.starts_with("-")) {
      throw UsageError("--nodes needs the file of a cluster: ricercar run --nodes cluster.toml");
    }
    if (program.empty() == options->nodes.empty()) {
      throw UsageError(program.empty()
                           ? "name the program to run: ricercar run ./program"
                           : "--nodes names the programs: leave out '" + program[0] + "'");
    }
    if (!options->nodes.empty()) take_search_fields(*command, *options);
    options->has_points = !command->get_option("--points")->as<std::string>().empty();
    invocation.status = Run(*options, program).run();
  });
}

}  // namespace ricercar::inline cli
