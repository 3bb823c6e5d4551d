#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "cli/launched.h"
#include "cli/session.h"
#include "model/shared_array.h"
#include "model/step_hash.h"
#include "supervisor/gdb_script.h"

namespace ricercar::inline cli {
namespace {

// So often a replay is run again, for what the last one has found that is to be recorded.
constexpr int most_parts = 2;
constexpr std::uint64_t no_access = ~std::uint64_t{0};
constexpr double thinking_seconds = 1e9;  // a person thinks for as long as it takes

void fill_request(Request& request, const Schedule& schedule, const ReplayOptions& options) {
  static_cast<ScheduleOptions&>(request) = schedule;
  request.mode = Mode::replay;
  request.backend = options.backend;
  request.debugged = options.debugged;
  request.goes_on = options.goes_on;
  if (options.debugged.node != NodeUnderDebugger::none) request.hang_seconds = thinking_seconds;
  // To record everything takes longer than to run; a hang comes as soon as it did.
  const bool is_hang = schedule.kind == info(OutcomeKind::hang).name;
  if (!is_hang) request.hang_seconds *= recording_factor;
  request.max_executions = 1;
  request.check_number = schedule.check_number;
  request.assign(schedule, [](const auto& list) { return to_shared(list); });
}

}  // namespace

namespace {

// What a recording cannot hold need not be recorded.
std::uint64_t first_recorded(std::uint64_t plain_accesses) {
  return plain_accesses > Recording::most_accesses ? plain_accesses - Recording::most_accesses + 1
                                                   : 0;
}

}  // namespace

FinishedReplay::FinishedReplay(const Program& program, const Schedule& schedule,
                               const ProgramInput& input, const ReplayOptions& options)
    : program_(program), schedule_(schedule) {
  part_.first = options.is_explained ? first_recorded(schedule.plain_accesses) : no_access;
  run(input, options);
  if (recording() == nullptr && control().end.way != ProcessEnd::unknown) {
    run_to_lost_end(input, options);
  }
  for (int more = 0; more < most_parts && is_incomplete(options); ++more) {
    part_ = recording()->next_part;
    has_shown_bug_ = shows_the_bug();
    has_shown_trace_ = shows_the_same_trace();
    run_again(input, options);
  }
}

bool FinishedReplay::is_incomplete(const ReplayOptions& options) const {
  return options.is_explained && recording() != nullptr && recording()->next_part.first != 0;
}

void FinishedReplay::run(const ProgramInput& input, const ReplayOptions& options) {
  shared_.reset();
  shared_ = std::make_unique<SharedControl>();
  fill_request(shared_->control().request, schedule_, options);
  shared_->control().request.doom = doom_;
  shared_->control().request.part = part_;
  const NullDevice nowhere;
  Launch launch = launch_of(program_, options.node_output);
  launch.output = options.output == ReplayOptions::pass_on ? STDOUT_FILENO : nowhere.descriptor();
  launch.error = options.output == ReplayOptions::pass_on ? STDERR_FILENO : nowhere.descriptor();
  Supervision supervision;
  supervision.capture = options.output == ReplayOptions::capture;
  supervision.max_seconds = options.max_seconds;
  supervision.grace_seconds = schedule_.hang_seconds + grace_beyond_hang_seconds;
  supervised_ = supervise(*shared_, launch, input, supervision);
}

// The process was gone before it could tell. Once more, up to the step in which that happened.
void FinishedReplay::run_to_lost_end(const ProgramInput& input, const ReplayOptions& options) {
  doom_ = {control().end, control().open.step_count};
  lost_hash_ = hash_of(control().open.trace());
  run_again(input, options);
}

// What the program printed the first time was all of it.
void FinishedReplay::run_again(const ProgramInput& input, const ReplayOptions& options) {
  const Supervised first = supervised_;
  ReplayOptions silent = options;
  silent.output = ReplayOptions::discard;
  run(input, silent);
  supervised_.seconds += first.seconds;
  supervised_.output = first.output;
  supervised_.output_is_cut = first.output_is_cut;
}

bool FinishedReplay::shows_the_bug() const {
  if (recording() == nullptr) return has_shown_bug_;
  return shows_the_same_kind() && !recording()->divergence.diverged;
}

bool FinishedReplay::shows_the_same_kind() const {
  return recording() != nullptr && info(recording()->outcome.kind).name == schedule_.kind;
}

bool FinishedReplay::shows_the_same_trace() const {
  if (recording() == nullptr) return has_shown_trace_;
  const std::uint64_t hash = lost_hash_.value_or(recording()->trace_hash);
  return shows_the_same_kind() && hash == schedule_.trace_hash;
}

namespace {

// Whoever runs next has the terminal again.
void take_terminal_back() {
  ::signal(SIGTTOU, SIG_IGN);
  if (::isatty(STDIN_FILENO) != 0) ::tcsetpgrp(STDIN_FILENO, ::getpgrp());
}

// Run once before, to know when the node has its last turn.
RecordedMachine ending_of(const Program& program, const Schedule& schedule, std::uint32_t node) {
  const NullDevice nowhere;
  const ProgramInput nothing = ProgramInput::as_it_is(nowhere.descriptor());
  const FinishedReplay known(program, schedule, nothing, {});
  const Recording* recording = known.recording();
  if (recording == nullptr || !known.shows_the_same_trace()) {
    throw UsageError("the schedule does not do the same again, so there is nothing to stop at");
  }
  return recording->machines[node];
}

}  // namespace

// Real threads can be told apart by gdb, but are there for one life of the node only.
void debug_node(const Program& program, const Schedule& schedule, std::uint32_t node,
                std::uint64_t hand_over) {
  const RecordedMachine known = ending_of(program, schedule, node);
  ReplayOptions options;
  options.output = ReplayOptions::pass_on;
  options.backend = known.restarts == 0 ? Backend::threads : Backend::fibers;
  options.debugged = hand_over == 0 ? NodeUnderDebugger{node, known.turns, 0}
                                    : NodeUnderDebugger{node, 0, hand_over};
  const FinishedReplay replay(program, schedule, ProgramInput::as_it_is(STDIN_FILENO), options);
  take_terminal_back();
  if (replay.control().status == Status::failed) throw UsageError(replay.control().error);
}

void debug_replay(const Program& program, const Schedule& schedule) {
  // Never unmapped: this process becomes gdb, and the program inherits the memory file.
  auto* shared = new SharedControl;
  ReplayOptions options;
  options.backend = Backend::threads;
  Request& request = shared->control().request;
  fill_request(request, schedule, options);
  request.hang_seconds = thinking_seconds;
  shared->control().stops.wanted = DebuggerStops::last;
  Launch launch = launch_of(program);
  launch.control = shared->descriptor();
  launch.input = STDIN_FILENO;
  launch.output = STDOUT_FILENO;
  launch.error = STDERR_FILENO;
  become_debugger(launch, gdb_commands_for(shared->control().stops));
}

}  // namespace ricercar::inline cli
