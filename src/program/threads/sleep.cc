#include "threads/sleep.h"

#include <algorithm>

#include "threads/cancel.h"
#include "threads/execution.h"
#include "threads/signals.h"
#include "threads/spin.h"
#include "threads/timer_descriptor.h"

namespace ricercar::inline threads {
namespace {

// After so many looks or sleeps during which nobody else wrote anything, the task waits for time
// to pass, or for others.
constexpr std::uint32_t patient_looks = 16;
constexpr std::uint32_t patient_sleeps = 64;
constexpr std::uint64_t longest_sleep = 3600 * VirtualClock::second;

// The running task's watch, brought up to date.
TimeWatches::Watch& update_watch() {
  const Task& self = execution.self();
  TimeWatches::Watch& watch = program_state.watches.of(self.id);
  VirtualClock& clock = execution.clock;
  const std::uint64_t others = execution.turns.writes() - self.writes;
  if (watch.execution != clock.execution() || watch.others != others) {
    watch = {clock.execution(), others, self.writes, 0, 0};
    clock.something_happened();
  } else if (watch.own != self.writes) {
    watch.own = self.writes;
    clock.work_was_done();
  }
  return watch;
}

// Oversleeping is what every sleep may do. A task that sleeps again and again does it more and
// more, so that others whose sleep ends much later have their turn within a few steps.
std::uint64_t oversleep(std::uint64_t nanoseconds, std::uint32_t sleeps) {
  if (sleeps <= patient_sleeps || nanoseconds >= longest_sleep) return nanoseconds;
  const std::uint32_t doublings = std::min(sleeps - patient_sleeps, 20U);
  return std::min(nanoseconds << doublings, longest_sleep);
}

}  // namespace

std::uint64_t look_at_clock(std::uint64_t site) {
  TimeWatches::Watch& watch = update_watch();
  reset_spin(execution.self());
  if (++watch.looks > patient_looks && !execution.tasks.alone()) give_way(site);
  execution.steps.touches_world();
  const std::uint64_t now = execution.clock.look();
  time_has_moved(now);
  return now;
}

std::uint64_t glance_at_clock() {
  TimeWatches::Watch& watch = update_watch();
  reset_spin(execution.self());
  if (++watch.looks > patient_looks) execution.scheduler().yielded();
  execution.steps.touches_world();
  const std::uint64_t now = execution.clock.look();
  time_has_moved(now);
  return now;
}

timespec time_on_clock(clockid_t clock, std::uint64_t site) {
  return VirtualClock::to_timespec(VirtualClock::to_clock(clock, look_at_clock(site)));
}

std::uint64_t sleep_until(std::uint64_t moment, std::uint64_t site) {
  const std::uint64_t now = execution.clock.now();
  return sleep_for(moment > now ? moment - now : 0, site);
}

std::uint64_t sleep_for(std::uint64_t nanoseconds, std::uint64_t site) {
  if (nanoseconds == 0) {
    give_way(site);
    return 0;
  }
  interruption_begins(execution.self(), site);
  cancellation_begins(site);
  TimeWatches::Watch& watch = update_watch();
  Task& self = execution.self();
  self.timed_out = false;
  execution.scheduler().yielded();
  const std::uint64_t deadline = execution.clock.now() + oversleep(nanoseconds, ++watch.sleeps);
  execution.scheduler().set_deadline(self, deadline);
  execution.turns.disable(self.id);
  execution.point(OperationKind::sleep, nullptr, site);
  execution.scheduler().clear_deadline(self);
  execution.turns.enable(self.id);
  if (was_interrupted(self)) {
    const std::uint64_t now = execution.clock.now();
    leave_for_handlers(self);
    return std::clamp<std::uint64_t>(deadline - std::min(now, deadline), 1, nanoseconds);
  }
  cancellation_ends();
  return 0;
}

// The yield counts before the decision: the task is not chosen again before those that could run
// since its last yield have had their turn.
void give_way(std::uint64_t site) {
  execution.scheduler().yielded();
  execution.point(OperationKind::yield, nullptr, site);
}

}  // namespace ricercar::inline threads
