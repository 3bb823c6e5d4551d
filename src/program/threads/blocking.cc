#include "threads/blocking.h"

#include <sys/syscall.h>
#include <time.h>

#include <algorithm>
#include <string>

#include "threads/cancel.h"
#include "threads/execution.h"
#include "threads/real.h"
#include "threads/signals.h"
#include "threads/timer_descriptor.h"

namespace ricercar::inline threads {

void (*wait_for_outside)() = nullptr;

namespace {

BlockedCalls& blocked() { return program_state.blocked_calls; }

// How long the outside world is given before a wait for it is called a hang. The network of the
// machine itself may need a moment of real time too.
constexpr int patience_ms = 50;

void let_real_time_pass() {
  const timespec moment = {0, 1'000'000};
  system_call(SYS_nanosleep, reinterpret_cast<long>(&moment), 0);
}

bool is_ready(const BlockedCall& call) { return call.ready(call.argument); }

// The task goes on when its own time limit comes, or that of a timer which would let it. One that
// can go on already does not wait for its timer any more.
void set_next_deadline(const BlockedCalls::Waiting& waiter, bool ready) {
  const BlockedCall& call = *waiter.call;
  Task& task = execution.tasks[waiter.task];
  if (task.cancel_woken) return;
  std::uint64_t deadline = call.deadline != nullptr ? *call.deadline : no_timer;
  if (!ready && call.watches != nullptr) {
    deadline = std::min(deadline, next_timer_moment(call.watches, call.argument));
  }
  if (deadline == no_timer) {
    execution.scheduler().clear_deadline(task);
  } else if (!task.timed || task.deadline != deadline) {
    execution.scheduler().set_deadline(task, deadline);
  }
}

// Whether any task can go on.
bool refresh() {
  bool any = false;
  for (const BlockedCalls::Waiting& waiter : blocked().all()) {
    const bool ready = is_ready(*waiter.call);
    if (ready) {
      execution.turns.enable(waiter.task);
      any = true;
    } else {
      execution.turns.disable(waiter.task);
    }
    if (waiter.call->watches != nullptr) set_next_deadline(waiter, ready);
  }
  return any;
}

// The running task was chosen because a time has come: whether it is its own limit.
bool own_time_is_over(const BlockedCall& call) {
  if (execution.self().cancel_woken) return true;
  return execution.self().timed_out && call.deadline != nullptr &&
         execution.clock.now() >= *call.deadline;
}

Readiness interrupted(Task& self, const BlockedCall& call, std::uint64_t site) {
  blocked().remove(self.id);
  if (leave_for_handlers(self) && call.restarts) return wait_until_ready(call, site);
  return Readiness::interrupted;
}

}  // namespace

void BlockedCalls::add(TaskId task, const BlockedCall& call, std::uint64_t site) {
  RICERCAR_CHECK(count_ < max_tasks);
  waiting_[count_++] = {task, site, &call};
  last_call_[index(task)] = call.name;
}

void BlockedCalls::remove(TaskId task) {
  const auto gone = [task](const Waiting& waiter) { return waiter.task == task; };
  count_ = static_cast<std::uint32_t>(std::remove_if(waiting_, waiting_ + count_, gone) - waiting_);
}

bool BlockedCalls::contains(TaskId task) const {
  const auto is_it = [task](const Waiting& waiter) { return waiter.task == task; };
  return std::any_of(waiting_, waiting_ + count_, is_it);
}

bool is_in_blocked_call(TaskId task) { return blocked().contains(task); }

Readiness wait_until_ready(const BlockedCall& call, std::uint64_t site) {
  Task& self = execution.self();
  interruption_begins(self, site);
  cancellation_begins(site);
  bool ready = is_ready(call);
  if (ready && execution.tasks.alone_for_good()) return Readiness::ready;
  blocked().add(self.id, call, site);
  bool over = false;
  do {
    self.timed_out = false;
    set_next_deadline({self.id, site, &call}, ready);
    if (!ready) execution.turns.disable(self.id);
    execution.point(OperationKind::blocking_call, call.object, site);
    if (was_interrupted(self)) return interrupted(self, call, site);
    over = own_time_is_over(call);
    ready = !over && is_ready(call);
  } while (!ready && !over);
  blocked().remove(self.id);
  execution.scheduler().clear_deadline(self);
  execution.turns.enable(self.id);
  cancellation_ends();
  if (ready) return Readiness::ready;
  execution.steps.last().flags |= step_failed;
  execution.scheduler().yielded();
  return Readiness::timed_out;
}

void refresh_blocked_calls() {
  if (!blocked().all().empty()) refresh();
}

bool poll_blocked_calls() {
  if (blocked().all().empty()) return false;
  while (wait_for_outside != nullptr) {
    if (refresh()) return true;
    wait_for_outside();
  }
  program_state.sockets.look_for_written();
  for (int waited_ms = 0; waited_ms < patience_ms; ++waited_ms) {
    if (refresh()) return true;
    let_real_time_pass();
  }
  waits_for_the_outside("no other thread can go on");
}

void waits_for_the_outside(const std::string& meanwhile) {
  Outcome outcome;
  outcome.kind = OutcomeKind::hang;
  const std::span<const BlockedCalls::Waiting> all = blocked().all();
  outcome.task = all.front().task;
  outcome.site = all.front().site;
  for (const BlockedCalls::Waiting& waiter : all) {
    if (!outcome.message.empty()) outcome.message += "; ";
    outcome.message +=
        "T" + std::to_string(index(waiter.task)) + " waits in " + waiter.call->name + "()";
  }
  outcome.message += " for something outside the program, and " + meanwhile;
  execution.fail(std::move(outcome));
}

void hang_in_vain(const Step& call, const std::string& meanwhile) {
  const char* name = blocked().last_call(call.task);
  Outcome outcome;
  outcome.kind = OutcomeKind::hang;
  outcome.task = call.task;
  outcome.site = call.site;
  outcome.message = "T" + std::to_string(index(call.task)) + " waits again and again";
  if (name != nullptr) outcome.message += std::string(" in ") + name + "()";
  outcome.message +=
      ", its time limit passes each time, and nothing comes from any other thread or "
      "from outside the program: " +
      meanwhile;
  execution.fail(std::move(outcome));
}

}  // namespace ricercar::inline threads
