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

namespace ricercar {
namespace {

struct Waiting {
  TaskId task = no_task;
  std::uint64_t site = 0;
  const BlockedCall* call = nullptr;  // on the stack of the task
};

Waiting waiting[max_tasks];
const char* last_call[max_tasks];  // by the number of the task

// How long the outside world is given before a wait for it is called a hang. The network of the
// machine itself may need a moment of real time too.
constexpr int patience_ms = 50;

void let_real_time_pass() {
  const timespec moment = {0, 1'000'000};
  system_call(SYS_nanosleep, reinterpret_cast<long>(&moment), 0);
}

bool is_ready(const BlockedCall& call) { return call.ready(call.argument); }

void enlist(TaskId task, const BlockedCall& call, std::uint64_t site) {
  RICERCAR_CHECK(blocked_call_count < max_tasks);
  waiting[blocked_call_count++] = {task, site, &call};
  last_call[index(task)] = call.name;
}

// Keeps the order of arrival.
void delist(TaskId task) {
  std::uint32_t kept = 0;
  for (std::uint32_t i = 0; i < blocked_call_count; ++i) {
    if (waiting[i].task != task) waiting[kept++] = waiting[i];
  }
  blocked_call_count = kept;
}

// The task goes on when its own time limit comes, or that of a timer which would let it. One that
// can go on already does not wait for its timer any more.
void set_next_deadline(const Waiting& waiter, bool ready) {
  const BlockedCall& call = *waiter.call;
  Task& task = execution.task(waiter.task);
  if (task.cancel_woken) return;
  std::uint64_t deadline = call.deadline != nullptr ? *call.deadline : no_timer;
  if (!ready && call.watches != nullptr) {
    deadline = std::min(deadline, next_timer_moment(call.watches, call.argument));
  }
  if (deadline == no_timer) {
    execution.clear_deadline(task);
  } else if (!task.timed || task.deadline != deadline) {
    execution.set_deadline(task, deadline);
  }
}

// Whether any task can go on.
bool refresh() {
  bool any = false;
  for (std::uint32_t i = 0; i < blocked_call_count; ++i) {
    const bool ready = is_ready(*waiting[i].call);
    if (ready) {
      execution.enable(waiting[i].task);
      any = true;
    } else {
      execution.disable(waiting[i].task);
    }
    if (waiting[i].call->watches != nullptr) set_next_deadline(waiting[i], ready);
  }
  return any;
}

// The running task was chosen because a time has come: whether it is its own limit.
bool own_time_is_over(const BlockedCall& call) {
  if (execution.self().cancel_woken) return true;
  return execution.self().timed_out && call.deadline != nullptr &&
         execution.clock().now() >= *call.deadline;
}

Readiness interrupted(Task& self, const BlockedCall& call, std::uint64_t site) {
  delist(self.id);
  if (leave_for_handlers(self) && call.restarts) return wait_until_ready(call, site);
  return Readiness::interrupted;
}

}  // namespace

std::uint32_t blocked_call_count = 0;

void blocked_calls_begin_execution() {
  blocked_call_count = 0;
  timers_begin_execution();
}

bool is_in_blocked_call(TaskId task) {
  return std::any_of(waiting, waiting + blocked_call_count,
                     [task](const Waiting& waiter) { return waiter.task == task; });
}

Readiness wait_until_ready(const BlockedCall& call, std::uint64_t site) {
  Task& self = execution.self();
  interruption_begins(self, site);
  cancellation_begins(site);
  bool ready = is_ready(call);
  if (ready && execution.alone()) return Readiness::ready;
  enlist(self.id, call, site);
  bool over = false;
  do {
    self.timed_out = false;
    set_next_deadline({self.id, site, &call}, ready);
    if (!ready) execution.disable(self.id);
    execution.point(OperationKind::blocking_call, call.object, site);
    if (was_interrupted(self)) return interrupted(self, call, site);
    over = own_time_is_over(call);
    ready = !over && is_ready(call);
  } while (!ready && !over);
  delist(self.id);
  execution.clear_deadline(self);
  execution.enable(self.id);
  cancellation_ends();
  if (ready) return Readiness::ready;
  execution.step().flags |= step_failed;
  execution.yielded();
  return Readiness::timed_out;
}

void refresh_blocked_calls() {
  if (blocked_call_count != 0) refresh();
}

bool poll_blocked_calls() {
  if (blocked_call_count == 0) return false;
  for (int waited_ms = 0; waited_ms < patience_ms; ++waited_ms) {
    if (refresh()) return true;
    let_real_time_pass();
  }
  waits_for_the_outside("no other thread can go on");
}

void waits_for_the_outside(const std::string& meanwhile) {
  Outcome outcome;
  outcome.kind = OutcomeKind::hang;
  outcome.task = waiting[0].task;
  outcome.site = waiting[0].site;
  for (std::uint32_t i = 0; i < blocked_call_count; ++i) {
    if (i > 0) outcome.message += "; ";
    outcome.message +=
        "T" + std::to_string(index(waiting[i].task)) + " waits in " + waiting[i].call->name + "()";
  }
  outcome.message += " for something outside of the program, and " + meanwhile;
  execution.fail(std::move(outcome));
}

void hang_in_vain(const Step& call, const std::string& meanwhile) {
  const char* name = last_call[index(call.task)];
  Outcome outcome;
  outcome.kind = OutcomeKind::hang;
  outcome.task = call.task;
  outcome.site = call.site;
  outcome.message = "T" + std::to_string(index(call.task)) + " waits again and again";
  if (name != nullptr) outcome.message += std::string(" in ") + name + "()";
  outcome.message +=
      ", its time limit passes each time, and nothing comes from any other thread or "
      "from outside of the program: " +
      meanwhile;
  execution.fail(std::move(outcome));
}

}  // namespace ricercar
