#include "cli/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <thread>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "cli/launched.h"
#include "cli/learned_sets.h"
#include "cli/place_names.h"
#include "cli/pooled_search.h"
#include "model/shared_array.h"
#include "model/step_hash.h"
#include "nodes/cluster_notes.h"
#include "nodes/coordinator.h"
#include "pool/pool_pieces.h"
#include "report/executable.h"
#include "report/message_places.h"
#include "report/program_names.h"
#include "report/symbols.h"
#include "search/mailbox.h"
#include "search/schedule_of_bug.h"
#include "strategy/priority.h"
#include "strategy/registry.h"
#include "supervisor/gdb_script.h"

namespace ricercar::inline cli {
namespace {

namespace fs = std::filesystem;

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
  summary.message = with_source_lines(finding.outcome.message);
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

constexpr const char* needs_to_be_alone =
    "the program changes files or meets other processes, and two searches would get in each "
    "other's way";

WorldKind kind_of_world(const Program& program) {
  return program.is_cluster() ? WorldKind::nodes : world_of(program.path);
}

bool is_of_machines(const Program& program) {
  return kind_of_world(program) == WorldKind::machines;
}

// One that is asked what it offers.
std::unique_ptr<Strategy> strategy_to_ask(const Request& request) {
  Resources check;
  check.priorities.is_check = true;
  check.explorers.is_check = true;
  return make_strategy(request.strategy, request.seed, check);
}

// Why one process has to search a cluster; empty: there can be several.
std::string why_one_cluster(const Program& program, const Request& request) {
  const std::string name(strategy_info(request.strategy).name);
  const bool is_default = std::string_view(request.strategy) == default_strategy_of_nodes;
  const std::unique_ptr<Strategy> strategy = strategy_to_ask(request);
  auto* pieces = strategy->as<HasPieces>();
  // What one process knows of a cluster does not come back with single executions.
  if (is_default || pieces == nullptr || pieces->execution_plan() != nullptr)
    return fmt::format("the strategy {} cannot be shared out for nodes", name);
  if (read_cluster(program.path).clean_up.empty()) return {};
  return "what the clean-up command of the cluster does is not known, and two of them could get in "
         "each other's way";
}

// A system of machines can be searched by kernel threads of one process.
bool is_for_threads(const Program& program, const Request& request) {
  return is_of_machines(program) && strategy_to_ask(request)->as<HasPartners>() != nullptr;
}

// Of a strategy that can be shared out with other parameters.
std::string why_not_with_these(const Request& request) {
  for (const PriorityItem& item : priorities_in(request.strategy)) {
    const PriorityInfo* info = priority_info(item.name);
    if (info == nullptr)
      return fmt::format(" with the priority {}, which only the program knows", item.name);
    if (info->learns_statements) {
      return fmt::format(" with the priority {}, which learns from every execution", item.name);
    }
  }
  return priorities_in(request.strategy).empty() ? "" : " with measure=yes";
}

// Why one process has to search; empty: there can be several.
std::string why_one_job(const Program& program, const Request& request) {
  if (program.is_cluster()) return why_one_cluster(program, request);
  if (strategy_to_ask(request)->as<HasPieces>() != nullptr) return {};
  return fmt::format("the strategy {} cannot be shared out{}", strategy_info(request.strategy).name,
                     why_not_with_these(request));
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

Search::Search(const Program& program, const Request& request, const ProgramInput& input,
               const CoverageSets* sets, Suppressions suppressions)
    : program_(program),
      request_(request),
      input_(input),
      sets_(sets),
      suppressions_(std::move(suppressions)),
      places_(std::make_unique<PlaceNames>(program.path)) {
  ask_for(shared_->request);
  if (request.jobs == 1 || is_for_threads(program, request)) return;
  // How much memory all processes of a cluster need is not known.
  if (program.is_cluster() && request.jobs == as_many_jobs_as_can_be) return;
  why_one_job_ = why_one_job(program, request);
  if (!why_one_job_.empty()) return;
  const auto strategy = strategy_to_ask(request);
  // Too many executions that count one by one are run ahead in vain: who wants that has to say so.
  const bool is_worth_it = strategy->as<HasPieces>()->execution_plan() == nullptr;
  has_small_pieces_ = strategy->as<HasPartners>() != nullptr;
  if (request.jobs != as_many_jobs_as_can_be) {
    jobs_ = request.jobs;
  } else {
    may_get_others_ = is_worth_it;
  }
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
  if (jobs_ > 1 || may_get_others_)
    why_one_job_ = "what is kept in a file is the search of one process";
  jobs_ = 1;
  may_get_others_ = false;
  file.share(*places_);
  shared_->keeping.is_on = true;
  shared_->keeping.resumed = to_shared(std::span<const char>(file.resumed()));
}

void Search::share_in(const PoolAddress& address, SayOfPool say) {
  why_one_job_ = why_one_job(program_, request_);
  say_ = std::move(say);
  if (why_one_job_.empty()) {
    pool_ = address;
  } else {
    connect_to_pool(address).be_left_alone(why_one_job_);
    say_(PoolNews::other, "this command searches alone: " + why_one_job_);
  }
}

SearchResult Search::run(const ShowProgress& progress) {
  shared_.attach();
  mark_rejected();
  Supervised supervised = supervise_all(progress);
  if (checkpoint_ != nullptr) checkpoint_->finish(shared_.control(), seconds_of(supervised));
  can_go_on_ = would_go_on(supervised);
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
  const bool goes_on = shared_->status != Status::idle;
  // What did not come again depends on more than the search.
  const bool is_shared = jobs_ > 1 || pool_;
  if (is_shared && goes_on) search_alone("what several have found was not deterministic");
  may_get_others_ = may_get_others_ && !goes_on;
  if (pool_) return supervise_pool(progress);
  if (jobs_ > 1) return supervise_jobs(progress);
  if (goes_on) shared_->status = Status::running;
  return supervise_one(progress);
}

Supervised Search::supervise_one(const ShowProgress& progress) {
  Supervision supervision;
  if (request_.max_seconds > 0) {
    constexpr double least = 0.01;  // 0 would be no limit
    supervision.max_seconds =
        std::max(least, request_.max_seconds - seconds_before_ - shared_->seconds);
  }
  supervision.progress = progress;
  if (may_get_others_) {
    mailbox_of_worker().is_alone = false;
    supervision.is_enough = [this](const Control& control, double seconds, pid_t worker) {
      return may_get_others_ && gets_others(control, seconds, worker);
    };
  }
  const Supervised supervised = supervise_workers(shared_, input_, supervision);
  if (!supervised.was_enough) return supervised;
  seconds_before_ = supervised.seconds;
  shared_.reset();
  ask_for(shared_->request);
  return supervise_jobs(progress);
}

// One process has searched for so long.
bool Search::is_worth_sharing(const Control& control, double seconds) const {
  constexpr double least_seconds = 1;
  constexpr std::uint64_t least_executions = 64;
  const bool has_time = request_.max_seconds <= 0 || 4 * seconds <= request_.max_seconds;
  const bool has_executions =
      request_.max_executions == 0 || 2 * control.executions <= request_.max_executions;
  // To hand out a piece takes as long as some dozens of short executions.
  constexpr double fast = 5000;  // executions a second
  const bool is_slow = static_cast<double>(control.executions) < fast * seconds;
  return seconds >= least_seconds && control.executions >= least_executions && has_time &&
         has_executions && (is_slow || !has_small_pieces_);
}

// Whether the search begins anew, with several processes. It is asked once: who has not found room
// for others goes on.
bool Search::gets_others(const Control& control, double seconds, pid_t worker) {
  if (!is_worth_sharing(control, seconds)) return false;
  may_get_others_ = false;
  if (mailbox_of_worker().is_alone) {
    why_one_job_ = needs_to_be_alone;
    return false;
  }
  const std::uint32_t processors = std::max(1U, std::thread::hardware_concurrency());
  jobs_ = jobs_with_room(processors, worker);
  if (jobs_ == 1 && processors > 1) why_one_job_ = "there is no room for more";
  return jobs_ > 1;
}

JobsPlan Search::plan_for(std::uint32_t jobs) const {
  JobsPlan plan;
  plan.jobs = jobs;
  plan.world = kind_of_world(program_);
  Resources resources;
  resources.memory = request_.memory;
  resources.file = request_.scratch_file;
  resources.has_unseen_code = shared_->request.has_unseen_code;
  resources.explorers.is_check = resources.priorities.is_check = true;  // it decides nothing
  plan.make_strategy = [=, this] {
    return make_strategy(request_.strategy, request_.seed, resources);
  };
  plan.supervise = [this](SharedControl& shared, int processor) {
    ask_for(shared->request);
    shared->request.in_pieces = true;
    shared->request.processor = processor;
    return supervise_workers(shared, ProgramInput::again(input_), {});
  };
  return plan;
}

// Others may not touch the cluster meanwhile.
void Search::begin_to_share() {
  if (!program_.is_cluster()) return;
  cluster_ = std::make_unique<SharedCluster>(read_cluster(program_.path));
  copy_text(shared_->note, cluster_->note());
}

void Search::end_sharing(bool tells) {
  if (!program_.is_cluster()) return;
  if (tells) tell_of_cluster(shared_.control(), read_cluster(program_.path));
  why_not_copied_ = cluster_->why_not_copied();
  cluster_.reset();
}

Supervised Search::supervise_jobs(const ShowProgress& progress) {
  begin_to_share();
  JobsPlan plan = plan_for(jobs_);
  if (request_.max_seconds > 0) plan.max_seconds = request_.max_seconds - seconds_before_;
  if (progress) {
    plan.progress = [&](const Control& control, double seconds) {
      progress(control, seconds_before_ + seconds);
    };
  }
  JobsResult result = run_jobs(shared_, plan);
  end_sharing(!result.must_be_alone);
  result.supervised.seconds += std::exchange(seconds_before_, 0);
  shared_->seconds = result.supervised.seconds;
  return result.must_be_alone ? begin_alone(progress) : result.supervised;
}

Supervised Search::begin_alone(const ShowProgress& progress) {
  search_alone(why_alone());
  seconds_before_ = shared_->seconds;
  shared_.reset();
  ask_for(shared_->request);
  return supervise_all(progress);
}

std::string Search::why_alone() const {
  if (!program_.is_cluster()) return needs_to_be_alone;
  if (why_not_copied_.empty()) {
    return "the nodes change files outside of folders of their own, or meet other processes there, "
           "and two searches would get in each other's way";
  }
  return "the nodes change files or meet other processes, their folders cannot be copied (" +
         why_not_copied_ + "), and two searches would get in each other's way";
}

void Search::search_alone(std::string why) {
  jobs_ = 1;
  may_get_others_ = false;
  pool_.reset();
  why_one_job_ = std::move(why);
}

Supervised Search::supervise_pool(const ShowProgress& progress) {
  LeaderPlan plan;
  plan.address = *pool_;
  plan.facts = facts_of_search(program_, request_, suppressions_);
  plan.require_same = [this](const PoolFacts& there) {
    const PooledSearch pooled = pooled_search_from(there, pool_->text);
    require_same_search(there, program_, request_, suppressions_, pool_->text);
    request_.count_traces = pooled.request.count_traces;
  };
  plan.make_strategy = plan_for(1).make_strategy;
  plan.begin_anew = [this] {
    shared_.reset();
    shared_->world_kind = kind_of_world(program_);
    ask_for(shared_->request);
  };
  plan.max_seconds = request_.max_seconds;
  plan.say = say_;
  plan.progress = progress;
  Led led = lead_search(shared_, plan);
  if (program_.is_cluster() && !led.must_be_alone)
    tell_of_cluster(shared_.control(), read_cluster(program_.path));
  pool_notes_ = std::move(led.notes);
  if (led.stays) {
    pool_notes_.push_back(fmt::format(
        "the search stays in the pool {}: the same command goes on with it, and `ricercar pool "
        "remove {}` takes it out",
        pool_->text, pool_->text));
  }
  shared_->seconds = led.supervised.seconds;
  return led.must_be_alone ? begin_alone(progress) : led.supervised;
}

Worked Search::work(WorkerLink& link, std::uint32_t jobs) {
  begin_to_share();
  PoolPieces pieces(link, shared_.control(), jobs);
  const JobsResult result = run_jobs(shared_, plan_for(jobs), pieces);
  end_sharing(false);
  if (result.must_be_alone) link.tell("alone", "");
  link.flush();
  return {result.supervised, pieces.pieces_done(), shared_->executions};
}

Supervised Search::supervise_workers(SharedControl& shared, const ProgramInput& input,
                                     Supervision supervision) const {
  const NullDevice nowhere;
  Launch launch = launch_of(program_);
  if (cluster_ != nullptr) {
    const std::vector<std::string> copies = cluster_->copies();
    launch.arguments.insert(launch.arguments.end(), copies.begin(), copies.end());
  }
  launch.output = launch.error = nowhere.descriptor();
  supervision.grace_seconds = request_.hang_seconds + grace_beyond_hang_seconds;
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
  result.last_chance = control.last_chance;
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

// Whoever did not ask for several wants to know it of a long search, unless it is always so.
bool Search::tells_why_one_job(const Supervised& supervised) const {
  constexpr double long_seconds = 10;
  const bool asked_for_others = say_ != nullptr || request_.jobs != as_many_jobs_as_can_be;
  if (why_one_job_.empty() || asked_for_others) return !why_one_job_.empty();
  const bool is_always_so = program_.is_cluster() || checkpoint_ != nullptr;
  return !is_always_so && seconds_of(supervised) >= long_seconds;
}

std::vector<std::string> Search::notes(const Supervised& supervised) const {
  const Control& control = shared_.control();
  std::vector<std::string> notes = lines_of(control.note);
  if (places_->lacks_lines()) {
    notes.emplace_back(
        "some code has no debug information: its statements are symbols and offsets, which "
        "another build moves; compile with -g");
  }
  notes.insert(notes.end(), pool_notes_.begin(), pool_notes_.end());
  if (tells_why_one_job(supervised)) {
    notes.push_back("one process has searched: " + why_one_job_);
  }
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
