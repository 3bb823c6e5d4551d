#include "worker/threads_world.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <set>
#include <utility>

#include "base/bytes.h"
#include "base/error.h"
#include "base/kept.h"
#include "base/random.h"
#include "base/search_heap.h"
#include "base/system_call.h"
#include "base/text.h"
#include "search/decisions.h"
#include "search/lost_execution.h"
#include "search/place_question.h"
#include "search/process_facts.h"
#include "strategy/delaying/own_explorers.h"
#include "strategy/registry.h"
#include "threads/calls.h"
#include "threads/cancel.h"
#include "threads/execution.h"
#include "threads/instructions.h"
#include "threads/keys.h"
#include "threads/memory/heap_hooks.h"
#include "threads/named.h"
#include "threads/process.h"
#include "threads/signals.h"
#include "worker/execution_setup.h"
#include "worker/own_priority.h"
#include "worker/watchdog.h"

namespace ricercar::inline worker {
namespace {

std::string describe(const Step& step) {
  char object[32] = "";
  if (step.object != 0) {
    std::snprintf(object, sizeof object, " 0x%llx", static_cast<unsigned long long>(step.object));
  }
  std::string text = "T" + std::to_string(index(step.task)) + " " + info(step.kind).words + object;
  return step.site == 0 ? text : text + " at " + place_of(step.site);
}

// Where an execution stopped that did not do as before: what each thread did last, and would do
// now.
std::string where_it_stands() {
  const Trace trace = execution.steps.trace();
  const auto last =
      std::find_if(trace.rbegin(), trace.rend(), [](const Step& step) { return step.site != 0; });
  std::string text = last == trace.rend() ? "" : ". The last step now: " + describe(*last);
  const bool has_ended = !trace.empty() && trace.back().kind == OperationKind::exit;
  if (has_ended) return text + "; then the execution ended";
  const std::vector<Step> next = execution.left();
  for (const Step& step : next) {
    text += (&step == &next.front() ? ". The threads would go on so: " : ", ") + describe(step);
  }
  return text;
}

// Names were found in the file, and the program is loaded somewhere.
std::vector<AddressRange> loaded(const Array<AddressRange>& ranges) {
  std::vector<AddressRange> result(ranges.begin(), ranges.end());
  const std::uint64_t base = own_load_address();
  for (AddressRange& range : result) range = {range.low + base, range.high + base};
  return result;
}

template <typename T>
std::span<const T> as_span(const Array<T>& array) {
  return {array.data, array.size};
}

}  // namespace

ThreadsWorld::ThreadsWorld(Control& control, const Subject& program)
    : control_(control),
      program_(program),
      findings_(control),
      variant_findings_(control),
      functions_(loaded(control.request.functions)),
      variables_(loaded(control.request.variables)) {
  own_explorer_process = static_cast<std::uint64_t>(system_call(SYS_getpid));
  program_state.call_listeners.set_named_functions(functions_);
  ask_tool_for_places();
  if (control_.world != nullptr) return;
  const SharedAllocation shared;
  control_.world = std::make_unique<State>().release();
  state().key_points = control.request.key_points;
}

std::unique_ptr<Strategy> ThreadsWorld::new_strategy() {
  const Request& request = control_.request;
  const std::vector<OwnPriority> own = own_priorities();
  const std::vector<OwnExplorer> explorers = own_explorers();
  const SharedAllocation shared;
  std::unique_ptr<Strategy> strategy =
      make_strategy(request.strategy, request.seed,
                    {request.memory,
                     request.scratch_file,
                     {functions_, variables_, own},
                     {explorers},
                     {as_span(request.learned_places), as_span(request.learned_ends),
                      as_span(request.learned_pairs)},
                     {},
                     request.has_unseen_code});
  if (!request.goes_on) return strategy;
  return std::make_unique<PrefixedStrategy>(
      std::vector<std::uint16_t>(request.decisions.begin(), request.decisions.end()),
      std::move(strategy));
}

// Where steps are called from: the strategy wants to know, or suppressions, or whoever has to know
// a failure again.
CallContexts* ThreadsWorld::contexts() {
  constexpr std::uint32_t depth = 32;
  if (wanted_contexts_ != nullptr) return wanted_contexts_;
  if (control_.request.suppressed_kinds == 0 && !is_among_variants()) return nullptr;
  const SharedAllocation shared;
  if (state().contexts == nullptr) state().contexts = std::make_unique<CallContexts>(depth);
  return state().contexts.get();
}

void ThreadsWorld::serve(Strategy& strategy) {
  auto* learns = strategy.as<LearnsContexts>();
  wanted_contexts_ = learns != nullptr ? &learns->contexts() : nullptr;
  has_rest_ = strategy.as<WantsRest>() != nullptr;
  program_state.call_listeners.set_contexts(contexts());
  if (is_among_variants()) variant_findings_.serve(static_cast<const VariantSearch&>(strategy));
}

void ThreadsWorld::begin_search() {
  if (control_.request.force_fork) control_.forks = true;
  ExecutionOptions options = options_of(control_.request, program_.whole);
  options.contexts = program_state.call_listeners.contexts() != nullptr;
  if (program_.whole) options.open_trace = open_trace(control_);
  execution.configure(options);
  const bool from_races = control_.request.points == Points::racy;
  execution.accesses.sharing.learn_into(&state().shared_memory,
                                        from_races ? Sharing::From::races : Sharing::From::touches);
  findings_.set_late_deadlocks(control_.request.keep_going && has_rest_);
  execution.end.set_filter(&findings_);
  if (is_among_variants()) execution.end.set_filter(&variant_findings_);
  begin_watching(control_);
}

void ThreadsWorld::end_search() {
  release_time_stamps();
  watchdog_stop();
  execution.end.set_filter(nullptr);
  program_state.call_listeners.set_named_functions({});
  program_state.call_listeners.set_contexts(nullptr);
}

// --- Pieces of a search ---

void ThreadsWorld::begin_piece(bool is_first) {
  budget_ = {.steps_before = control_.steps, .is_first = is_first};
  circles_ = {};
}

std::string ThreadsWorld::knowledge() {
  ByteWriter writer;
  writer.plain(state().key_points);
  std::vector<LaneBits> words;
  state().shared_memory.for_each([&](const LaneBits& lane) { words.push_back(lane); });
  writer.list(std::span<const LaneBits>(words));
  return writer.take();
}

void ThreadsWorld::adopt(const std::string& knowledge) {
  const SharedAllocation shared;
  state().key_points = false;
  state().shared_memory = {};
  if (knowledge.empty()) return;
  ByteReader reader(knowledge);
  state().key_points = reader.plain<bool>();
  for (const LaneBits& lane : reader.list<LaneBits>()) state().shared_memory.insert(lane);
}

// --- One execution ---

// What was before a fork was needed cannot be put back.
bool ThreadsWorld::restore() {
  const bool forked = control_.forks;
  program_.restart();
  if (control_.forks && !forked) return false;
  return true;
}

inline ExecutionEnd ThreadsWorld::end_of(const Outcome& outcome) {
  ExecutionEnd end;
  end.outcome = &outcome;
  end.trace = execution.steps.trace();
  end.tasks = execution.tasks.count();
  end.reached_step_limit = execution.end.reached_step_limit() && !outcome.is_bug();
  end.was_cut = execution.end.was_cut();
  end.was_stopped = execution.end.was_stopped();
  end.has_error = !execution.scheduler().strategy_error().empty();
  end.has_findings = program_.whole || outcome.is_bug();
  end.left_damage = program_.whole && breaks_process(outcome.kind) && !end.was_cut;
  end.wants_probe =
      !end.was_cut && !outcome.is_bug() && (looks_for_.is_on || budget_.is_long(end.trace.size()));
  return end;
}

ExecutionEnd ThreadsWorld::run(Strategy& strategy) {
  control_.execution_open = true;
  control_.open.key_points = state().key_points;
  program_state.keys.set_points(control_.open.key_points);
  if (is_among_variants()) {
    set_points_of_variants();
    execution.tell_up_to(static_cast<const VariantSearch&>(strategy).told());
  }
  outcome_ = &run_execution(program_, strategy);
  return end_of(*outcome_);
}

std::vector<Step> ThreadsWorld::left() const { return execution.left(); }

std::string ThreadsWorld::error() const {
  return execution.scheduler().strategy_error() +
         (execution.scheduler().was_nondeterministic() ? where_it_stands() : "");
}

std::string ThreadsWorld::explain(const std::exception& error) const {
  const bool did_not_repeat = dynamic_cast<const Nondeterminism*>(&error) != nullptr;
  return error.what() + (did_not_repeat ? where_it_stands() : std::string());
}

void ThreadsWorld::teach(Strategy& strategy, Trace left) {
  if (auto* learns = strategy.as<LearnsContexts>()) {
    left_contexts_.clear();
    for (const Step& step : left) left_contexts_.push_back(execution.tasks[step.task].context);
    learns->called_from(std::span(execution.accesses.contexts).first(execution.steps.size()),
                        left_contexts_);
  }
  if (auto* heap = strategy.as<WantsHeap>()) heap->used_heap(execution.accesses.heap_uses.all());
}

Change ThreadsWorld::learned() {
  note_late_libraries(control_);
  if (std::exchange(execution.accesses.left_race, false)) control_.unfollowed_races = true;
  return learn_points() ? Change::points : Change::nothing;
}

// Variants have points where the recorded execution had them: at the same memory. Which that was
// its numbers of accesses tell when it is run again.
void ThreadsWorld::set_points_of_variants() {
  Sharing& sharing = execution.accesses.sharing;
  WordSet* known = &state().shared_memory;
  if (state().knows_points) return sharing.learn_into(known, Sharing::From::nothing);
  sharing.follow(as_span(control_.request.accesses), known);
}

// True: executions have more choice points from now on than they had.
bool ThreadsWorld::learn_points() {
  if (is_among_variants()) {
    if (!std::exchange(state().knows_points, true)) execution.accesses.sharing.learn();
    execution.accesses.sharing.forget_found();
    return false;
  }
  const bool has_key_points = program_state.keys.uses_matter();
  if (has_key_points) state().key_points = true;
  return execution.accesses.sharing.learn() || has_key_points;
}

std::uint64_t ThreadsWorld::trace_hash() { return hash_.of(execution.steps.trace()); }

// --- What was found ---

// What was found on the way, in the trace's beginning, has not made all of the accesses.
Finding ThreadsWorld::finding(const Outcome& outcome, Trace trace, std::uint64_t passed) const {
  const bool is_end = trace.size() == execution.steps.size();
  const std::uint64_t accesses = is_end ? execution.accesses.plain(execution.steps.open()) : 0;
  const bool goes_round = is_end && outcome.is_bug();
  const std::uint64_t round = goes_round ? execution.end.livelock_period() : 0;
  return {
      outcome,
      trace,
      execution.accesses.sharing.points(),
      {control_.open.key_points, passed, accesses, round, round != 0 ? execution.told().steps : 0}};
}

// A circle of owners that the execution went on without, and what went wrong last. If nothing did,
// a thread that ended and was not joined is worth a word; the search goes on.
std::vector<Finding> ThreadsWorld::findings() {
  std::vector<Finding> all;
  const EndOfExecution::Circle& circle = execution.end.circle();
  const Trace trace = execution.steps.trace();
  if (outcome_->is_bug()) {
    if (circle.steps != 0) {
      all.push_back(finding(circle.outcome, trace.first(circle.steps), circle.passed));
    }
    if (!execution.end.ended_in_circle())
      all.push_back(finding(*outcome_, trace, execution.end.passed()));
  } else if (program_.whole && !execution.end.reached_step_limit()) {
    const Outcome leak = leaked_thread(execution.tasks);
    if (leak.is_bug()) all.push_back(finding(leak, trace, execution.end.passed()));
    if (!all.empty()) all.back().ends_search = false;
  }
  const bool is_fine = all.empty() && is_among_variants();
  if (is_fine) all.push_back(finding(*outcome_, trace, execution.end.passed()));
  return all;
}

// Of a process that is gone all that is known is the last step.
std::vector<std::uint64_t> ThreadsWorld::places(const Finding& finding) {
  const OutcomeKind kind = finding.outcome.kind;
  const bool is_stuck = kind == OutcomeKind::deadlock || kind == OutcomeKind::livelock;
  if (finding.outcome.site == 0 && !is_stuck) {
    return {finding.trace.empty() ? 0 : finding.trace.back().site};
  }
  const SharedAllocation shared;
  if (finding.facts.round != 0) return places_of_round(finding.trace.last(finding.facts.round));
  return state().places.of(identifying_stacks_of(finding.outcome));
}

// One number for each thread: all places that it comes to in the round, or where it waits. So it is
// the same wherever in the round an execution ends.
std::vector<std::uint64_t> ThreadsWorld::places_of_round(Trace round) {
  std::vector<std::uint64_t> numbers;
  for (const FindingStacks& stacks : stacks_of_round(round)) {
    const std::vector<std::uint64_t>& places = state().places.of(stacks);
    const std::set<std::uint64_t> all(places.begin(), places.end());
    std::uint64_t number = all.size();
    for (const std::uint64_t place : all) number = mix64(number ^ place);
    numbers.push_back(number);
  }
  return numbers;
}

// --- Livelocks ---

Trace ThreadsWorld::last_trace() const {
  return control_.forks ? control_.open.trace() : execution.steps.trace();
}

void ThreadsWorld::look_for(ProbeTask task) { looks_for_ = std::move(task); }

// All that is long by what is known: who decides may know more executions, or fewer.
ProbeFacts ThreadsWorld::circles() {
  const Trace trace = last_trace();
  ProbeFacts facts{trace.size(), false, {}};
  budget_.shortest = std::min(budget_.shortest, looks_for_.shortest);
  facts.was_looked_at = budget_.is_long(trace.size()) && !looks_for_.is_over;
  if (!facts.was_looked_at) return facts;
  circles_.know(looks_for_.known);
  facts.circles = circles_.all(trace);
  return facts;
}

std::unique_ptr<Strategy> ThreadsWorld::probe() {
  const Trace trace = last_trace();
  std::optional<Circle> circle;
  if (looks_for_.is_on) {
    circle = circles_.find(trace, looks_for_.wanted);
  } else if (budget_.may_look(trace.size(), control_.steps)) {
    budget_.looked_at += trace.size();
    circle = circles_.find(trace);
  }
  if (!circle) return nullptr;
  ++budget_.probes;
  return std::make_unique<LivelockProbe>(std::move(*circle));
}

// --- What is kept ---

template <typename Archive>
void ThreadsWorld::pass_state(Archive& archive) {
  archive(state().shared_memory, state().key_points, budget_.shortest, budget_.looked_at,
          budget_.probes, circles_);
  archive(budget_.steps_before, budget_.is_first);
  bool has_contexts = state().contexts != nullptr;
  archive(has_contexts);
  if (has_contexts) archive(*contexts());
}

void ThreadsWorld::save(KeptOut& out) const { const_cast<ThreadsWorld*>(this)->pass_state(out); }

void ThreadsWorld::load(KeptIn& in) {
  const SharedAllocation shared;
  pass_state(in);
}

// --- Processes ---

// All that the search keeps is in shared memory, so the child's end loses nothing. The system call
// itself: glibc's fork would reclaim the stacks of the lenders.
Next ThreadsWorld::in_child(const std::function<Next()>& work) {
  execution.carriers.prepare_lenders(control_.most_tasks);
  program_state.call_listeners.set_contexts(contexts());
  const long parent = system_call(SYS_getpid);
  const long child = system_call(SYS_fork);
  if (child < 0) {
    throw UsageError(std::string("cannot fork: ") + std::strerror(static_cast<int>(-child)));
  }
  if (child == 0) {
    become_child(parent);
    watchdog_start(control_);
    const Next next = work();
    for (;;) system_call(SYS_exit_group, static_cast<long>(next));
  }
  int status = 0;
  while (system_call(SYS_wait4, child, reinterpret_cast<long>(&status)) == -EINTR) continue;
  return after_child(status);
}

// It must not outlive its parent, whom the tool may kill at any time.
void ThreadsWorld::become_child(long parent) {
  system_call(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
  if (system_call(SYS_getppid) != parent) system_call(SYS_exit_group, 0);
  own_explorer_process = static_cast<std::uint64_t>(system_call(SYS_getpid));
}

Next ThreadsWorld::after_child(int status) {
  if (control_.status != Status::running) return Next::over;
  if (search_heap_is_busy()) return Next::new_worker;  // the search itself broke
  if (control_.execution_open) {
    control_.end = end_of_process(status);
    return Next::lost;
  }
  if (!WIFEXITED(status)) return Next::new_worker;
  return static_cast<Next>(WEXITSTATUS(status)) == Next::over ? Next::over : Next::go_on;
}

std::optional<LostExecution> ThreadsWorld::lost() {
  if (!control_.execution_open) return std::nullopt;
  control_.execution_open = false;
  const ProcessEnd end = std::exchange(control_.end, {});
  const OpenTrace& open = control_.open;
  const Outcome outcome = outcome_of(end, control_.request.hang_seconds);
  return LostExecution{{outcome, open.trace(), open.points(), open},
                       end.way == ProcessEnd::stopped};
}

}  // namespace ricercar::inline worker
