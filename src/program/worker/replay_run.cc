// A replay inside of the process that runs the program: one execution, recorded in detail.
#include <signal.h>
#include <sys/syscall.h>

#include "search/decisions.h"
#include "search/lost_execution.h"
#include "threads/cancel.h"
#include "threads/execution.h"
#include "threads/instructions.h"
#include "threads/keys.h"
#include "threads/memory/heap_hooks.h"
#include "threads/real.h"
#include "threads/recorder.h"
#include "threads/signals.h"
#include "worker/execution_setup.h"
#include "worker/passed_findings.h"
#include "worker/watchdog.h"
#include "worker/worker.h"

namespace ricercar::inline worker {
namespace {

// One replay, with what must outlive the way to its end: on real threads the execution does not
// come back to where it was started but ends on whichever thread is the last.
struct ReplayRun {
  Control& control;
  Recorder recorder;
  ReplayStrategy replay;
  ReplayFindings findings;

  void finish() {
    watchdog_stop();
    control.execution_open = false;
    if (execution.end.was_stopped()) {
      control.status = Status::stopped;
      return;
    }
    replay.end(execution.steps.trace(), {});
    if (control.whole_program) recorder.note_leak(leaked_thread(execution.tasks));
    control.recording = recorder.finish(execution);
    control.recording->divergence = replay.divergence();
    replay.record(*control.recording);
    control.executions = 1;
    control.steps = execution.steps.size();
    control.status = Status::finished;
  }
};

ReplayRun* replay_run = nullptr;

void stop_here() {
  system_call(SYS_tgkill, system_call(SYS_getpid), system_call(SYS_gettid), SIGTRAP);
}

// gdb says when it goes on where it wants to stop next.
void stop_for_debugger() {
  execution.carriers.switch_hook = [] {
    DebuggerStops& stops = current_control()->stops;
    if (++stops.passed == stops.wanted) stop_here();
  };
  replay_run->replay.on_last_switch = [](bool switches) {
    DebuggerStops& stops = current_control()->stops;
    if (stops.wanted != DebuggerStops::last) return;
    stops.wanted = switches ? stops.passed + 1 : DebuggerStops::nowhere;
    if (!switches) stop_here();
  };
}

// The process ended before the program had come to its first step.
void* end_at_once(void*) {
  const Request& request = current_control()->request;
  execution.fail(outcome_of(request.doom.end, request.hang_seconds));
}

}  // namespace

void run_replay(Control& control, const Subject& program) {
  set_current_control(&control);
  control.status = Status::running;
  const Request& request = control.request;
  ExecutionOptions options = options_of(request, program.whole);
  options.open_trace = open_trace(control);
  execution.configure(options);
  execution.tell_up_to(told_of(request));
  execution.accesses.sharing.follow({request.accesses.data, request.accesses.size});
  program_state.keys.set_points(request.key_points);
  heap_events_wanted = true;
  replay_run = new ReplayRun{control, Recorder(request.part),
                             ReplayStrategy(request.decisions, request.checks, request.operations),
                             ReplayFindings(request.passed)};
  if (request.goes_on) replay_run->replay.go_on();
  execution.end.set_filter(&replay_run->findings);
  execution.set_recorder(&replay_run->recorder);
  if (request.backend == Backend::threads) {
    heap_locking = true;
    execution.carriers.finish_hook = [] {
      replay_run->finish();
      system_call(SYS_exit_group, worker_done);
    };
  }
  if (control.stops.wanted != DebuggerStops::nowhere) stop_for_debugger();
  Subject subject = program;
  if (request.doom.end.way != ProcessEnd::unknown) {
    replay_run->recorder.end_after(request.doom.steps,
                                   outcome_of(request.doom.end, request.hang_seconds));
    if (request.doom.steps == 0) subject.body = end_at_once;
  }
  replay_run->replay.begin();
  watchdog_start(control);
  trap_time_stamps();
  program_state.imports.look();
  look_for_signalling();
  subject.restart();
  control.execution_open = true;
  run_execution(subject, replay_run->replay);
  release_time_stamps();
  replay_run->finish();
}

}  // namespace ricercar::inline worker
