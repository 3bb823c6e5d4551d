#include "threads/timer_descriptor.h"

#include <errno.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>

#include <algorithm>
#include <string>

#include "threads/blocking.h"
#include "threads/descriptor.h"
#include "threads/execution.h"
#include "threads/memory/external_state.h"
#include "threads/real.h"

namespace ricercar::inline threads {
namespace {

using Timer = DescriptorTimers::Timer;

DescriptorTimers& timers() { return program_state.descriptor_timers; }

bool is_valid(const timespec& time) {
  return time.tv_sec >= 0 && time.tv_nsec >= 0 && time.tv_nsec < 1'000'000'000;
}

bool is_clock(clockid_t clock) {
  return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC || clock == CLOCK_BOOTTIME ||
         clock == CLOCK_REALTIME_ALARM || clock == CLOCK_BOOTTIME_ALARM;
}

void show(const Timer& timer, itimerspec* value) {
  const std::uint64_t now = execution.clock.now();
  const std::uint64_t left =
      timer.moment == no_timer ? 0 : timer.moment - std::min(now, timer.moment);
  *value = {VirtualClock::to_timespec(timer.interval), VirtualClock::to_timespec(left)};
}

// How often it has come since it was read last is forgotten when it is set.
void empty(const Timer& timer) {
  const Descriptor descriptor = describe(timer.number);
  NonBlocking careful(descriptor);
  std::uint64_t count;
  system_call(SYS_read, timer.number, reinterpret_cast<long>(&count), sizeof count);
}

void start(Timer& timer, int flags, const itimerspec& value) {
  const std::uint64_t time = VirtualClock::to_nanoseconds(value.it_value);
  timer.interval = VirtualClock::to_nanoseconds(value.it_interval);
  if (time == 0) {
    timer.moment = no_timer;
  } else if ((flags & TFD_TIMER_ABSTIME) != 0) {
    timer.moment = VirtualClock::from_clock(timer.clock, value.it_value);
  } else {
    timer.moment = execution.clock.now() + time;
  }
}

void fire(Timer& timer, std::uint64_t now) {
  std::uint64_t count = 1;
  if (timer.interval == 0) {
    timer.moment = no_timer;
  } else {
    count += (now - timer.moment) / timer.interval;
    timer.moment += count * timer.interval;
  }
  system_call(SYS_write, timer.number, reinterpret_cast<long>(&count), sizeof count);
}

}  // namespace

DescriptorTimers::Timer* DescriptorTimers::find(int number) {
  const auto all = running();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [number](const Timer& timer) { return timer.number == number; });
  return found == all.end() ? nullptr : &*found;
}

void DescriptorTimers::add(int number, clockid_t clock) {
  timers_[count_++] = {number, clock, no_timer, 0};
}

void DescriptorTimers::remove(Timer& timer) {
  timer = timers_[--count_];
  refresh();
}

void DescriptorTimers::refresh() {
  earliest_ = no_timer;
  for (const Timer& timer : running()) earliest_ = std::min(earliest_, timer.moment);
}

long timer_create_descriptor(clockid_t clock, int flags, std::uint64_t site) {
  if (!is_clock(clock) || (flags & ~(TFD_NONBLOCK | TFD_CLOEXEC)) != 0) return -EINVAL;
  if (timers().is_full()) {
    execution.fail(
        OutcomeKind::hang,
        "more than " + std::to_string(DescriptorTimers::most) + " timers; Ricercar's limit", site);
  }
  static_assert(int{TFD_NONBLOCK} == int{EFD_NONBLOCK} && int{TFD_CLOEXEC} == int{EFD_CLOEXEC});
  note_descriptors();
  const long number = system_call(SYS_eventfd2, 0, flags);
  if (number >= 0) timers().add(static_cast<int>(number), clock);
  return number;
}

long timer_set(int number, int flags, const itimerspec* value, itimerspec* old,
               std::uint64_t site) {
  if (timers().find(number) == nullptr || !is_valid(value->it_value) ||
      !is_valid(value->it_interval)) {
    return -EINVAL;
  }
  announce(describe(number), site);
  Timer* timer = timers().find(number);  // another thread may have closed it meanwhile
  if (timer == nullptr) return -EBADF;
  execution.steps.touches_world();
  if (old != nullptr) show(*timer, old);
  empty(*timer);
  start(*timer, flags, *value);
  timers().refresh();
  channel_changed();
  time_has_moved(execution.clock.now());
  return 0;
}

long timer_get(int number, itimerspec* value) {
  const Timer* timer = timers().find(number);
  if (timer == nullptr) return -EINVAL;
  execution.steps.touches_world();
  show(*timer, value);
  return 0;
}

void timer_descriptor_closed(int number) {
  if (Timer* timer = timers().find(number)) timers().remove(*timer);
}

bool is_timer_descriptor(int number) { return timers().find(number) != nullptr; }

std::uint64_t next_timer_moment(bool (*watches)(void*, int), void* argument) {
  std::uint64_t next = no_timer;
  for (const Timer& timer : timers().running()) {
    if (timer.moment < next && watches(argument, timer.number)) next = timer.moment;
  }
  return next;
}

void time_has_moved(std::uint64_t now) {
  if (now >= timers().earliest()) fire_timers();
}

void fire_timers() {
  const std::uint64_t now = execution.clock.now();
  for (Timer& timer : timers().running()) {
    if (timer.moment <= now) fire(timer, now);
  }
  timers().refresh();
  channel_changed();
}

}  // namespace ricercar::inline threads
