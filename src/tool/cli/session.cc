#include "cli/session.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "cli/launched.h"
#include "cli/learned_sets.h"
#include "cli/place_names.h"
#include "model/shared_array.h"
#include "model/step_hash.h"
#include "nodes/cluster_file.h"
#include "nodes/coordinator.h"
#include "report/executable.h"
#include "report/instrumentation.h"
#include "report/message_places.h"
#include "report/program_names.h"
#include "report/symbols.h"
#include "search/schedule_of_bug.h"
#include "strategy/priority.h"
#include "strategy/registry.h"
#include "supervisor/gdb_script.h"

namespace ricercar::inline cli {
namespace {

namespace fs = std::filesystem;

std::string search_path(const std::string& name) {
  const char* variable = std::getenv("PATH");
  std::string folders = std::string(variable != nullptr ? variable : "") + ":";
  for (std::size_t colon = 0; (colon = folders.find(':')) != std::string::npos;) {
    const std::string folder = folders.substr(0, colon);
    folders.erase(0, colon + 1);
    const std::string candidate = (folder.empty() ? "." : folder) + "/" + name;
    if (::access(candidate.c_str(), X_OK) == 0 && !fs::is_directory(candidate)) return candidate;
  }
  const std::string here = fs::exists(name) ? "; did you mean ./" + name + "?" : "";
  throw UsageError(fmt::format("there is no program '{}' in PATH{}", name, here));
}

Schedule schedule_of(const Program& program, const std::string& build_id, const Request& request,
                     const FoundBug& bug) {
  Schedule schedule = schedule_of_bug(bug, request);
  if (program.is_cluster()) schedule.message = with_source_lines(schedule.message);
  schedule.program = program.path;
  schedule.arguments = program.arguments;
  schedule.build_id = build_id;
  return schedule;
}

// Functions and variables that the priorities of a best-first search are about.
void find_names(const Program& program, Request& request) {
  for (const PriorityItem& item : priorities_in(request.strategy)) {
    if (item.name == "method") {
      request.functions = to_shared(function_ranges(program.path, item.arguments));
    } else if (item.name == "var") {
      request.variables = to_shared(variable_ranges(program.path, item.arguments));
    }
  }
}

// Where the user's code is that did it: the innermost line of it.
std::string place_of(Symbols& symbols, std::uint64_t site) {
  const std::vector<Frame> frames = symbols.frames(site);
  if (frames.empty()) return fmt::format("{:#x}", site);
  const auto own =
      std::find_if(frames.begin(), frames.end(), [](const Frame& frame) { return frame.is_users; });
  const Frame& frame = own == frames.end() ? frames.front() : *own;
  if (!frame.file.empty()) return fmt::format("{}:{}", frame.file, frame.line);
  return frame.function.empty() ? frame.module : frame.function;
}

IgnoredSummary ignored_summary(const IgnoredFinding& finding, const Control& control,
                               const Program& program) {
  IgnoredSummary summary;
  summary.kind = info(finding.outcome.kind).name;
  summary.message = finding.outcome.message;
  summary.execution = finding.execution;
  summary.times = finding.times;
  Recording recording{};
  recording.modules = control.modules;
  const std::unique_ptr<Symbols> symbols = debug_symbols(recording, program.path);
  for (const std::uint64_t site : {finding.outcome.site, finding.outcome.other_site}) {
    if (site != 0) summary.places.push_back(place_of(*symbols, site));
  }
  return summary;
}

SuppressionSummary suppression_summary(const Suppression& suppression,
                                       const std::vector<IgnoredSummary>& ignored) {
  SuppressionSummary summary{suppression.text, suppression.line, 0, 0};
  for (const IgnoredSummary& finding : ignored) {
    if (finding.suppression != suppression.text) continue;
    ++summary.findings;
    summary.times += finding.times;
  }
  return summary;
}

bool is_of_machines(const Program& program) {
  return !program.is_cluster() && world_of(program.path) != WorldKind::threads;
}

// Why one process has to search a program with threads, or a cluster; empty: there can be several.
std::string why_one_job(const Program& program, const Request& request) {
  if (program.is_cluster()) return "the nodes of a cluster are run by one process";
  Resources check;
  check.priorities.is_check = true;
  check.explorers.is_check = true;
  const auto strategy = make_strategy(request.strategy, request.seed, check);
  if (strategy->as<HasPieces>() != nullptr) return {};
  return fmt::format("the strategy {} cannot be shared out", strategy_info(request.strategy).name);
}

}  // namespace

Launch launch_of(const Program& program, const std::string& node_output) {
  Launch launch;
  launch.program = program.path;
  launch.arguments = program.arguments;
  if (program.is_cluster()) {
    launch.program = fs::canonical("/proc/self/exe");
    launch.arguments = {coordinator_command, program.path,
                        program.properties ? program.properties->path() : "", node_output};
  }
  return launch;
}

Program find_program(const std::string& typed, std::vector<std::string> arguments) {
  const std::string found = typed.find('/') == std::string::npos ? search_path(typed) : typed;
  require_controlled(found);
  return {typed, fs::canonical(found), std::move(arguments)};
}

Program find_cluster(const std::string& file) {
  Program program{file, "", {}, {}, {}};
  const ClusterPlan plan = read_cluster(file);
  for (const NodePlan& node : plan.nodes) {
    try {
      require_controlled(node.program);
    } catch (const UsageError& error) {
      throw UsageError(fmt::format("the node '{}': {}", node.name, error.what()));
    }
    program.nodes.push_back(node.program);
  }
  program.path = fs::canonical(file);
  if (!plan.properties.empty()) {
    program.properties = std::make_shared<const PropertyLibrary>(plan.properties);
  }
  return program;
}

// Of a cluster all of its programs count, and what its file says.
std::string build_of(const Program& program) {
  std::string all = build_id_of(program.path);
  for (const std::string& node : program.nodes) all += "+" + build_id_of(node);
  return all;
}

Search::Search(const Program& program, const Request& request, const ProgramInput& input,
               const CoverageSets* sets, Suppressions suppressions)
    : program_(program),
      request_(request),
      input_(input),
      sets_(sets),
      suppressions_(std::move(suppressions)),
      places_(std::make_unique<PlaceNames>(program.path)) {
  ask_for(shared_->request);
  if (request.jobs == 1 || is_of_machines(program)) return;
  why_one_job_ = why_one_job(program, request);
  if (why_one_job_.empty()) jobs_ = request.jobs;
}

void Search::ask_for(Request& asked) const {
  asked = request_;
  asked.suppressed_kinds = suppressions_.kinds();
  const bool has_threads = !program_.is_cluster() && !is_of_machines(program_);
  asked.has_unseen_code = has_threads && !uninstrumented_code(program_.path).empty();
  find_names(program_, asked);
  if (sets_ != nullptr) give_sets(asked, *places_, *sets_);
}

Search::~Search() = default;

void Search::begin_with(const Schedule& schedule) {
  shared_->request.assign(schedule, [](const auto& list) { return to_shared(list); });
}

void Search::keep_in(Checkpoint& file) {
  checkpoint_ = &file;
  if (jobs_ > 1) why_one_job_ = "what is kept in a file is the search of one process";
  jobs_ = 1;
  file.share(*places_);
  shared_->keeping.is_on = true;
  shared_->keeping.resumed = to_shared(std::span<const char>(file.resumed()));
}

SearchResult Search::run(const ShowProgress& progress) {
  shared_.attach();
  mark_rejected();
  Supervised supervised = supervise_all(progress);
  if (checkpoint_ != nullptr) checkpoint_->finish(shared_.control(), seconds_of(supervised));
  can_go_on_ = jobs_ == 1 && would_go_on(supervised);
  SearchResult result = result_of(std::move(supervised));
  shared_.detach();
  return result;
}

void Search::mark_rejected() {
  std::size_t number = 0;
  for (FoundBug* bug = shared_->first_bug; bug != nullptr; bug = bug->next, ++number) {
    const bool is_rejected =
        std::find(rejected_.begin(), rejected_.end(), number) != rejected_.end();
    if (!is_rejected || std::exchange(bug->is_rejected, true)) continue;
    --shared_->bug_count;
    shared_->begins_anew = true;
  }
}

Supervised Search::supervise_all(const ShowProgress& progress) {
  if (jobs_ > 1) return supervise_jobs(progress);
  const bool has_limit = request_.max_seconds > 0;
  if (shared_->status != Status::idle) shared_->status = Status::running;
  return supervise_workers(shared_, input_, has_limit ? request_.max_seconds - shared_->seconds : 0,
                           progress);
}

Supervised Search::supervise_jobs(const ShowProgress& progress) {
  JobsPlan plan;
  plan.jobs = jobs_;
  plan.max_seconds = request_.max_seconds;
  plan.progress = progress;
  Resources resources;
  resources.has_unseen_code = shared_->request.has_unseen_code;
  plan.make_strategy = [=, this] {
    return make_strategy(request_.strategy, request_.seed, resources);
  };
  plan.supervise = [this](SharedControl& shared) {
    ask_for(shared->request);
    shared->request.in_pieces = true;
    return supervise_workers(shared, ProgramInput::again(input_), 0, {});
  };
  JobsResult result = run_jobs(shared_, plan);
  if (!result.must_be_alone) return result.supervised;
  jobs_ = 1;
  why_one_job_ = "the program changes files, and two processes would get in each other's way";
  shared_.reset();
  ask_for(shared_->request);
  return supervise_all(progress);
}

Supervised Search::supervise_workers(SharedControl& shared, const ProgramInput& input,
                                     double max_seconds, const ShowProgress& progress) const {
  const NullDevice nowhere;
  Launch launch = launch_of(program_);
  launch.output = launch.error = nowhere.descriptor();
  Supervision supervision;
  supervision.max_seconds = max_seconds;
  supervision.grace_seconds = request_.hang_seconds + grace_beyond_hang_seconds;
  supervision.progress = progress;
  if (checkpoint_ != nullptr) {
    supervision.tick_ms = checkpoint_->tick_ms();
    supervision.tick = [&](Control& control, double seconds) {
      checkpoint_->look(control, std::max(seconds, control.seconds));
    };
  }
  supervision.answer = [&](Control& control) { places_->answer(control, suppressions_); };
  return supervise(shared, launch, input, supervision);
}

bool Search::would_go_on(const Supervised& supervised) const {
  const Control& control = shared_.control();
  const bool has_time = request_.max_seconds <= 0 || control.seconds < request_.max_seconds;
  // With keep_going a search that is stopped has come to a limit.
  const Status end = request_.keep_going ? Status::finished : Status::stopped;
  return supervised.ending == Ending::done && !supervised.interrupted && !control.stop &&
         !control.ends_soon && control.status == end && has_time;
}

SearchResult Search::result_of(Supervised supervised) {
  const std::string build_id = build_of(program_);
  const Control& control = shared_.control();
  SearchResult result;
  result.status = control.status;
  result.error = control.error;
  result.not_modelled = control.not_modelled;
  result.late_libraries = control.late_libraries;
  result.size_before = control.size_before;
  result.size_now = control.size_now;
  for (const FoundBug* bug = control.first_bug;
       bug != nullptr && result.bugs.size() < saved_bugs_limit; bug = bug->next) {
    result.bugs.push_back(schedule_of(program_, build_id, request_, *bug));
  }
  result.sets = take_sets(control, *places_, sets_);
  if (result.sets) result.sets->program = fs::path(program_.path).filename();
  result.summary = summary_of(supervised);
  if (result.sets) result.summary.learned = learned_summary(*result.sets);
  result.supervised = std::move(supervised);
  return result;
}

// Without what was searched on another day.
double Search::seconds_of(const Supervised& supervised) const {
  const double seconds = shared_.control().seconds;
  return seconds > 0 ? seconds : supervised.seconds;
}

RunSummary Search::summary_of(const Supervised& supervised) const {
  const Control& control = shared_.control();
  RunSummary summary;
  static_cast<SearchFigures&>(summary) = control;
  summary.world = control.world_kind;
  summary.program = program_.typed;
  summary.arguments = program_.arguments;
  summary.options = request_;
  summary.seconds = seconds_of(supervised);
  if (checkpoint_ != nullptr) summary.seconds += checkpoint_->seconds_before();
  summary.interrupted = supervised.interrupted;
  summary.coverage = control.coverage;
  summary.notes = notes(supervised);
  if (supervised.ending == Ending::gave_up) summary.error = supervised.message;
  summary.strata.assign(control.strata, control.strata + control.stratum_count);
  for (const IgnoredFinding* finding = control.first_ignored; finding != nullptr;
       finding = finding->next) {
    summary.ignored.push_back(ignored_summary(*finding, control, program_));
    if (finding->suppression == 0) continue;
    summary.ignored.back().suppression = suppressions_.all()[finding->suppression - 1].text;
  }
  for (const Suppression& each : suppressions_.all()) {
    summary.suppressions.push_back(suppression_summary(each, summary.ignored));
  }
  return summary;
}

std::vector<std::string> Search::notes(const Supervised& supervised) const {
  const Control& control = shared_.control();
  std::vector<std::string> notes = lines_of(control.note);
  if (places_->lacks_lines()) {
    notes.emplace_back(
        "some code has no debug information: its statements are symbols and offsets, which "
        "another build moves; compile with -g");
  }
  if (!why_one_job_.empty()) notes.push_back("one process has searched: " + why_one_job_);
  if (supervised.was_thinking) {
    notes.emplace_back(
        "the time was up while the search was working out what to do next; it was ended there, "
        "and what it had learned is lost");
  }
  if (checkpoint_ != nullptr && !checkpoint_->note().empty()) {
    notes.push_back(checkpoint_->note());
  }
  return notes;
}

}  // namespace ricercar::inline cli
