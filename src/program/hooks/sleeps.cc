// Hooks: sleeping and yielding. A signal ends a sleep, whatever its handler asks for.
#include <sched.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "threads/hook.h"
#include "threads/memory/real_function.h"
#include "threads/sleep.h"

namespace ricercar::inline hooks {
namespace {

bool is_duration(const timespec* time) { return time->tv_sec >= 0 && is_valid(time); }

bool is_processor_time(clockid_t clock) {
  return clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID || clock < 0;
}

// After a sleep: whether a signal has ended it, and what is left then.
bool was_cut_short(std::uint64_t rest, timespec* left) {
  if (rest == 0) return false;
  if (left != nullptr) *left = VirtualClock::to_timespec(rest);
  return true;
}

int interrupted() {
  errno = EINTR;
  return -1;
}

}  // namespace
}  // namespace ricercar::inline hooks

using namespace ricercar;

RICERCAR_HOOK int nanosleep(const timespec* time, timespec* left) {
  if (!controlled()) return RICERCAR_REAL(nanosleep)(time, left);
  if (!is_duration(time)) {
    errno = EINVAL;
    return -1;
  }
  const std::uint64_t rest = sleep_for(VirtualClock::to_nanoseconds(*time), RICERCAR_SITE());
  return was_cut_short(rest, left) ? interrupted() : 0;
}
RICERCAR_HOOK int clock_nanosleep(clockid_t clock, int flags, const timespec* time,
                                  timespec* left) {
  if (!controlled()) return RICERCAR_REAL(clock_nanosleep)(clock, flags, time, left);
  if (!is_duration(time) || is_processor_time(clock)) return EINVAL;
  if ((flags & TIMER_ABSTIME) != 0) {
    return sleep_until(moment(clock, time), RICERCAR_SITE()) != 0 ? EINTR : 0;
  }
  const std::uint64_t rest = sleep_for(VirtualClock::to_nanoseconds(*time), RICERCAR_SITE());
  return was_cut_short(rest, left) ? EINTR : 0;
}
RICERCAR_HOOK int usleep(useconds_t microseconds) {
  if (!controlled()) return RICERCAR_REAL(usleep)(microseconds);
  return sleep_for(std::uint64_t{microseconds} * 1000, RICERCAR_SITE()) != 0 ? interrupted() : 0;
}
RICERCAR_HOOK unsigned sleep(unsigned seconds) {
  if (!controlled()) return RICERCAR_REAL(sleep)(seconds);
  const std::uint64_t rest = sleep_for(seconds * VirtualClock::second, RICERCAR_SITE());
  return static_cast<unsigned>((rest + VirtualClock::second - 1) / VirtualClock::second);
}
RICERCAR_HOOK int thrd_sleep(const timespec* time, timespec* left) {
  if (!controlled()) return RICERCAR_BEHIND(thrd_sleep)(time, left);
  if (!is_duration(time)) return -2;
  const std::uint64_t rest = sleep_for(VirtualClock::to_nanoseconds(*time), RICERCAR_SITE());
  return was_cut_short(rest, left) ? -1 : 0;
}

RICERCAR_HOOK int sched_yield() {
  if (!controlled()) return RICERCAR_REAL(sched_yield)();
  give_way(RICERCAR_SITE());
  return 0;
}
RICERCAR_HOOK void thrd_yield() {
  if (!controlled()) return RICERCAR_BEHIND(thrd_yield)();
  give_way(RICERCAR_SITE());
}
