// The step limit: whether the end of the trace repeats for ever, and why. A livelock is reported
// only if nobody who could change the matter is kept out of the round: no thread that could run at
// some point of it, none that wakes up when its time comes, and not the world outside.
#include "detect/livelock.h"
#include "threads/blocked_tasks.h"
#include "threads/blocking.h"
#include "threads/execution.h"
#include "threads/recorder.h"

namespace ricercar::inline threads {
namespace {

constexpr std::uint64_t hurry = 86400 * VirtualClock::second;

TaskSet tasks_in(Trace round) {
  TaskSet tasks;
  for (const Step& step : round) tasks.insert(step.task);
  return tasks;
}

// A wait for the world outside that ended because nothing came.
const Step* vain_call(Trace round) {
  for (const Step& step : round) {
    const bool in_vain = (step.flags & (step_timeout | step_failed)) != 0;
    if (step.kind == OperationKind::blocking_call && in_vain) return &step;
  }
  return nullptr;
}

std::string count_steps(std::uint64_t period) {
  return period == 1 ? "the same step repeats forever"
                     : "the same " + std::to_string(period) + " steps repeat forever";
}

}  // namespace

void Execution::limit_reached() {
  if (is_asked_to_stop()) {
    end.stop();
    finish();
  }
  if (options_.is_node) {  // what ends its rounds may come from another node
    end.limit_reached(0);
    finish();
  }
  if (round_watch_.hurries()) judge_round();
  if (!round_watch_.active()) {
    end.limit_reached(period_at_limit());
    if (end.livelock_period() == 0) finish();
    watch_round();
    if (steps.size() < options_.max_steps && told_.round != 0) return;
  }
  round_watch_.hurry();
  clock.hurry(hurry);
  set_step_limit(steps.size() + end.livelock_period() * RoundWatch::rounds);
}

std::uint64_t Execution::period_at_limit() const {
  if (told_.round == 0) return find_repetition(steps.trace());
  return told_.round <= steps.size() ? told_.round : 0;
}

void Execution::watch_round() {
  end.keep_left(left());
  round_watch_.begin_round(end.livelock_period(), recorder_, accesses.plain(steps.open()));
  recorder_ = nullptr;
  follow(round_watch_);
  set_step_limit(options_.max_steps);
}

// The execution ends as it was when the limit was reached. Which accesses were points stays as it
// is: a replay goes round as often.
void Execution::leave_round() {
  steps.shorten(round_watch_.steps_before());
  steps.open().plain_accesses = round_watch_.accesses_before();
  accesses.long_run.restart();
  recorder_ = round_watch_.recorder();
  round_watch_.over();
  forget_strategy_error();
  end.forget_looking();
}

bool Execution::leaves_nobody_out(Trace round) const {
  TaskSet others = round_watch_.could_run();
  others.add(turns.timed());
  others.remove(tasks_in(round));
  return others.empty();
}

// What goes round, and what everybody else waits for.
std::string Execution::describe_round(Trace round) {
  std::string text = count_steps(round.size());
  const TaskSet moving = tasks_in(round);
  tasks.for_each_live([&](const Task& task) {
    if (!moving.contains(task.id)) text += "; " + describe_blocked(*this, objects, task.id);
  });
  return text;
}

void Execution::judge_round() {
  const std::uint64_t period = round_watch_.period();
  const bool goes_on = goes_round_from(steps.trace(), round_watch_.steps_before(), period);
  const bool is_endless = goes_on && leaves_nobody_out(steps.trace().last(period));
  leave_round();
  if (!is_endless) finish();
  const Trace round = steps.trace().last(period);
  if (const Step* call = vain_call(round)) hang_in_vain(*call, describe_round(round));
  if (!program_.blocked_calls.all().empty()) waits_for_the_outside(describe_round(round));
  fail(OutcomeKind::livelock, describe_round(round), 0);
}

}  // namespace ricercar::inline threads
