// Hooks: timers, which run in virtual time: descriptors, and those that send a signal or start a
// thread. Those that count processor time are not modelled.
#include <signal.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "threads/descriptor.h"
#include "threads/hook.h"
#include "threads/memory/real_function.h"
#include "threads/signal_timers.h"
#include "threads/signals.h"
#include "threads/timer_descriptor.h"

namespace ricercar::inline hooks {
namespace {

[[noreturn]] void not_modelled(const char* call, std::uint64_t site) {
  execution.fail(
      OutcomeKind::hang,
      std::string(call) + " is not modelled by Ricercar: use a timer of CLOCK_MONOTONIC instead",
      site);
}

bool is_handled(int signal) {
  struct sigaction action = {};
  if (::sigaction(signal, nullptr, &action) != 0) return false;
  return (action.sa_flags & SA_SIGINFO) != 0 ||
         (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN);
}

int signal_of(__itimer_which_t timer) {
  if (timer == ITIMER_REAL) return SIGALRM;
  return timer == ITIMER_VIRTUAL ? SIGVTALRM : SIGPROF;
}

bool is_set(const itimerval& value) {
  return value.it_value.tv_sec != 0 || value.it_value.tv_usec != 0;
}

// Timers that count processor time, which a search has no model of.
int set_processor_timer(__itimer_which_t timer, const itimerval* value, itimerval* old,
                        std::uint64_t site) {
  if (value != nullptr && is_set(*value) && is_handled(signal_of(timer))) {
    not_modelled("setitimer() for processor time", site);
  }
  if (old != nullptr) *old = {};
  return 0;
}

bool is_processor_clock(clockid_t clock) {
  return clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID || clock < 0;
}

timespec to_timespec(const timeval& time) { return {time.tv_sec, time.tv_usec * 1000}; }
timeval to_timeval(const timespec& time) { return {time.tv_sec, time.tv_nsec / 1000}; }
itimerval to_timeval(const itimerspec& value) {
  return {to_timeval(value.it_interval), to_timeval(value.it_value)};
}

TimerSetting from_now(const timespec& first, const timespec& interval) {
  const std::uint64_t wait = VirtualClock::to_nanoseconds(first);
  if (wait == 0) return {};
  return {execution.clock.now() + wait, VirtualClock::to_nanoseconds(interval)};
}

itimerspec to_value(const TimerSetting& setting) {
  const std::uint64_t now = execution.clock.now();
  if (setting.next == 0) return {};
  const std::uint64_t left = setting.next > now ? setting.next - now : 1;
  return {VirtualClock::to_timespec(setting.interval), VirtualClock::to_timespec(left)};
}

int invalid() {
  errno = EINVAL;
  return -1;
}

// What the program wants to happen; nothing: SIGEV_NONE. False: the thread that it names is none.
bool read_event(const sigevent* event, TimerEvent& what) {
  what.signal = {event->sigev_signo, SI_TIMER, event->sigev_value.sival_ptr};
  if (event->sigev_notify == SIGEV_NONE) what.signal.number = 0;
  if (event->sigev_notify == SIGEV_THREAD) what.function = event->sigev_notify_function;
  if (event->sigev_notify != SIGEV_THREAD_ID) return true;
  const Task* target = task_of_number(event->_sigev_un._tid);
  if (target != nullptr) what.target = target->id;
  return target != nullptr;
}

}  // namespace
}  // namespace ricercar::inline hooks

using namespace ricercar;

RICERCAR_HOOK unsigned alarm(unsigned seconds) {
  if (!controlled()) return RICERCAR_BEHIND(alarm)(seconds);
  const TimerSetting old = set_timer(alarm_timer, from_now({seconds, 0}, {}), RICERCAR_SITE());
  return old.next == 0 ? 0 : static_cast<unsigned>(to_value(old).it_value.tv_sec) + 1;
}
RICERCAR_HOOK useconds_t ualarm(useconds_t value, useconds_t interval) {
  if (!controlled()) return RICERCAR_BEHIND(ualarm)(value, interval);
  const TimerSetting setting = from_now({0, value * 1000L}, {0, interval * 1000L});
  const itimerspec old = to_value(set_timer(alarm_timer, setting, RICERCAR_SITE()));
  return static_cast<useconds_t>(old.it_value.tv_sec * 1'000'000 + old.it_value.tv_nsec / 1000);
}
RICERCAR_HOOK int setitimer(__itimer_which_t timer, const itimerval* value, itimerval* old) {
  if (!controlled()) return RICERCAR_BEHIND(setitimer)(timer, value, old);
  if (timer != ITIMER_REAL) return set_processor_timer(timer, value, old, RICERCAR_SITE());
  if (old != nullptr) *old = to_timeval(to_value(timer_setting(alarm_timer)));
  if (value == nullptr) return 0;
  const TimerSetting setting =
      from_now(to_timespec(value->it_value), to_timespec(value->it_interval));
  set_timer(alarm_timer, setting, RICERCAR_SITE());
  return 0;
}
RICERCAR_HOOK int getitimer(__itimer_which_t timer, itimerval* value) {
  if (!controlled()) return RICERCAR_BEHIND(getitimer)(timer, value);
  *value = {};
  if (timer == ITIMER_REAL) *value = to_timeval(to_value(timer_setting(alarm_timer)));
  return 0;
}
RICERCAR_HOOK int timer_create(clockid_t clock, sigevent* event, timer_t* timer) {
  if (!controlled()) return RICERCAR_BEHIND(timer_create)(clock, event, timer);
  if (is_processor_clock(clock)) not_modelled("timer_create() for processor time", RICERCAR_SITE());
  TimerEvent what;
  what.signal = {SIGALRM, SI_TIMER, nullptr};
  if (event != nullptr && !read_event(event, what)) return invalid();
  const long number = make_timer(clock, what);
  if (number < 0) return static_cast<int>(as_result(number));
  *timer = reinterpret_cast<timer_t>(number);
  return 0;
}
RICERCAR_HOOK int timer_settime(timer_t timer, int flags, const itimerspec* value,
                                itimerspec* old) {
  if (!controlled()) return RICERCAR_BEHIND(timer_settime)(timer, flags, value, old);
  const long number = reinterpret_cast<long>(timer);
  if (!is_timer(number) || number == alarm_timer || value == nullptr) return invalid();
  TimerSetting setting = from_now(value->it_value, value->it_interval);
  if ((flags & TIMER_ABSTIME) != 0 && setting.next != 0) {
    setting.next = std::max<std::uint64_t>(moment(clock_of_timer(number), &value->it_value), 1);
  }
  const TimerSetting before = set_timer(number, setting, RICERCAR_SITE());
  if (old != nullptr) *old = to_value(before);
  return 0;
}
RICERCAR_HOOK int timer_gettime(timer_t timer, itimerspec* value) noexcept {
  if (!controlled()) return RICERCAR_BEHIND(timer_gettime)(timer, value);
  const long number = reinterpret_cast<long>(timer);
  if (!is_timer(number) || number == alarm_timer) return invalid();
  *value = to_value(timer_setting(number));
  return 0;
}
// Each moment of a timer is a signal of its own: none is lost.
RICERCAR_HOOK int timer_getoverrun(timer_t timer) noexcept {
  if (!controlled()) return RICERCAR_BEHIND(timer_getoverrun)(timer);
  return 0;
}
RICERCAR_HOOK int timer_delete(timer_t timer) noexcept {
  if (!controlled()) return RICERCAR_BEHIND(timer_delete)(timer);
  const long number = reinterpret_cast<long>(timer);
  if (!is_timer(number) || number == alarm_timer) return invalid();
  delete_timer(number, RICERCAR_SITE());
  return 0;
}
RICERCAR_HOOK int timerfd_create(__clockid_t clock, int flags) noexcept {
  if (!controlled()) return RICERCAR_BEHIND(timerfd_create)(clock, flags);
  return static_cast<int>(as_result(timer_create_descriptor(clock, flags, RICERCAR_SITE())));
}
RICERCAR_HOOK int timerfd_settime(int number, int flags, const itimerspec* value,
                                  itimerspec* old) noexcept {
  if (!controlled()) return RICERCAR_BEHIND(timerfd_settime)(number, flags, value, old);
  return static_cast<int>(as_result(timer_set(number, flags, value, old, RICERCAR_SITE())));
}
RICERCAR_HOOK int timerfd_gettime(int number, itimerspec* value) noexcept {
  if (!controlled()) return RICERCAR_BEHIND(timerfd_gettime)(number, value);
  return static_cast<int>(as_result(timer_get(number, value)));
}
