#include "search/worker.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include "base/distinct.h"
#include "base/error.h"
#include "base/search_heap.h"
#include "model/trace_hash.h"
#include "search/execution_setup.h"
#include "search/found_bugs.h"
#include "search/late_libraries.h"
#include "search/livelock_probe.h"
#include "search/lost_execution.h"
#include "search/own_priority.h"
#include "search/passed_findings.h"
#include "search/place_question.h"
#include "search/process_facts.h"
#include "search/runtime.h"
#include "search/strata.h"
#include "search/watchdog.h"
#include "strategy/delaying/own_explorers.h"
#include "strategy/registry.h"
#include "threads/calls.h"
#include "threads/cancel.h"
#include "threads/changed_names.h"
#include "threads/execution.h"
#include "threads/keys.h"
#include "threads/memory/external_state.h"
#include "threads/memory/heap_hooks.h"
#include "threads/memory/not_modelled.h"
#include "threads/named.h"
#include "threads/process.h"
#include "threads/real.h"
#include "threads/signals.h"
#include "threads/time_stamp.h"

namespace ricercar {

namespace {

Control* control_block = nullptr;

// What a worker leaves to its successor, in the shared heap.
struct SearchState {
  std::unique_ptr<Strategy> strategy;
  DistinctCounter traces;
  std::unique_ptr<CallContexts> contexts;  // of findings that may be suppressed
  WordSet shared_memory;                   // Points::shared: what is known to be
  bool key_points = false;                 // see threads/keys.h
};

template <std::size_t size>
void copy_text(char (&to)[size], const std::string& from) {
  std::strncpy(to, from.c_str(), size - 1);
  to[size - 1] = 0;
}

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
  const Trace trace = execution.trace();
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

std::string explained(const std::exception& error) {
  const bool did_not_repeat = dynamic_cast<const Nondeterminism*>(&error) != nullptr;
  return error.what() + (did_not_repeat ? where_it_stands() : std::string());
}

class Worker {
 public:
  Worker(Control& control, const Subject& program)
      : control_(control), program_(program), findings_(control) {}

  bool run();

 private:
  enum class Next { go_on, over, new_worker };

  bool prepare();
  Next loop();
  Next forked_iteration();
  template <typename Work>
  Next in_child(Work work);
  static void become_child(long parent);
  Next after_child(int status);
  Next iteration();
  bool saw_another_world();
  Next learn(const Outcome& outcome);
  Next over(Status status);
  Next probe_for_livelock();
  std::optional<Circle> look_for_circle(Trace trace);
  Next probe(const Circle& circle);
  bool limit_reached();
  Next close_lost_execution(ProcessEnd end);
  void learn_from_lost(const Outcome& outcome);
  void report_leak();
  bool report(const Outcome& outcome, Trace trace, std::uint64_t passed);
  bool report_end(const Outcome& outcome);
  CallContexts* contexts();
  void update_coverage();
  SearchState& state() { return *static_cast<SearchState*>(control_.search); }
  // Asked for each time: with a fork for each execution a child may have made another one.
  Strategy& strategy() { return *state().strategy; }
  Next failed(const std::string& message);
  std::unique_ptr<Strategy> new_strategy() const;
  bool learn_points();
  void begin_again();
  void replace_strategy();
  void tell_contexts(Trace left);
  const Outcome& execute(Strategy& strategy) {
    program_.restart();
    return run_once(strategy);
  }
  // After a restart.
  const Outcome& run_once(Strategy& strategy) {
    control_.key_points = state().key_points;
    set_key_points(control_.key_points);
    return run_execution(program_, control_.request.seed, strategy);
  }

  Control& control_;
  const Subject& program_;
  SearchFindings findings_;
  std::uint64_t shortest_ = ~std::uint64_t{0};  // steps of the shortest execution so far
  std::uint64_t looked_at_ = 0;                 // steps in which a circle was looked for
  std::uint64_t probes_ = 0;
  CircleFinder circles_;
  TraceHash hash_;
  std::vector<AddressRange> functions_;  // that priorities name
  std::vector<AddressRange> variables_;
  std::vector<ContextId> left_contexts_;
};

Worker::Next Worker::failed(const std::string& message) {
  copy_text(control_.error, message);
  return over(Status::failed);
}

Worker::Next Worker::over(Status status) {
  update_coverage();
  control_.status = status;
  return Next::over;
}

void Worker::update_coverage() {
  if (control_.search == nullptr) return;
  const auto* learns = strategy().as<LearnsContexts>();
  control_.sets = learns != nullptr ? &learns->sets() : nullptr;
  const Coverage coverage = strategy().coverage();
  control_.complete = coverage.complete && control_.truncated == 0 && control_.lost == 0;
  std::string text = coverage.text;
  if (control_.truncated != 0) {
    text += "; " + std::to_string(control_.truncated) + " executions were cut at the step limit";
  }
  if (control_.lost != 0) {
    text += "; " + std::to_string(control_.lost) +
            " executions ended with their process, and what could follow from them is not explored";
  }
  copy_text(control_.coverage, text);
  copy_text(control_.progress, progress_of(strategy()));
  note_strata(control_, strategy());
  if (control_.request.count_traces) control_.distinct_traces = state().traces.estimate();
}

// Names were found in the file, and the program is loaded somewhere.
std::vector<AddressRange> loaded(const Array<AddressRange>& ranges) {
  std::vector<AddressRange> result(ranges.begin(), ranges.end());
  const std::uint64_t base = own_load_address();
  for (AddressRange& range : result) range = {range.low + base, range.high + base};
  return result;
}

bool Worker::prepare() {
  functions_ = loaded(control_.request.functions);
  variables_ = loaded(control_.request.variables);
  own_explorer_process = static_cast<std::uint64_t>(system_call(SYS_getpid));
  set_named_functions(functions_);
  ask_tool_for_places();
  if (control_.search != nullptr) return true;
  try {
    std::unique_ptr<Strategy> strategy = new_strategy();
    SharedAllocation shared;
    auto state = std::make_unique<SearchState>();
    state->strategy = std::move(strategy);
    control_.search = state.release();
  } catch (const UsageError& error) {
    failed(error.what());
    return false;
  }
  return true;
}

template <typename T>
std::span<const T> as_span(const Array<T>& array) {
  return {array.data, array.size};
}

std::unique_ptr<Strategy> Worker::new_strategy() const {
  const std::vector<OwnPriority> own = own_priorities();
  const std::vector<OwnExplorer> explorers = own_explorers();
  SharedAllocation shared;
  return make_strategy(
      control_.request.strategy, control_.request.seed,
      {control_.request.memory,
       control_.request.scratch_file,
       {functions_, variables_, own},
       {explorers},
       {as_span(control_.request.learned_places), as_span(control_.request.learned_ends),
        as_span(control_.request.learned_pairs)}});
}

// True: executions have more choice points from now on than they had.
bool Worker::learn_points() {
  const bool has_key_points = key_uses_matter();
  if (has_key_points) state().key_points = true;
  return execution.sharing().learn() || has_key_points;
}

// More memory is known to be shared, say: there are more choice points than in the executions so
// far.
void Worker::begin_again() {
  {
    SharedAllocation shared;
    if (auto* can = strategy().as<CanRestart>()) return can->restart();
  }
  replace_strategy();
}

void Worker::replace_strategy() {
  std::unique_ptr<Strategy> strategy = new_strategy();
  SharedAllocation shared;
  state().strategy = std::move(strategy);
  const auto learns = this->strategy().as<LearnsContexts>();
  call_contexts = learns != nullptr ? &learns->contexts() : nullptr;
}

void Worker::tell_contexts(Trace left) {
  left_contexts_.clear();
  for (const Step& step : left) left_contexts_.push_back(execution.context(step.task));
  if (auto* learns = strategy().as<LearnsContexts>()) {
    learns->called_from(execution.contexts(), left_contexts_);
  }
}

// Where calls came from is not known any more, and a strategy that needs it learns nothing.
void Worker::learn_from_lost(const Outcome& outcome) {
  if (std::exchange(control_.is_probe, false)) return;  // the strategy knows nothing of it
  SharedAllocation shared;
  const bool needs_calls = strategy().as<LearnsContexts>() != nullptr;
  strategy().end(needs_calls ? Trace{} : control_.open.trace(), outcome);
}

// The process that ran the execution ended in the middle of it. The execution counts, with the
// schedule that led there; what the other tasks would have done next is not known.
Worker::Next Worker::close_lost_execution(ProcessEnd end) {
  control_.execution_open = false;
  control_.end = {};
  if (end.way == ProcessEnd::stopped) return over(Status::stopped);
  const Outcome outcome = outcome_of(end, control_.request.hang_seconds);
  ++control_.executions;
  ++control_.lost;
  control_.steps += control_.open.step_count;
  try {
    learn_from_lost(outcome);
  } catch (const std::exception& error) {
    if (!outcome.is_bug() || control_.request.keep_going) return failed(error.what());
  }
  if (!outcome.is_bug()) return Next::go_on;
  if (findings_.is_left_out(outcome)) return Next::go_on;
  if (!is_known_bug(control_, outcome)) {
    const OpenTrace& open = control_.open;
    add_found_bug(control_, outcome, open.trace(), open.points(), open.passed);
  }
  return control_.request.keep_going ? Next::go_on : over(Status::stopped);
}

bool Worker::limit_reached() {
  const Request& request = control_.request;
  return control_.stop ||
         (request.max_executions != 0 && control_.executions >= request.max_executions);
}

void Worker::report_leak() {
  const Outcome leak = execution.leaked_thread();
  if (leak.is_bug()) report(leak, execution.trace(), execution.passed());
}

// True: the search is over.
bool Worker::report(const Outcome& outcome, Trace trace, std::uint64_t passed) {
  if (findings_.is_left_out(outcome)) return false;
  if (!is_known_bug(control_, outcome)) {
    add_found_bug(control_, outcome, trace, execution.sharing().points(), passed);
  }
  return !control_.request.keep_going;
}

// What went wrong last, and a circle of owners that the execution went on without.
bool Worker::report_end(const Outcome& outcome) {
  const Execution::Circle& circle = execution.circle();
  const Trace trace = execution.trace();
  bool over = false;
  if (circle.steps != 0) over = report(circle.outcome, trace.first(circle.steps), circle.passed);
  if (execution.ended_in_circle() || !outcome.is_bug()) return over;
  return report(outcome, trace, execution.passed()) || over;
}

// An execution that is longer than another one may have gone in circles. Looking costs time: a
// small share of the steps is looked at, and few probes are made.
std::optional<Circle> Worker::look_for_circle(Trace trace) {
  constexpr std::uint64_t max_probes = 50;
  constexpr std::uint64_t share = 16;
  constexpr std::uint64_t always = 20000;
  const std::uint64_t length = trace.size();
  shortest_ = std::min(shortest_, length);
  if (length <= shortest_ + 4 || probes_ >= max_probes) return std::nullopt;
  if (looked_at_ > always && looked_at_ * share > control_.steps) return std::nullopt;
  looked_at_ += length;
  std::optional<Circle> circle = circles_.find(trace);
  if (circle) ++probes_;
  return circle;
}

Worker::Next Worker::probe_for_livelock() {
  if (control_.forks) return Next::go_on;  // the parent looks, and takes another child for it
  const std::optional<Circle> circle = look_for_circle(execution.trace());
  return circle ? probe(*circle) : Next::go_on;
}

Worker::Next Worker::probe(const Circle& circle) {
  LivelockProbe probe(circle);
  control_.execution_open = control_.is_probe = true;
  const Outcome& outcome = execute(probe);
  control_.execution_open = control_.is_probe = false;
  if (!execution.strategy_error().empty() || outcome.kind != OutcomeKind::livelock) {
    return Next::go_on;
  }
  const bool is_over = report(outcome, execution.trace(), execution.passed());
  return is_over ? over(Status::stopped) : Next::go_on;
}

// The first execution has made or removed files, and what it showed may not come again.
bool Worker::saw_another_world() {
  if (control_.executions != 1) return false;
  const std::string change = changed_name();
  if (change.empty()) return false;
  copy_text(control_.first_world, change);
  return true;
}

Worker::Next Worker::learn(const Outcome& outcome) {
  ++control_.executions;
  control_.most_tasks = std::max(control_.most_tasks, execution.task_count());
  note_late_libraries(control_);
  control_.steps += execution.trace().size();
  if (execution.reached_step_limit() && !outcome.is_bug()) ++control_.truncated;
  if (control_.request.count_traces) state().traces.add(hash_.of(execution.trace()));
  {
    const std::vector<Step> left = execution.left();
    SharedAllocation shared;
    try {
      auto* rest = strategy().as<WantsRest>();
      if (rest != nullptr && !left.empty()) rest->left(left);
      if (execution.options().contexts) tell_contexts(left);
      if (auto* heap = strategy().as<WantsHeap>()) heap->used_heap(execution.heap());
      strategy().end(execution.trace(), outcome);
    } catch (const std::exception& error) {
      // A bug that ends the search is worth more than what the strategy could have learned from it.
      if (!outcome.is_bug() || control_.request.keep_going) return failed(explained(error));
    }
  }
  control_.execution_open = false;
  if (learn_points()) begin_again();
  if (saw_another_world()) replace_strategy();
  if (execution.was_cut()) return Next::go_on;
  if (!outcome.is_bug()) {
    if (program_.whole && !execution.reached_step_limit()) report_leak();
    return probe_for_livelock();
  }
  if (report_end(outcome)) return over(Status::stopped);
  const bool broken = outcome.kind == OutcomeKind::crash || outcome.kind == OutcomeKind::hang ||
                      outcome.kind == OutcomeKind::use_after_free;
  return broken && program_.whole ? Next::new_worker : Next::go_on;
}

Worker::Next Worker::iteration() {
  if (limit_reached()) return over(Status::stopped);
  const bool forked = control_.forks;
  program_.restart();
  if (control_.forks && !forked) return Next::new_worker;  // what was before cannot be put back
  {
    SharedAllocation shared;
    bool more;
    try {
      more = strategy().begin();
    } catch (const std::exception& error) {
      return failed(explained(error));
    }
    if (!more) return over(Status::finished);
  }
  control_.execution_open = true;
  if (control_.executions == 0 && program_.whole) watch_names();
  const Outcome& outcome = run_once(strategy());
  if (!execution.strategy_error().empty()) {
    const std::string where = execution.was_nondeterministic() ? where_it_stands() : "";
    return failed(execution.strategy_error() + where);
  }
  if (execution.was_stopped()) {
    control_.execution_open = false;
    return over(Status::stopped);
  }
  const Next next = learn(outcome);
  if ((control_.executions & 255) == 0 && next == Next::go_on) update_coverage();
  return next;
}

// One iteration in a child. All that the search keeps is in shared memory, so the child's end loses
// nothing. The system call itself: glibc's fork would reclaim the stacks of the lenders.
template <typename Work>
Worker::Next Worker::in_child(Work work) {
  execution.prepare_lenders(control_.most_tasks);
  call_contexts = contexts();
  const long parent = system_call(SYS_getpid);
  const long child = system_call(SYS_fork);
  if (child < 0) {
    return failed(std::string("cannot fork: ") + std::strerror(static_cast<int>(-child)));
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
void Worker::become_child(long parent) {
  system_call(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
  if (system_call(SYS_getppid) != parent) system_call(SYS_exit_group, 0);
  own_explorer_process = static_cast<std::uint64_t>(system_call(SYS_getpid));
}

Worker::Next Worker::after_child(int status) {
  if (control_.status != Status::running) return Next::over;
  if (search_heap_is_busy()) return Next::new_worker;  // the search itself broke
  if (control_.execution_open) return close_lost_execution(end_of_process(status));
  if (!WIFEXITED(status)) return Next::new_worker;
  return static_cast<Next>(WEXITSTATUS(status)) == Next::over ? Next::over : Next::go_on;
}

Worker::Next Worker::forked_iteration() {
  const Next next = in_child([this] { return iteration(); });
  if (next != Next::go_on) return next;
  const std::optional<Circle> circle = look_for_circle(control_.open.trace());
  return circle ? in_child([&] { return probe(*circle); }) : Next::go_on;
}

Worker::Next Worker::loop() {
  Next next = Next::go_on;
  while (next == Next::go_on) {
    if (control_.forks) {
      next = forked_iteration();
    } else {
      next = iteration();
      if (control_.forks && next == Next::go_on) next = Next::new_worker;
    }
  }
  return next;
}

// Where steps are called from: the strategy wants to know, or suppressions.
CallContexts* Worker::contexts() {
  constexpr std::uint32_t depth = 32;
  if (auto* learns = strategy().as<LearnsContexts>()) return &learns->contexts();
  if (control_.request.suppressed_kinds == 0) return nullptr;
  const SharedAllocation shared;
  if (state().contexts == nullptr) state().contexts = std::make_unique<CallContexts>(depth);
  return state().contexts.get();
}

bool Worker::run() {
  control_block = &control_;
  control_.status = Status::running;
  if (!prepare()) return true;
  if (control_.request.force_fork) control_.forks = true;
  if (std::exchange(control_.begins_anew, false)) replace_strategy();
  ExecutionOptions options = options_of(control_.request, program_.whole);
  call_contexts = contexts();
  options.contexts = call_contexts != nullptr;
  if (program_.whole) options.open_trace = open_trace(control_);
  execution.configure(options);
  execution.sharing().learn_into(&state().shared_memory);
  const bool goes_on = strategy().as<WantsRest>() != nullptr;
  findings_.set_late_deadlocks(control_.request.keep_going && goes_on);
  execution.set_finding_filter(&findings_);
  heap_events_wanted = true;
  late_libraries_begin();
  watchdog_start(control_);
  trap_time_stamps();
  look_for_cancelling();
  look_for_signalling();
  const Next closed = control_.execution_open ? close_lost_execution(control_.end) : Next::go_on;
  const Next next = closed == Next::go_on ? loop() : closed;
  release_time_stamps();
  watchdog_stop();
  execution.set_finding_filter(nullptr);
  set_named_functions({});
  call_contexts = nullptr;
  return next != Next::new_worker;
}

}  // namespace

Control* current_control() { return control_block; }
void set_current_control(Control* control) { control_block = control; }

bool run_search(Control& control, const Subject& program) { return Worker(control, program).run(); }

void add_note(Control& control, const std::string& text) {
  const std::string before = control.note;
  copy_text(control.note, before.empty() ? text : before + "; " + text);
}

void needs_fork(const char* why) {
  Control* control = control_block != nullptr ? control_block : attached_control();
  if (control == nullptr || control->forks) return;
  control->forks = true;
  add_note(*control,
           std::string("each execution is a fork of its own, because the program ") + why);
}

// Forks of the program have written it down, too, where it is shared.
void not_modelled(const char* what, std::uint64_t site) {
  Control* control = control_block != nullptr ? control_block : attached_control();
  if (control == nullptr || std::strstr(control->not_modelled, what) != nullptr) return;
  std::string line = what;
  if (site != 0) line += ", at " + place_of(site);
  const std::size_t used = std::strlen(control->not_modelled);
  if (used + line.size() + 2 > sizeof control->not_modelled) return;
  std::strcpy(control->not_modelled + used, (line + "\n").c_str());
}

void stop_search_now(const char* message) {
  Control* control = control_block != nullptr ? control_block : attached_control();
  if (control != nullptr) {
    copy_text(control->error, message);
    control->status = Status::failed;
    system_call(SYS_exit_group, worker_done);
  }
  ::write(2, message, std::strlen(message));
  system_call(SYS_exit_group, 2);
  __builtin_unreachable();
}

}  // namespace ricercar
