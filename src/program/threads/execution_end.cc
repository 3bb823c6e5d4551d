// How an execution ends: bugs, circles of owners, tasks that are left.
#include <algorithm>
#include <utility>

#include "threads/blocked_tasks.h"
#include "threads/blocking.h"
#include "threads/execution.h"
#include "threads/recorder.h"

// Where gdb stops at a bug. It is found in a library without symbols, too.
extern "C" __attribute__((visibility("default"), noinline)) void ricercar_execution_fails() {
  asm volatile("");
}

namespace ricercar::inline threads {

void Execution::fail(Outcome outcome) {
  ricercar_execution_fails();
  if (outcome.task == no_task) outcome.task = self().id;
  end.set_outcome(std::move(outcome));
  finish();
}

void Execution::fail(OutcomeKind kind, std::string message, std::uint64_t site,
                     const void* object) {
  Outcome outcome;
  outcome.kind = kind;
  outcome.message = std::move(message);
  outcome.site = site;
  outcome.object = reinterpret_cast<std::uint64_t>(object);
  fail(std::move(outcome));
}

void Execution::found(Outcome outcome) {
  if (outcome.task == no_task) outcome.task = self().id;
  if (!end.passes(outcome)) fail(std::move(outcome));
  steps.open().passed = end.passed();
}

void Execution::cut() {
  end.cut();
  finish();
}

void Execution::finish() {
  if (round_watch_.active()) leave_round();
  end.settle();
  if (recorder_ != nullptr) recorder_->execution_ended(*this, end.outcome());
  carriers.leave(self());
}

// --- Nobody was chosen ---

// Comes back if the scheduler can go on.
[[gnu::cold]] void Execution::pass_obstacle() {
  switch (pause()) {
    case Scheduler::Pause::limit:
      return limit_reached();
    case Scheduler::Pause::stuck:
      return get_unstuck();
    case Scheduler::Pause::cut:
      cut();
  }
}

void Execution::get_unstuck() {
  if (poll_blocked_calls()) return;
  if (shows_states() && !show_state(turns.ready(), no_task)) cut();
  if (tasks.all_ended()) finish();
  if (body_ended_ && tasks.only_detached_live()) finish();
  if (turns.anybody_spins_on_plain_memory()) return turns.be_patient();
  if (turns.anybody_spins()) {
    fail(OutcomeKind::livelock, "some threads spin, and nobody is left who could end it", 0);
  }
  name_late_signals();
  fail(OutcomeKind::deadlock, describe_blocked(*this, objects), 0);
}

// A handler that could not run yet may be what the others wait for.
void Execution::name_late_signals() {
  for (std::uint32_t i = 0; i < tasks.count(); ++i) {
    Task& late = tasks[task_id(i)];
    if (late.state == TaskState::ended || late.arrival != SignalArrival::late) continue;
    tasks.set_current(late);
    fail(OutcomeKind::hang,
         "a signal comes while its thread waits in a call in which Ricercar runs no handlers (a "
         "barrier, a one-time initialisation, or taking a mutex back): " +
             describe_blocked(*this, objects),
         tasks.pending(late.id).site);
  }
}

void look_for_cycle(OperationKind kind, const void* object, std::uint64_t site) {
  Scheduler& scheduler = execution.scheduler();
  const TaskId id = execution.self().id;
  if (!closes_circle(scheduler, execution.objects, id, object)) return;
  scheduler.tasks.announce(id, {reinterpret_cast<std::uint64_t>(object), site, kind, 0});
  if (Recorder* recorder = execution.recorder()) recorder->announce(execution, site);
  scheduler.turns.disable(id);
  Outcome outcome;
  outcome.kind = OutcomeKind::deadlock;
  outcome.message = describe_blocked(scheduler, execution.objects);
  outcome.site = site;
  outcome.object = reinterpret_cast<std::uint64_t>(object);
  outcome.task = id;
  const std::uint64_t before = execution.end.passed();
  execution.found(outcome);
  execution.end.circle_closed(scheduler.steps.size(), before, outcome);
}

// --- What is left ---

std::vector<Step> Execution::left() const {
  if (!end.left_at_limit().empty()) return end.left_at_limit();
  std::vector<Step> result;
  tasks.for_each_live([&](const Task& task) {
    if (task.state != TaskState::live) return;
    const Operation& next = tasks.pending(task.id);
    const int blocked = turns.is_blocked(task.id) ? step_blocked : 0;
    const auto flags = static_cast<std::uint8_t>(blocked | task.step_flags);
    result.push_back({next.site, accesses.heap_move.undo(next.object), 0, task.id, next.kind, flags,
                      next.size, step_open(), 0});
  });
  return result;
}

}  // namespace ricercar::inline threads
