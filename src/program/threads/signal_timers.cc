#include "threads/signal_timers.h"

#include <errno.h>

#include <utility>

#include "threads/execution.h"
#include "threads/signals.h"
#include "threads/thread.h"

namespace ricercar::inline threads {
namespace {

using Timer = SignalTimers::Timer;

constexpr long max_timers = SignalTimers::most;
constexpr OperationKind waiting_kind = OperationKind::futex_timed_wait;

SignalTimers& signal_timers() { return program_state.signal_timers; }

Timer& timer_at(long number) { return signal_timers().timers[number]; }

void* run_function(void* argument) {
  const Timer& timer = *static_cast<const Timer*>(argument);
  sigval value = {};
  value.sival_ptr = timer.event.signal.value;
  timer.event.function(value);
  return nullptr;
}

void fire(Timer& timer) {
  const TimerEvent& event = timer.event;
  if (event.function != nullptr) {
    thread_begin({run_function, &timer, timer.site, default_stack_size, /*detached=*/true, 0});
  } else if (!is_noticed(event.signal.number)) {
    return;
  } else if (event.target != no_task) {
    deliver_to_task(execution.tasks[event.target], event.signal, timer.site);
  } else {
    deliver_to_process(event.signal, timer.site);
  }
}

// True: its time has come; false: it was set anew or deleted. Both are a step of its own, on what
// setting it writes, so that their order is a choice.
bool wait_for_moment(const Timer& timer) {
  Task& self = execution.self();
  execution.scheduler().yielded();
  self.timed_out = false;
  execution.scheduler().set_deadline(self, timer.setting.next);
  execution.turns.disable(self.id);
  execution.point(waiting_kind, &timer.setting, timer.site);
  execution.scheduler().clear_deadline(self);
  execution.turns.enable(self.id);
  return self.timed_out;
}

void* run_timer(void* argument) {
  Timer& timer = *static_cast<Timer*>(argument);
  const std::uint32_t generation = timer.generation;
  while (wait_for_moment(timer) && timer.generation == generation) {
    const std::uint64_t interval = timer.setting.interval;
    timer.setting.next = interval == 0 ? 0 : timer.setting.next + interval;
    fire(timer);
    if (interval == 0 || timer.generation != generation) break;
  }
  return nullptr;
}

// Its task ends: it waits, or it is about to deliver and sees for itself.
void stop_task(Timer& timer) {
  ++timer.generation;
  if (timer.task == no_task) return;
  Task& task = execution.tasks[std::exchange(timer.task, no_task)];
  if (task.state == TaskState::ended || task.argument != &timer) return;
  if (execution.tasks.pending(task.id).kind != waiting_kind) return;
  execution.scheduler().clear_deadline(task);
  execution.turns.enable(task.id);
}

}  // namespace

long make_timer(clockid_t clock, const TimerEvent& event) {
  for (long i = alarm_timer + 1; i < max_timers; ++i) {
    Timer& timer = timer_at(i);
    if (timer.used) continue;
    signal_timers().any_used = true;
    timer = {true, clock, event, {}, 0, timer.generation, no_task};
    return i;
  }
  return -EAGAIN;
}

bool is_timer(long number) { return number >= 0 && number < max_timers && timer_at(number).used; }

clockid_t clock_of_timer(long number) { return timer_at(number).clock; }

TimerSetting timer_setting(long number) { return timer_at(number).setting; }

TimerSetting set_timer(long number, const TimerSetting& setting, std::uint64_t site) {
  Timer& timer = timer_at(number);
  if (!execution.tasks.alone_for_good())
    execution.point(OperationKind::atomic_store, &timer.setting, site);
  signal_timers().any_used = timer.used = true;
  stop_task(timer);
  const TimerSetting before = std::exchange(timer.setting, setting);
  timer.site = site;
  if (setting.next == 0) return before;
  Task& task = thread_begin({run_timer, &timer, site, default_stack_size, /*detached=*/true, 0});
  stands_for_kernel(task, timer.event.signal.number);
  timer.task = task.id;
  return before;
}

void delete_timer(long number, std::uint64_t site) {
  set_timer(number, {}, site);
  timer_at(number).used = false;
}

void SignalTimers::begin_execution() {
  if (!program_state.imports.signals || !std::exchange(any_used, false)) return;
  for (Timer& timer : timers) timer = {};
  timers[alarm_timer].event.signal = {SIGALRM, SI_KERNEL, nullptr};
}

}  // namespace ricercar::inline threads
