#include "threads/blocking.h"

#include <sys/syscall.h>
#include <time.h>

#include <string>

#include "threads/execution.h"
#include "threads/real.h"

namespace ricercar {
namespace {

struct Waiting {
  TaskId task = no_task;
  std::uint64_t site = 0;
  const BlockedCall* call = nullptr;  // on the stack of the task
};

Waiting waiting[max_tasks];

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
}

// Keeps the order of arrival.
void delist(TaskId task) {
  std::uint32_t kept = 0;
  for (std::uint32_t i = 0; i < blocked_call_count; ++i) {
    if (waiting[i].task != task) waiting[kept++] = waiting[i];
  }
  blocked_call_count = kept;
}

[[noreturn]] void waits_for_the_outside() {
  Outcome outcome;
  outcome.kind = OutcomeKind::hang;
  outcome.task = waiting[0].task;
  outcome.site = waiting[0].site;
  for (std::uint32_t i = 0; i < blocked_call_count; ++i) {
    if (i > 0) outcome.message += "; ";
    outcome.message +=
        "T" + std::to_string(index(waiting[i].task)) + " waits in " + waiting[i].call->name + "()";
  }
  outcome.message += " for something outside of the program, and no other thread can go on";
  execution.fail(std::move(outcome));
}

// Whether any task can go on.
bool refresh() {
  bool any = false;
  for (std::uint32_t i = 0; i < blocked_call_count; ++i) {
    if (is_ready(*waiting[i].call)) {
      execution.enable(waiting[i].task);
      any = true;
    } else {
      execution.disable(waiting[i].task);
    }
  }
  return any;
}

}  // namespace

std::uint32_t blocked_call_count = 0;

void blocked_calls_begin_execution() { blocked_call_count = 0; }

bool wait_until_ready(const BlockedCall& call, std::uint64_t site) {
  Task& self = execution.self();
  bool ready = is_ready(call);
  if (ready && execution.alone()) return true;
  enlist(self.id, call, site);
  self.timed_out = false;
  if (call.deadline != nullptr) execution.set_deadline(self, *call.deadline);
  do {
    if (!ready) execution.disable(self.id);
    execution.point(OperationKind::blocking_call, call.object, site);
    ready = !self.timed_out && is_ready(call);
  } while (!ready && !self.timed_out);
  delist(self.id);
  execution.clear_deadline(self);
  execution.enable(self.id);
  if (ready) return true;
  execution.step().flags |= step_failed;
  execution.yielded();
  return false;
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
  waits_for_the_outside();
}

}  // namespace ricercar
