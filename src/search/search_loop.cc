#include "search/search_loop.h"

#include <algorithm>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "search/control.h"
#include "search/coverage_text.h"
#include "search/found_bugs.h"
#include "strategy/strategy.h"

namespace ricercar::inline search {
namespace {

constexpr double update_seconds = 0.1;
constexpr std::uint64_t update_executions = 64;  // before the clock is looked at

}  // namespace

std::optional<SharedAllocation> SearchLoop::strategy_memory() const {
  if (!shares_strategy_) return std::nullopt;
  return std::optional<SharedAllocation>(std::in_place);
}

// Where an execution may bring the process down there is one kernel thread, and locks are the
// program's.
std::unique_lock<std::mutex> SearchLoop::lock() {
  return shares_strategy_ ? std::unique_lock<std::mutex>() : std::unique_lock(mutex_);
}

bool SearchLoop::run(World& world) {
  world_ = &world;
  shares_strategy_ = world.shares_strategy();
  control_.status = Status::running;
  if (!prepare()) {
    publish();
    return true;
  }
  world_->serve(strategy());
  world_->begin_search();
  if (is_of_runs()) {
    world_->look_for(ProbeTask::from(state().probes));
    PieceWork(control_, *world_).note_renewal();
  }
  const std::optional<LostExecution> lost = world_->lost();
  Next next = lost ? close_lost_execution(*lost) : Next::go_on;
  if (control_.request.in_pieces) {
    next = run_pieces(next);
  } else if (next == Next::go_on) {
    next = run_executions();
  }
  if (next == Next::over && control_.keeping.is_on) keep();
  world_->end_search();
  if (next == Next::over && control_.status == Status::running) publish();
  return next != Next::new_worker;
}

void SearchLoop::forget() {
  delete static_cast<SearchState*>(std::exchange(control_.search, nullptr));
}

Next SearchLoop::run_executions() {
  try {
    return run_with_partners() ? Next::over : run_alone();
  } catch (const std::exception& error) {
    return fail(error.what());
  }
}

// True: there is a strategy, new or from the process before.
bool SearchLoop::prepare() {
  const bool begins_anew = std::exchange(control_.begins_anew, false);
  if (control_.search != nullptr && !begins_anew) return true;
  try {
    std::unique_ptr<Strategy> strategy = new_strategy();
    const auto memory = strategy_memory();
    if (control_.search == nullptr) control_.search = std::make_unique<SearchState>().release();
    state().strategy = std::move(strategy);
    state().is_open = state().has_ended = false;
    if (control_.keeping.is_on) resume_or_refuse();
  } catch (const std::exception& error) {
    fail(error.what());
    return false;
  }
  return true;
}

std::unique_ptr<Strategy> SearchLoop::new_strategy() {
  if (!control_.request.variants.is_asked_for()) return world_->new_strategy();
  const auto memory = strategy_memory();
  return make_variant_search(control_);
}

// --- To go on in another process ---

void SearchLoop::resume_or_refuse() {
  const std::string problem = why_not_kept(control_, strategy(), *world_);
  if (!problem.empty()) throw UsageError(problem);
  if (control_.keeping.resumed.size != 0) resume_search(control_, state(), *world_);
}

// In the middle of an execution nothing can be kept; what was kept before is still good.
void SearchLoop::keep() {
  if (!state().is_open) keep_search(control_, state(), *world_);
  control_.keeping.is_wanted = false;
}

// --- Many kernel threads ---

// Which states are known when a limit of executions is reached would depend on who was faster.
bool SearchLoop::must_be_alone() {
  if (control_.request.in_pieces) return true;
  if (control_.keeping.is_on) return true;  // an execution of another thread may be running
  return control_.request.max_executions != 0 && strategy().as<KnowsStates>() != nullptr;
}

// False: the strategy or the world works alone, and nothing was done.
bool SearchLoop::run_with_partners() {
  if (must_be_alone()) return false;
  auto* offers = strategy().as<HasPartners>();
  std::vector<std::unique_ptr<Strategy>> partners;
  std::vector<std::unique_ptr<World>> worlds;
  while (offers != nullptr && partners.size() + 1 < control_.request.cores) {
    std::unique_ptr<World> world = world_->another();
    if (world == nullptr) break;
    std::unique_ptr<Strategy> partner = offers->partner();
    if (partner == nullptr) break;
    worlds.push_back(std::move(world));
    partners.push_back(std::move(partner));
  }
  if (partners.empty()) return false;
  has_partners_ = true;
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < partners.size(); ++i) {
    threads.emplace_back([&, i] {
      worlds[i]->begin_search();
      work(*worlds[i], *partners[i]);
      worlds[i]->end_search();
    });
  }
  work(*world_, strategy());
  for (std::thread& thread : threads) thread.join();
  has_partners_ = false;
  return true;
}

void SearchLoop::work(World& world, Strategy& strategy) {
  while (iteration(world, strategy) == Next::go_on) continue;
  strategy.as<HasPartners>()->leave();
}

// Does it here, or in a child. Inline: the way back from an execution is not predicted, and each
// call on it costs.
template <typename Work>
[[gnu::always_inline]] inline Next SearchLoop::in_place(Work work) {
  if (control_.forks) return world_->in_child(work);
  const Next next = work();
  return next == Next::go_on && control_.forks ? Next::new_worker : next;
}

Next SearchLoop::run_alone() {
  Next next = Next::go_on;
  while (next == Next::go_on) {
    if (control_.keeping.is_wanted) [[unlikely]]
      keep();
    wants_probe_ = true;
    next = in_place([this] { return iteration(*world_, strategy()); });
    // The child has forgotten it in its own memory only.
    if (std::exchange(control_.begins_piece, false) && control_.forks)
      world_->begin_piece(strategy().as<HasPieces>()->is_first_piece());
    if (is_of_runs()) {
      if (wants_circles(next)) next = look_for_circles(next);
    } else if (next == Next::go_on && wants_probe_) {
      next = probe();
    }
    if (next == Next::lost) next = close_lost_execution(*world_->lost());
  }
  if (auto* partners = strategy().as<HasPartners>()) partners->leave();
  return next;
}

// Each piece is searched as if it were all there is. `next`: how the one goes on that the process
// before had begun.
Next SearchLoop::run_pieces(Next next) {
  PieceWork work(control_, *world_);
  while (control_.piece.is_taken || work.take()) {
    if (next == Next::go_on) next = run_executions();
    if (next != Next::over) return next;
    work.give();
    if (control_.stop || control_.status == Status::failed) return Next::over;
    if (!std::exchange(control_.piece.needs_process, false)) {
      is_over_ = false;
      next = Next::go_on;
    } else if (work.take()) {
      return Next::new_worker;
    }
  }
  return finish(Status::stopped);
}

// --- One execution ---

Next SearchLoop::iteration(World& world, Strategy& strategy) {
  if (!may_go_on()) return Next::over;
  if (!world.restore()) return Next::new_worker;
  try {
    if (!begin(world, strategy)) return has_partners_ ? Next::over : finish(Status::finished);
    const ExecutionEnd end = world.run(strategy);
    if (end.has_error) return fail(world.error());
    return learn(world, strategy, end);
  } catch (const std::exception& error) {
    return fail(world.explain(error));
  }
}

// False: nothing is left to explore; but partners may still be at work.
bool SearchLoop::begin(World& world, Strategy& strategy) {
  {
    const auto memory = strategy_memory();
    const bool has_begun = strategy.begin();
    if (control_.keeping.is_on) state().is_open = has_begun;
    if (!has_begun) return false;
  }
  if (is_of_runs()) PieceWork(control_, world).begin_run();
  const auto* pieces = strategy.as<HasPieces>();
  if (pieces != nullptr && pieces->begins_piece()) {
    control_.begins_piece = true;
    world.begin_piece(pieces->is_first_piece());
  }
  return true;
}

Next SearchLoop::learn(World& world, Strategy& strategy, const ExecutionEnd& end) {
  if (end.was_stopped) {
    control_.execution_open = false;
    return finish(Status::stopped);
  }
  std::string error;
  teach(world, strategy, end, error);
  const auto guard = lock();
  if (control_.keeping.is_on) state().is_open = !error.empty();
  if (!count(world, strategy, end)) return is_over_ ? Next::over : Next::go_on;
  if (!error.empty()) throw UsageError(error);
  control_.execution_open = false;
  follow(world.learned());
  wants_probe_ = end.wants_probe;
  const bool is_variant = variants() != nullptr && !end.reached_step_limit;
  const bool is_kept = end.has_findings || control_.request.records || is_variant;
  if (is_kept && !end.was_cut && report_all(world)) return finish_now(Status::stopped);
  if (control_.piece.has_learned) {
    control_.piece.needs_process = end.left_damage;
    return finish_now(Status::stopped);
  }
  const bool is_time = control_.executions % update_executions == 0;
  if (is_time && seconds() >= next_update_) update();
  return end.left_damage ? Next::new_worker : Next::go_on;
}

// `error`: what the strategy threw. A bug that ends the search is worth more than what the strategy
// could have learned from it.
void SearchLoop::teach(World& world, Strategy& strategy, const ExecutionEnd& end,
                       std::string& error) {
  auto* rest = strategy.as<WantsRest>();
  const bool learns_calls = strategy.as<LearnsContexts>() != nullptr;
  const bool knows_more = learns_calls || strategy.as<WantsHeap>() != nullptr;
  std::vector<Step> left;
  if (rest != nullptr || learns_calls) left = world.left();
  try {
    const auto memory = strategy_memory();
    if (!left.empty() && rest != nullptr) rest->left(left);
    if (knows_more) world.teach(strategy, left);
    strategy.end(end.seen.empty() ? end.trace : end.seen, *end.outcome);
  } catch (const std::exception& thrown) {
    const bool ends_anyway = end.outcome->is_bug() && !control_.request.keep_going;
    if (!ends_anyway) error = world.explain(thrown);
  }
}

// False: the execution is no part of the result.
bool SearchLoop::count(World& world, Strategy& strategy, const ExecutionEnd& end) {
  auto* partners = strategy.as<HasPartners>();
  // Asked in any case: others wait for it.
  const bool counts = partners == nullptr || partners->counts();
  if (!counts || is_over_ || is_at_limit()) return false;
  ++control_.executions;
  control_.steps += end.trace.size();
  control_.transitions += end.transitions;
  control_.most_tasks = std::max(control_.most_tasks, end.tasks);
  control_.most_steps = std::max<std::uint64_t>(control_.most_steps, end.trace.size());
  if (end.reached_step_limit) ++control_.truncated;
  count_trace(world, strategy);
  return true;
}

// Of a search that samples, and that nobody else wants to know it of, the first ones, and then few:
// a hash takes as long as some steps.
void SearchLoop::count_trace(World& world, Strategy& strategy) {
  constexpr std::uint64_t first = 1 << 14;
  constexpr std::uint64_t every = 16;
  const bool wants_all = control_.request.count_traces;
  const bool samples = strategy.as<Samples>() != nullptr;
  const std::uint64_t number = number_of_sample(strategy);
  const bool is_in_turn = number <= first || number % every == 0;
  if (!wants_all && !(samples && is_in_turn)) return;
  const std::uint64_t hash = world.trace_hash();
  if (hash == 0) return;
  const auto memory = strategy_memory();
  if (is_of_runs()) return state().sampled_in_piece.push_back(hash);
  state().traces.add(hash);
  if (!samples) return;
  if (control_.piece.is_taken) {
    state().sampled_in_piece.push_back(hash);
  } else {
    state().sampled.add(hash);
  }
}

// Of the execution that was counted last, in the whole search.
std::uint64_t SearchLoop::number_of_sample(const Strategy& strategy) const {
  if (!control_.piece.is_taken) return control_.executions;
  const std::uint64_t before = strategy.as<HasPieces>()->samples_before();
  return before + control_.executions - control_.piece.before.executions;
}

void SearchLoop::follow(Change change) {
  if (change != Change::points || variants() != nullptr) return;
  control_.piece.has_learned = control_.piece.is_taken;
  if (!control_.piece.is_taken) begin_again();
}

// Executions have more choice points than those so far.
void SearchLoop::begin_again() {
  auto* can = strategy().as<CanRestart>();
  if (can == nullptr) return replace_strategy();
  const auto memory = strategy_memory();
  can->restart();
}

void SearchLoop::replace_strategy() {
  std::unique_ptr<Strategy> strategy = world_->new_strategy();
  {
    const auto memory = strategy_memory();
    state().strategy = std::move(strategy);
  }
  world_->serve(this->strategy());
}

// One that has taught something ends its piece.
bool SearchLoop::wants_circles(Next next) const {
  const bool goes_on = next == Next::go_on;
  return wants_probe_ && (goes_on || (next == Next::over && control_.piece.has_learned &&
                                      !control_.piece.found_end));
}

// Of a piece whose executions count one by one: who counts them says which circle is probed.
Next SearchLoop::look_for_circles(Next next) {
  PieceWork work(control_, *world_);
  work.note_circles();
  if (next != Next::go_on || ProbeTask::from(state().probes).wanted == 0) return next;
  work.begin_run();
  return probe();
}

Next SearchLoop::probe() {
  if (variants() != nullptr) return Next::go_on;
  const std::unique_ptr<Strategy> probe = world_->probe();
  if (probe == nullptr) return Next::go_on;
  return in_place([&] { return run_probe(*probe); });
}

Next SearchLoop::run_probe(Strategy& probe) {
  world_->restore();
  control_.is_probe = true;
  const ExecutionEnd end = world_->run(probe);
  control_.execution_open = control_.is_probe = false;
  const bool shows = !end.has_error && end.outcome->kind == OutcomeKind::livelock;
  return shows && report_all(*world_) ? finish(Status::stopped) : Next::go_on;
}

// --- What was found ---

// True: the search is over.
bool SearchLoop::report_all(World& world) {
  bool is_over = false;
  for (const Finding& finding : world.findings()) is_over = report(world, finding) || is_over;
  if (!is_over) return false;
  control_.piece.found_end = true;
  // Elsewhere what the search knows is lost with the process, and no bug brings that down.
  control_.piece.needs_process = shares_strategy_;
  return true;
}

bool SearchLoop::report(World& world, const Finding& finding) {
  if (variants() != nullptr) {
    judge(world, finding);
    return false;
  }
  if (world.leaves_out(finding.outcome)) return false;
  if (!is_known_bug(control_, finding.outcome)) {
    add_found_bug(control_, world.from_start(finding));
  }
  const bool ends = finding.ends_search && !control_.request.keep_going;
  if (ends) state().has_ended = true;
  return ends;
}

// Of a search among variants: the best one is what is found.
void SearchLoop::judge(World& world, const Finding& finding) {
  std::vector<std::uint64_t> places = world.places(finding);
  bool is_best;
  {
    const auto memory = strategy_memory();
    is_best = variants()->found(finding, {places.begin(), places.end()});
  }
  if (!is_best) return;
  control_.size_now = size_of(finding.trace);
  if (control_.bug_count == 0) control_.size_before = control_.size_now;
  replace_found_bugs(control_, finding);
}

// --- Executions that ended with their process ---

// The execution counts, with the schedule that led there; what the other tasks would have done next
// is not known.
Next SearchLoop::close_lost_execution(const LostExecution& lost) {
  if (lost.was_stopped) return finish(Status::stopped);
  const Outcome& outcome = lost.finding.outcome;
  ++control_.executions;
  ++control_.lost;
  if (variants() != nullptr) variants()->process_lost();
  control_.steps += lost.finding.trace.size();
  try {
    learn_from_lost(lost.finding);
  } catch (const std::exception& error) {
    if (!outcome.is_bug() || control_.request.keep_going) return fail(error.what());
  }
  if (!outcome.is_bug() || !report(*world_, lost.finding)) return Next::go_on;
  control_.piece.found_end = true;
  return finish(Status::stopped);
}

// Where calls came from is not known any more, and a strategy that needs it learns nothing.
void SearchLoop::learn_from_lost(const Finding& finding) {
  if (std::exchange(control_.is_probe, false)) return;  // the strategy knows nothing of it
  const auto memory = strategy_memory();
  const bool needs_calls = strategy().as<LearnsContexts>() != nullptr;
  strategy().end(needs_calls ? Trace{} : finding.trace, finding.outcome);
  state().is_open = false;
}

// --- The end ---

bool SearchLoop::may_go_on() {
  if (is_over_.load(std::memory_order_relaxed)) return false;
  const bool is_time = control_.stop || control_.ends_soon;
  const bool is_wanted = !control_.piece.is_taken || mailbox_of_worker().is_wanted;
  if (!is_time && !is_at_limit() && !state().has_ended && is_wanted) return true;
  finish(Status::stopped);
  return false;
}

void SearchLoop::keep_time() {
  const double limit = control_.request.max_seconds;
  if (!control_.stop && (limit <= 0 || seconds() < limit)) return;
  if (control_.keeping.is_on && !control_.stop) return control_.ask_to_stop();
  const std::lock_guard guard(mutex_);
  if (!is_over_.exchange(true)) status_ = Status::stopped;
}

Next SearchLoop::finish(Status status) {
  const auto guard = lock();
  return finish_now(status);
}

// Where there is one kernel thread the status is told at once: if this process is a child, its
// parent has to see it. So it is at the end of a piece, of which it is a part.
Next SearchLoop::finish_now(Status status) {
  if (is_over_.exchange(true)) return Next::over;
  status_ = status;
  if (shares_strategy_ || control_.piece.is_taken) publish();
  return Next::over;
}

Next SearchLoop::fail(const std::string& message) {
  const auto guard = lock();
  if (status_ != Status::failed) copy_text(control_.error, message);
  is_over_ = true;
  status_ = Status::failed;
  if (shares_strategy_ || control_.piece.is_taken) publish();
  return Next::over;
}

// What a piece has covered the tool puts together with the others.
void SearchLoop::publish() {
  if (!control_.piece.is_taken) update();
  control_.status = status_;
}

void SearchLoop::update() {
  next_update_ = seconds() + update_seconds;
  if (control_.search == nullptr) return;
  const auto* learns = strategy().as<LearnsContexts>();
  control_.sets = learns != nullptr ? &learns->sets() : nullptr;
  describe_coverage(control_, strategy());
  control_.distinct_traces = state().traces.estimate();
  note_samples(control_, state().sampled);
  if (variants() != nullptr) variants()->tell(control_.last_chance);
}

}  // namespace ricercar::inline search
